/* How each wrapper begins and ends. */
#ifndef CHECK_ENTER_H
#define CHECK_ENTER_H

#include "check/caller.h"

/* anybody: it may be called by any thread at any time. */
void check_enter(struct check_call *call, const char *name, const void *caller, bool anybody);
void check_leave(struct check_call *call);

#endif
