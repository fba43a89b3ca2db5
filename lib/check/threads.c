/* Which thread is inside of MPI, and whether that may be. */
#include "check/threads.h"

#include <stdatomic.h>
#include <string.h>

#include "check/comms.h"
#include "check/report.h"

static _Thread_local char here;         /* its address is this thread's name */

static struct { int provided; const char *init; char *main; } level;

/* The thread that is inside, and what it has called: only for reports, so it may have left. */
static _Atomic(char *) busy;
static _Atomic(const char *) busy_name;
static _Atomic(const void *) busy_caller;
static atomic_flag told_at_once = ATOMIC_FLAG_INIT, told_other = ATOMIC_FLAG_INIT;

void check_level(int provided, const char *init)
{
    level.init = init;
    level.main = &here;
    level.provided = provided;
}

bool check_level_is_multiple(void) { return level.init && level.provided == MPI_THREAD_MULTIPLE; }

/* Many programs ask for the highest level, and have one thread that calls: that one is followed
 * until there is another.  MPI_Finalize may be that other's, when all are done. */
static void look_for_second(const struct check_call *c)
{
    static _Atomic(char *) first;
    char *thread = NULL;

    if (!check_log_is_several() && strcmp(c->name, "MPI_Finalize") != 0
        && !atomic_compare_exchange_strong(&first, &thread, &here) && thread != &here)
        check_log_several();
}

static const char *level_name(void)
{
    return level.provided == MPI_THREAD_SINGLE       ? "MPI_THREAD_SINGLE"
           : level.provided == MPI_THREAD_FUNNELED   ? "MPI_THREAD_FUNNELED"
           : level.provided == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
                                                     : "MPI_THREAD_MULTIPLE";
}

static void report_other(const struct check_call *c)
{
    char place[CHECK_PLACE_BYTES];

    if (!atomic_flag_test_and_set(&told_other))
        check_report("%s at %s is called by a thread other than the main one, but %s has provided "
                     "%s", c->name, check_place(c->caller, place, sizeof place), level.init,
                     level_name());
}

static void report_at_once(const struct check_call *c)
{
    char one[CHECK_PLACE_BYTES], two[CHECK_PLACE_BYTES];
    const char *name = atomic_load(&busy_name);

    if (!name || atomic_flag_test_and_set(&told_at_once))
        return;
    check_report("%s at %s is called while another thread is in %s, called at %s, but %s has "
                 "provided %s", c->name, check_place(c->caller, one, sizeof one), name,
                 check_place(atomic_load(&busy_caller), two, sizeof two), level.init, level_name());
}

/* Only the first thread inside is known, which is enough to know that it is not alone. */
static void begin(struct check_call *c)
{
    char *nobody = NULL;

    if (atomic_compare_exchange_strong(&busy, &nobody, &here)) {
        c->counts = true;
        atomic_store_explicit(&busy_name, c->name, memory_order_relaxed);
        atomic_store_explicit(&busy_caller, c->caller, memory_order_relaxed);
    } else {
        report_at_once(c);
    }
}

void check_threads_enter(struct check_call *c)
{
    if (check_level_is_multiple())
        look_for_second(c);
    if (!level.init || level.provided == MPI_THREAD_MULTIPLE)
        return;
    if (level.provided < MPI_THREAD_SERIALIZED && level.main != &here)
        report_other(c);
    begin(c);
}

void check_threads_leave(const struct check_call *c)
{
    if (c->counts)
        check_threads_go();
}

void check_threads_go(void)
{
    char *own = &here;

    atomic_compare_exchange_strong(&busy, &own, NULL);
}
