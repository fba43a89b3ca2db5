/* A list of the requests that are known, newest first. */
#include "check/requests.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check/buffers.h"
#include "check/caller.h"
#include "check/comms.h"
#include "check/objects.h"
#include "check/report.h"
#include "check/threads.h"

/* How many are looked through for overlaps. */
enum { BUCKETS = 1024, LOOKS = 256 };

struct entry {
    struct entry *next, *newer, *older;
    MPI_Request request;
    struct check_operation o;
    /* of its communicator and its type, which may be freed before it */
    struct check_log *log;
    struct signature what;
    struct check_posted posted;
    struct check_buffer at;
    uint64_t sum;
    /* In place of the buffer of a receive, so that what changes there was changed by the program;
     * NULL: none. */
    char *shadow;
    bool active, mixed;         /* mixed: another request changes the buffer too, as reported */
    bool alone;                 /* freed by the program; it goes on, and is looked after here */
    bool news;                  /* since then a call may have told the program that it is done */
    struct entry *next_alone;
};

static struct entry *bucket[BUCKETS], *newest, *first_alone;

static struct entry **find(MPI_Request request)
{
    struct entry **e = &bucket[((uintptr_t)request >> 4 ^ (uintptr_t)request) % BUCKETS];

    while (*e && (*e)->request != request)
        e = &(*e)->next;
    return e;
}

static void leave_alone(const struct entry *e)
{
    struct entry **place = &first_alone;

    while (*place != e)
        place = &(*place)->next_alone;
    *place = e->next_alone;
}

static void take_out(struct entry **place)
{
    struct entry *e = *place;

    if (e->alone)
        leave_alone(e);
    *place = e->next;
    if (e->newer)
        e->newer->older = e->older;
    else
        newest = e->older;
    if (e->older)
        e->older->newer = e->newer;
    check_freed(CHECK_REQUEST, (uintptr_t)e->request);
    free(e->shadow);
    free(e);
}

/* -- buffers */

/* Of none that comes from nobody, or goes there. */
static struct check_buffer find_buffer(const struct check_operation *o)
{
    return check_buffer_find(o->buf, o->peer == MPI_PROC_NULL ? 0 : o->count, o->type);
}

static void report_overlap(const struct check_operation *o, const struct entry *e)
{
    char here[CHECK_PLACE_BYTES], there[CHECK_PLACE_BYTES];

    bool freed = e->alone && e->o.sends;        /* it may be over */

    (freed ? check_note : check_report)("the buffer of %s at %s overlaps that of %s at %s, %s",
                                        o->call, check_place(o->caller, here, sizeof here),
                                        e->o.call, check_place(e->o.caller, there, sizeof there),
                                        freed        ? "which was freed and may not be sent yet"
                                        : e->o.sends ? "which is still being sent"
                                                     : "which is still to be received");
}

/* Two sends may read the same.  True: it was reported. */
static bool look_for_overlap(const struct check_operation *o, struct check_buffer b)
{
    int looks = 0;

    for (struct entry *e = newest; e && b.begin && looks < LOOKS; e = e->older, looks++)
        if (e->active && e->at.begin && !(o->sends && e->o.sends) && b.begin < e->at.end
            && e->at.begin < b.end) {
            report_overlap(o, e);
            e->mixed = true;
            return true;
        }
    return false;
}

bool check_request_begin(const struct check_operation *o)
{
    return !check_log_is_several() && !o->persistent && look_for_overlap(o, find_buffer(o));
}

void check_request_exchange(const struct check_operation *receive,
                            const struct check_operation *send)
{
    struct check_buffer in = find_buffer(receive), out = find_buffer(send);
    char place[CHECK_PLACE_BYTES];

    if (!check_log_is_several() && in.begin && out.begin && in.begin < out.end
        && out.begin < in.end)
        check_report("the receive buffer of %s at %s overlaps its send buffer", receive->call,
                     check_place(receive->caller, place, sizeof place));
}

void *check_request_shadow(const struct check_operation *o)
{
    if (check_log_is_several() || check_level_is_multiple() || o->sends)
        return NULL;            /* another thread could not deliver it */
    struct check_buffer b = find_buffer(o);
    size_t bytes = (size_t)(b.end - b.begin);
    return b.begin && bytes <= CHECK_BUFFER_SUMMED ? malloc(bytes) : NULL;
}

void *check_request_buffer(const struct check_operation *o, void *shadow)
{
    if (!shadow)
        return (void *)(uintptr_t)o->buf;
    return (char *)shadow - (find_buffer(o).begin - (const char *)o->buf);
}

/* -- their life */

static void begin(struct entry *e)
{
    e->active = true;
    if (e->o.sends)
        check_log_sent_in(e->log, e->o.peer, e->o.tag, e->what, e->o.ready);
    else
        e->posted = check_log_posted_in(e->log, e->o.peer, e->what, e->o.call, e->o.caller,
                                        e->o.late);
    if (e->at.begin && (e->o.sends || e->shadow))
        e->sum = check_buffer_sum(e->at);
}

void check_request_made(const struct check_operation *o, MPI_Request request, void *shadow,
                        bool mixed)
{
    struct entry *e;

    check_made(CHECK_REQUEST, (uintptr_t)request, o->call, o->caller);
    if (check_log_is_several())
        return;
    if (!(e = calloc(1, sizeof *e)))
        abort();
    struct entry **place = find(request);
    if (*place)
        take_out(place);
    check_made(CHECK_REQUEST, (uintptr_t)request, o->call, o->caller);
    e->request = request;
    e->o = *o;
    e->at = find_buffer(o);
    e->log = check_log(o->comm);
    if (e->log)
        e->what = o->sends ? check_signature_of(o->type, o->count) : check_signature(o->type);
    e->shadow = shadow;
    e->mixed = mixed;
    e->next = bucket[((uintptr_t)request >> 4 ^ (uintptr_t)request) % BUCKETS];
    bucket[((uintptr_t)request >> 4 ^ (uintptr_t)request) % BUCKETS] = e;
    e->older = newest;
    if (newest)
        newest->newer = e;
    newest = e;
    if (!o->persistent)
        begin(e);
}

void check_request_starts(MPI_Request request)
{
    struct entry *e = check_log_is_several() ? NULL : *find(request);

    if (e && !e->active && !e->o.sends)
        e->o.late = e->log && e->log->comm == e->o.comm
                    && check_log_is_late(e->o.comm, e->o.peer, e->o.tag);
}

void check_request_start(MPI_Request request)
{
    struct entry *e = check_log_is_several() ? NULL : *find(request);

    if (!e)
        return;
    e->mixed = look_for_overlap(&e->o, e->at);
    begin(e);
}

static void look_at_buffer(const struct entry *e)
{
    char place[CHECK_PLACE_BYTES];

    if (!e->at.begin || e->mixed || (!e->o.sends && !e->shadow)
        || check_buffer_sum(e->at) == e->sum)
        return;
    check_report("the buffer of %s at %s was written before the %s was complete", e->o.call,
                 check_place(e->o.caller, place, sizeof place), e->o.sends ? "send" : "receive");
}

/* What has come goes where the program wants it. */
static void deliver(const struct entry *e, const MPI_Status *status)
{
    MPI_Count room = e->at.end - e->at.begin, bytes = 0;

    if (!e->shadow || !e->at.begin)
        return;
    if (PMPI_Get_count_c(status, MPI_BYTE, &bytes) || bytes < 0 || bytes > room)
        bytes = room;
    memcpy((char *)(uintptr_t)e->at.begin, e->shadow, (size_t)bytes);
}

/* Done, but perhaps not yet freed. */
static void complete(struct entry *e, const MPI_Status *status, int error)
{
    int cancelled = 0;

    if (!e->active)
        return;
    if (!e->o.sends)
        check_log_done(&e->posted, status, error);
    PMPI_Test_cancelled(status, &cancelled);
    if (!error && !cancelled)
        look_at_buffer(e);
    if (!cancelled)
        deliver(e, status);
    e->active = false;
}

void check_request_done(MPI_Request request, const MPI_Status *status, int error)
{
    struct entry **place = check_log_is_several() ? NULL : find(request);
    struct entry *e = place ? *place : NULL;

    if (!e)
        return;         /* one of a collective or of a window */
    complete(e, status, error);
    if (!e->o.persistent)
        take_out(place);
}

void check_request_seen(MPI_Request request, const MPI_Status *status)
{
    struct entry *e = check_log_is_several() ? NULL : *find(request);

    if (e)
        complete(e, status, MPI_SUCCESS);
}

void check_request_refused(MPI_Request request, const MPI_Status *status)
{
    struct entry *e = check_log_is_several() ? NULL : *find(request);
    MPI_Status now;
    int flag = 0;

    /* an inactive request has an empty status */
    if (e && e->o.persistent && !PMPI_Request_get_status(request, &flag, &now) && flag
        && now.MPI_SOURCE == MPI_ANY_SOURCE)
        complete(e, status, MPI_SUCCESS);
}

/* -- what the program frees while it is under way */

static void note_freed(const struct check_operation *o)
{
    char place[CHECK_PLACE_BYTES], freed[CHECK_PLACE_BYTES];

    check_note("%s at %s is freed, at %s, before it is complete: the program cannot know when its "
               "buffer has the message", o->call, check_place(o->caller, place, sizeof place),
               check_place(check_caller(), freed, sizeof freed));
}

bool check_request_keep(MPI_Request request)
{
    struct entry *e = check_log_is_several() ? NULL : *find(request);

    if (!e || !e->active)
        return false;
    if (!e->o.sends)
        note_freed(&e->o);
    if (check_level_is_multiple() || !e->at.begin || (!e->o.sends && !e->shadow))
        return false;
    check_freed(CHECK_REQUEST, (uintptr_t)request);
    e->alone = true;
    e->next_alone = first_alone;
    first_alone = e;
    return true;
}

/* Up to here the program could not know that its data had gone. */
static void look_at_freed(const struct entry *e)
{
    char place[CHECK_PLACE_BYTES];

    if (e->mixed || (check_buffer_is_there(e->at) && check_buffer_sum(e->at) == e->sum))
        return;
    check_note("the buffer of %s at %s, whose request was freed, was written or freed before the "
               "program could know that it was sent", e->o.call,
               check_place(e->o.caller, place, sizeof place));
}

/* True: it is done, and the program could know. */
static bool is_over(struct entry *e)
{
    bool news = e->news;
    MPI_Status status;
    int flag = 0;

    e->news = true;
    if (PMPI_Request_get_status(e->request, &flag, &status) || !flag || (e->o.sends && !news))
        return false;
    if (e->o.sends)
        look_at_freed(e);
    else
        complete(e, &status, MPI_SUCCESS);
    return true;
}

void check_requests_alone(void)
{
    int gone = 0;

    if (!first_alone || PMPI_Finalized(&gone) || gone)
        return;
    for (struct entry *e = first_alone, *next; e; e = next) {
        MPI_Request request = e->request;
        next = e->next_alone;
        if (is_over(e)) {
            take_out(find(request));
            PMPI_Request_free(&request);
        }
    }
}

void check_request_lost(MPI_Request request)
{
    struct entry **place = check_log_is_several() ? NULL : find(request);

    check_freed(CHECK_REQUEST, (uintptr_t)request);
    if (place && *place)
        take_out(place);
}

void check_request_cancelled(MPI_Request request)
{
    struct entry *e = check_log_is_several() ? NULL : *find(request);

    if (e && e->o.sends)
        check_log_cancelled(e->log);
}
