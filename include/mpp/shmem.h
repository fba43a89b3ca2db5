/* Deprecated: <shmem.h> by the name that it had first. */
#include "../shmem.h"
