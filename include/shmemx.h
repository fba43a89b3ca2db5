/* Where OpenSHMEM has extensions: there are none. */
#ifndef SHMEMX_H
#define SHMEMX_H

#include <shmem.h>

#endif
