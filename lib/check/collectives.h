/* Collectives whose arguments must be alike in all ranks. */
#ifndef CHECK_COLLECTIVES_H
#define CHECK_COLLECTIVES_H

#include "check/messages.h"

/* Collective: reports the first one of which this rank and rank 0 do not say the same. */
void check_collectives_compare(MPI_Comm comm, const struct check_log *log);

#endif
