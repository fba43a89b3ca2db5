/* Deprecated: <shmemx.h> by another name. */
#include "../shmemx.h"
