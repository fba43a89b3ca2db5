/* Calls inside of each other, of each thread. */
#include "check/caller.h"

#include <stddef.h>

static _Thread_local struct check_call *inside;

const char *check_name(void) { return inside ? inside->name : "MPI"; }
const void *check_caller(void) { return inside ? inside->caller : NULL; }
void check_fruitless(void) { inside->fruitless = true; }
bool check_is_inside(void) { return inside != NULL; }

void check_call_begin(struct check_call *c, const char *name, const void *caller)
{
    *c = (struct check_call){ .name = name, .caller = caller, .outer = inside };
    inside = c;
}

void check_call_end(struct check_call *c) { inside = c->outer; }
