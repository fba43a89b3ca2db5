/* A list of the requests that are known, newest first. */
#include "check/requests.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/caller.h"
#include "check/comms.h"
#include "check/objects.h"
#include "check/report.h"

/* How many are looked through for overlaps, and how much of a buffer is summed up. */
enum { BUCKETS = 1024, LOOKS = 256, SUMMED = 1 << 22 };

struct entry {
    struct entry *next, *newer, *older;
    MPI_Request request;
    struct check_operation o;
    struct check_posted posted;
    const char *begin, *end;    /* where a buffer without gaps lies; NULL: it has some, or none */
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

static void find_buffer(const struct check_operation *o, const char **begin, const char **end)
{
    MPI_Count lower, extent, size;

    *begin = *end = NULL;
    if (o->peer == MPI_PROC_NULL || o->count <= 0 || !o->buf
        || PMPI_Type_size_c(o->type, &size)
        || PMPI_Type_get_true_extent_c(o->type, &lower, &extent) || extent != size || !size)
        return;
    MPI_Count step, at;
    if (o->count > 1 && (PMPI_Type_get_extent_c(o->type, &at, &step) || step != size))
        return;
    *begin = (const char *)o->buf + lower;
    *end = *begin + o->count * size;
}

static uint64_t sum_up(const char *begin, const char *end)
{
    uint64_t sum = 0, word;
    size_t bytes = (size_t)(end - begin);

    bytes = bytes < SUMMED ? bytes : SUMMED;
    for (; bytes >= sizeof word; bytes -= sizeof word, begin += sizeof word) {
        memcpy(&word, begin, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c55);
        sum ^= sum >> 29;
    }
    word = 0;
    memcpy(&word, begin, bytes);
    return (sum ^ word) * UINT64_C(0x9e3779b97f4a7c55);
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
static bool look_for_overlap(const struct check_operation *o, const char *begin, const char *end)
{
    int looks = 0;

    for (struct entry *e = newest; e && begin && looks < LOOKS; e = e->older, looks++)
        if (e->active && e->begin && !(o->sends && e->o.sends) && begin < e->end
            && e->begin < end) {
            report_overlap(o, e);
            e->mixed = true;
            return true;
        }
    return false;
}

bool check_request_begin(const struct check_operation *o)
{
    const char *begin, *end;

    if (check_log_is_several() || o->persistent)
        return false;
    find_buffer(o, &begin, &end);
    return look_for_overlap(o, begin, end);
}

void check_request_exchange(const struct check_operation *receive,
                            const struct check_operation *send)
{
    const char *in, *in_end, *out, *out_end;
    char place[CHECK_PLACE_BYTES];

    if (check_log_is_several())
        return;
    find_buffer(receive, &in, &in_end);
    find_buffer(send, &out, &out_end);
    if (in && out && in < out_end && out < in_end)
        check_report("the receive buffer of %s at %s overlaps its send buffer", receive->call,
                     check_place(receive->caller, place, sizeof place));
}

void *check_request_shadow(const struct check_operation *o)
{
    const char *begin, *end;

    if (check_log_is_several() || o->sends)
        return NULL;
    find_buffer(o, &begin, &end);
    return begin && end - begin <= SUMMED ? malloc((size_t)(end - begin)) : NULL;
}

void *check_request_buffer(const struct check_operation *o, void *shadow)
{
    const char *begin, *end;

    if (!shadow)
        return (void *)(uintptr_t)o->buf;
    find_buffer(o, &begin, &end);
    return (char *)shadow - (begin - (const char *)o->buf);
}

/* -- their life */

static void begin(struct entry *e)
{
    e->active = true;
    find_buffer(&e->o, &e->begin, &e->end);
    if (e->o.sends)
        check_log_sent(e->o.comm, e->o.peer, e->o.tag, e->o.type, e->o.count, e->o.ready);
    else
        e->posted = check_log_posted(e->o.comm, e->o.peer, e->o.type, e->o.call, e->o.caller,
                                     e->o.late);
    if (e->begin && (e->o.sends || e->shadow))
        e->sum = sum_up(e->begin, e->end);
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
        e->o.late = check_log_is_late(e->o.comm, e->o.peer, e->o.tag);
}

void check_request_start(MPI_Request request)
{
    struct entry *e = check_log_is_several() ? NULL : *find(request);
    const char *from, *to;

    if (!e)
        return;
    find_buffer(&e->o, &from, &to);
    e->mixed = look_for_overlap(&e->o, from, to);
    begin(e);
}

static void look_at_buffer(const struct entry *e)
{
    char place[CHECK_PLACE_BYTES];

    if (!e->begin || e->mixed || (!e->o.sends && !e->shadow)
        || sum_up(e->begin, e->end) == e->sum)
        return;
    check_report("the buffer of %s at %s was written before the %s was complete", e->o.call,
                 check_place(e->o.caller, place, sizeof place), e->o.sends ? "send" : "receive");
}

/* What has come goes where the program wants it. */
static void deliver(const struct entry *e, const MPI_Status *status)
{
    MPI_Count room = e->end - e->begin, bytes = 0;

    if (!e->shadow || !e->begin)
        return;
    if (PMPI_Get_count_c(status, MPI_BYTE, &bytes) || bytes < 0 || bytes > room)
        bytes = room;
    memcpy((char *)(uintptr_t)e->begin, e->shadow, (size_t)bytes);
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
    if (!e->begin || (!e->o.sends && !e->shadow))
        return false;
    check_freed(CHECK_REQUEST, (uintptr_t)request);
    e->alone = true;
    e->next_alone = first_alone;
    first_alone = e;
    return true;
}

/* Its memory may be gone. */
static bool is_there(const char *begin, const char *end)
{
    enum { PAGE_LEAST = 4096, PAGES = SUMMED / PAGE_LEAST + 2 };
    unsigned char pages[PAGES];
    uintptr_t from = (uintptr_t)begin & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    size_t bytes = (size_t)((uintptr_t)end - from);

    return !mincore((void *)from, bytes < SUMMED ? bytes : SUMMED, pages);
}

/* Up to here the program could not know that its data had gone. */
static void look_at_freed(const struct entry *e)
{
    char place[CHECK_PLACE_BYTES];

    if (e->mixed || (is_there(e->begin, e->end) && sum_up(e->begin, e->end) == e->sum))
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
    struct entry **place = find(request);

    check_freed(CHECK_REQUEST, (uintptr_t)request);
    if (check_log_is_several() || !*place)
        return;
    take_out(place);
}

void check_request_cancelled(MPI_Request request)
{
    struct entry *e = check_log_is_several() ? NULL : *find(request);

    if (e && e->o.sends)
        check_log_cancelled(e->o.comm);
}
