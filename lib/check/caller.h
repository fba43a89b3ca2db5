/* The call of MPI that the program is in. */
#ifndef CHECK_CALLER_H
#define CHECK_CALLER_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* On the stack of its wrapper; calls that a call makes (an operation of the program's, say) are
 * inside. */
struct check_call {
    const char *name;
    const void *caller;         /* where the program has called */
    struct check_call *outer;
    bool fruitless;             /* it looked for something that has not happened */
    bool counts;                /* no other thread may call meanwhile */
};

void check_call_begin(struct check_call *call, const char *name, const void *caller);
void check_call_end(struct check_call *call);

/* Of the innermost call: its name, which for the large variant is that of the other, and where the
 * program has called. */
const char *check_name(void);
const void *check_caller(void);
/* It has looked for something that has not happened. */
void check_fruitless(void);
/* This thread is inside of MPI. */
bool check_is_inside(void);

#endif
