/* Calls that the program, or a library of it, has functions of its own for: profiling wrappers. */
#ifndef TRACE_HIDDEN_H
#define TRACE_HIDDEN_H

#include <stdint.h>

/* enum trace_call + 1 of the first such call, which is not seen here: it goes on to PMPI_X.  0: of
 * none. */
uint32_t trace_hidden(void);

#endif
