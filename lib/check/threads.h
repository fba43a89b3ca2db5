/* Threads that call at once, or that must not call. */
#ifndef CHECK_THREADS_H
#define CHECK_THREADS_H

#include "check/caller.h"

/* MPI is initialized with this level, by the thread that calls. */
void check_level(int level, const char *init);
/* A second thread may call while the first is inside. */
bool check_level_is_multiple(void);

/* A thread calls, and has done so; reports what the level forbids. */
void check_threads_enter(struct check_call *call);
void check_threads_leave(const struct check_call *call);
/* It calls a function of the program's that may not come back. */
void check_threads_go(void);

#endif
