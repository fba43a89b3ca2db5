/* Comparing what the ranks of a communicator have logged. */
#ifndef CHECK_EXCHANGE_H
#define CHECK_EXCHANGE_H

#include "check/messages.h"

/* Collective on the communicator, which is about to be freed: reports what does not fit.
 * call: in which this is done, for who asks where the ranks are. */
void check_exchange(MPI_Comm comm, const char *call);

#endif
