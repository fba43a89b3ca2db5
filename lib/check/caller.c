/* Calls inside of each other, of each thread. */
#include "check/caller.h"

#include <stddef.h>

static _Thread_local struct check_call *inside, *outermost;

/* Calls whose frames are not above this place of the stack are over: a handler has left them by
 * longjmp, and what they were is gone.  Of those above the outermost is known. */
static void forget_left(const void *here)
{
    if (inside && (uintptr_t)inside <= (uintptr_t)here)
        inside = (uintptr_t)outermost <= (uintptr_t)here ? NULL : outermost;
}

const char *check_name(void) { return inside ? inside->name : "MPI"; }
const void *check_caller(void) { return inside ? inside->caller : NULL; }
void check_fruitless(void) { inside->fruitless = true; }

bool check_is_inside(void)
{
    forget_left(__builtin_frame_address(0));
    return inside != NULL;
}

void check_call_begin(struct check_call *c, const char *name, const void *caller)
{
    forget_left(c);
    if (!inside)
        outermost = c;
    *c = (struct check_call){ .name = name, .caller = caller, .outer = inside };
    inside = c;
}

void check_call_end(struct check_call *c) { inside = c->outer; }
