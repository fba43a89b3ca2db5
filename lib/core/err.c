/* What becomes of an error: the communicator's handler decides; a fatal one says what was wrong. */
#include "core/err.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/crash.h"
#include "base/printable.h"
#include "core/comm.h"
#include "core/errhandler.h"
#include "core/err_user.h"
#include "core/label.h"
#include "core/session.h"
#include "core/world.h"
#include "nicemu/job.h"

/* -- the message of a fatal error */

struct text { char buf[2048]; size_t used; };

__attribute__((format(printf, 2, 3)))
static void text_add(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->buf + t->used, sizeof t->buf - t->used, format, args);
    va_end(args);
    if (n > 0)
        t->used += (size_t)n < sizeof t->buf - t->used ? (size_t)n : sizeof t->buf - t->used - 1;
}

static void text_add_where(struct text *t, const struct mpi_comm *comm)
{
    char label[256], who[64];
    mpi_reporter(who, sizeof who);
    if (mpi_state == MPI_STATE_NONE || comm == &mpi_comm_world)
        text_add(t, "\n  reported by %s", who);
    else
        text_add(t, "\n  reported by rank %d of %s (%s)", comm->rank,
                 mpi_label_long(comm, label, sizeof label), who);
}

/* In one write, so that the lines of several ranks do not mix. */
static void text_print(struct text *t)
{
    size_t done = 0;

    t->buf[t->used++] = '\n';     /* in place of the text's end */
    while (done < t->used) {
        ssize_t n = write(STDERR_FILENO, t->buf + done, t->used - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            return;     /* nobody to tell */
    }
}

__attribute__((format(printf, 4, 0), noreturn))
static void fatal(const struct mpi_comm *comm, const char *call, int class, const char *why,
                  va_list args)
{
    struct text t = { .used = 0 };
    char words[MPI_MAX_ERROR_STRING], label[MPI_LABEL_BYTES];
    char reason[1024], shown[1536];     /* what is shown has no control characters: keys, say */

    if (!mpi_err_words(class, words, sizeof words))
        snprintf(words, sizeof words, "unknown error code");
    text_add(&t, "Fatal error in %s: %s\n  ", call, printable(shown, sizeof shown, words, ""));
    vsnprintf(reason, sizeof reason, why, args);
    text_add(&t, "%s", printable_short(shown, sizeof shown, reason));
    text_add_where(&t, comm);
    text_print(&t);
    mpi_crash_tell_call_on(call, mpi_label(comm, label), mpi_label_place(comm));
    mpi_die(class > 0 && class < 256 ? class : 1);
}

/* -- raising */

/* What an error is raised on.  comm: for messages. */
struct raised_on {
    enum mpi_errhandler_of of;
    union { MPI_Comm comm; MPI_Session session; MPI_Win win; } handle;
    const MPI_Errhandler *place;
    const struct mpi_comm *comm;
};

void (*mpi_err_leaves)(void);

static void tell(const struct raised_on *on, union mpi_errhandler_fn fn, int code)
{
    struct raised_on copy = *on;        /* the program's to write to */
    if (mpi_err_leaves)
        mpi_err_leaves();
    switch (on->of) {
    case MPI_ERRHANDLER_OF_COMMS:
        fn.comm(&copy.handle.comm, &code);
        break;
    case MPI_ERRHANDLER_OF_SESSIONS:
        fn.session(&copy.handle.session, &code);
        break;
    default:
        fn.win(&copy.handle.win, &code);
    }
}

/* "MPI_Send has returned an error before: the count is -1" */
__attribute__((format(printf, 4, 0)))
static void describe_returned(char *text, size_t size, const char *call, const char *why,
                              va_list args)
{
    char reason[1024], line[1152];

    vsnprintf(reason, sizeof reason, why, args);
    snprintf(line, sizeof line, "%s has returned an error before: %s", call, reason);
    printable_short(text, size, line);
}

/* A program that does not look at what calls return goes on, and may wait in vain.  Where it is
 * told what the ranks wait for, the first of these errors is, too: others may come of it. */
__attribute__((format(printf, 2, 0)))
static void remark(const char *call, const char *why, va_list args)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char first[NIC_REMARK_BYTES - sizeof " (and 4294967295 more)"];
    static unsigned before;
    char text[NIC_REMARK_BYTES];

    if (!mpi_job)
        return;
    pthread_mutex_lock(&lock);
    if (!before)
        describe_returned(first, sizeof first, call, why, args);
    snprintf(text, sizeof text, before ? "%s (and %u more)" : "%s", first, before);
    before++;
    nic_job_set_remark(mpi_job, mpi_job_rank, text);
    pthread_mutex_unlock(&lock);
}

/* What a thread was told last, for MPI_Error_string: a code says no more than its class.  It is not
 * in the thread's static memory, of which a library that is loaded late gets little. */
struct reason { int class; char text[MPI_MAX_ERROR_STRING]; };
static pthread_key_t reasons;
static bool has_reasons;

static void make_reasons(void) { has_reasons = !pthread_key_create(&reasons, free); }

/* NULL: there is no memory for it. */
static struct reason *own_reason(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_reasons);
    struct reason *r = has_reasons ? pthread_getspecific(reasons) : NULL;
    if (r || !has_reasons || !(r = calloc(1, sizeof *r)) || !pthread_setspecific(reasons, r))
        return r;
    free(r);
    return NULL;
}

const char *mpi_err_reason(int class)
{
    const struct reason *r = own_reason();

    return r && class && class == r->class ? r->text : NULL;
}

__attribute__((format(printf, 3, 0)))
static void keep_reason(const char *call, int class, const char *why, va_list args)
{
    char text[1024], line[1152];
    struct reason *r = own_reason();
    va_list again;

    if (!r)
        return;
    va_copy(again, args);
    vsnprintf(text, sizeof text, why, again);
    va_end(again);
    snprintf(line, sizeof line, "%s: %s", call, text);
    printable_short(r->text, sizeof r->text, line);
    r->class = class;
}

/* Before MPI_Init the initial handler has all of them. */
__attribute__((format(printf, 4, 0)))
static int raise_on(const struct raised_on *on, const char *call, int class, const char *why,
                    va_list args)
{
    union mpi_errhandler_fn fn = { .any = NULL };
    MPI_Errhandler h = mpi_errhandler_initial();
    if (on->of != MPI_ERRHANDLER_OF_COMMS || mpi_state == MPI_STATE_INIT)
        h = mpi_errhandler_take(on->place, &fn);
    if (h != MPI_ERRORS_RETURN && !fn.any)
        fatal(on->comm, call, class, why, args);
    keep_reason(call, class, why, args);
    remark(call, why, args);
    if (fn.any)
        tell(on, fn, class);
    mpi_errhandler_drop(h);
    return class;
}

/* The class, of an error on one of these. */
#define RAISE(...) \
    do { \
        const struct raised_on on = { __VA_ARGS__ }; \
        va_list args; \
        va_start(args, why); \
        raise_on(&on, call, class, why, args); \
        va_end(args); \
        return class; \
    } while (0)

int mpi_err(struct mpi_comm *comm, const char *call, int class, const char *why, ...)
{
    const struct mpi_comm *shown = comm ? mpi_comm_shown(comm) : &mpi_comm_self;
    RAISE(.of = MPI_ERRHANDLER_OF_COMMS, .handle.comm = shown->handle,
          .place = &shown->errhandler, .comm = shown);
}

int mpi_err_on_session(const struct mpi_session *session, const char *call, int class,
                       const char *why, ...)
{
    RAISE(.of = MPI_ERRHANDLER_OF_SESSIONS, .handle.session = session->handle,
          .place = &session->errhandler, .comm = &mpi_comm_world);
}

int mpi_err_by(MPI_Errhandler handler, const char *call, int class, const char *why, ...)
{
    RAISE(.of = MPI_ERRHANDLER_OF_SESSIONS, .handle.session = MPI_SESSION_NULL,
          .place = &handler, .comm = &mpi_comm_world);
}

int mpi_err_on_win(struct mpi_err_win win, const char *call, int class, const char *why, ...)
{
    RAISE(.of = MPI_ERRHANDLER_OF_WINS, .handle.win = win.handle, .place = win.place,
          .comm = win.comm);
}
