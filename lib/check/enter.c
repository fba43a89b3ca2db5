/* What is looked at in each call that is not inside of another one. */
#include "check/enter.h"

#include "base/outside.h"
#include "check/loops.h"
#include "check/repeat.h"
#include "check/requests.h"
#include "check/threads.h"

void check_enter(struct check_call *c, const char *name, const void *caller, bool anybody)
{
    check_repeat_enter();
    check_call_begin(c, name, mpi_outside(caller));
    if (!c->outer && !anybody)
        check_threads_enter(c);
}

void check_leave(struct check_call *c)
{
    check_threads_leave(c);
    if (!c->outer) {
        check_requests_alone();
        check_loops_leave(c->fruitless);
    }
    check_call_end(c);
    if (!c->outer)
        check_repeat_leave(c->caller, !c->fruitless);
}
