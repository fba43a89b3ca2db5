/* Events of the tool interface: messages that come before their receive, rendezvous and truncations
 * are raised once each, with what they say; events that no callback is fit for are dropped and
 * counted; a callback may read variables and free its own registration. */
#include <stdatomic.h>
#include <stdbool.h>

#include "t.h"

#define RC(call, code) SAME(call, code)

enum { TAG = 77, MEET = 78, SMALL = 100, LONG_BYTES = 1 << 20, ROUNDS = 8, ELEMENTS = 8 };

/* Filled by the callback: by the rank's own thread or by its NIC's. */
struct heard {
    MPI_T_event_registration handle;
    int index, elements;
    MPI_Datatype type[ELEMENTS];
    MPI_Aint place[ELEMENTS];
    char name[ELEMENTS][32];
    _Atomic int times;
    _Atomic long long value[ELEMENTS];
    _Atomic long long when;
    _Atomic int source, wrong;
    int free_after;         /* frees itself at that number; 0: never */
    _Atomic int freed;
};

static MPI_T_pvar_session session;
static MPI_T_pvar_handle queue;
static _Atomic(MPI_T_event_instance) last_instance;

static void describe(struct heard *h, const char *event)
{
    MPI_T_enum e;
    MPI_Info info;
    int verbosity, bind, items, keys, length;
    RC(MPI_T_event_get_index(event, &h->index), MPI_SUCCESS);
    h->elements = ELEMENTS;
    RC(MPI_T_event_get_info(h->index, NULL, NULL, &verbosity, h->type, h->place, &h->elements, &e,
                            &info, NULL, NULL, &bind), MPI_SUCCESS);
    OK(MPI_Info_get_nkeys(info, &keys));
    SAME(keys, 0);
    OK(MPI_Info_free(&info));
    SAME(bind, MPI_T_BIND_NO_OBJECT);
    SAME(verbosity, MPI_T_VERBOSITY_TUNER_DETAIL);
    SAME(h->place[0], 0);
    RC(MPI_T_enum_get_info(e, &items, NULL, NULL), MPI_SUCCESS);
    SAME(items, h->elements);
    for (int i = 0; i < items; i++) {
        length = sizeof h->name[i];
        RC(MPI_T_enum_get_item(e, i, NULL, h->name[i], &length), MPI_SUCCESS);
        CHECK(i == 0 || h->place[i] > h->place[i - 1]);
        SAME(h->place[i] % (h->type[i] == MPI_INT ? sizeof(int) : sizeof(long long)), 0);
    }
}

static long long number(MPI_Datatype type, const void *at)
{
    return type == MPI_INT ? *(const int *)at : (long long)*(const unsigned long long *)at;
}

static void on_freed(MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)
{
    struct heard *h = data;
    (void)safety;
    h->wrong += handle != h->handle;
    h->freed++;
}

/* No check in here may end the job: what is wrong is counted. */
static void on_event(MPI_T_event_instance instance, MPI_T_event_registration handle,
                     MPI_T_cb_safety safety, void *data)
{
    struct heard *h = data;
    _Alignas(8) char all[ELEMENTS * 8];
    unsigned long long one, length = 0;
    MPI_Count when = -1;
    int source = -1;
    h->wrong += handle != h->handle || safety < MPI_T_CB_REQUIRE_MPI_RESTRICTED;
    h->wrong += MPI_T_event_copy(instance, all) != MPI_SUCCESS;
    for (int i = 0; i < h->elements; i++) {
        one = 0;
        h->wrong += MPI_T_event_read(instance, i, &one) != MPI_SUCCESS;
        h->value[i] = number(h->type[i], &one);
        h->wrong += number(h->type[i], all + h->place[i]) != h->value[i];
    }
    h->wrong += MPI_T_event_read(instance, h->elements, &one) != MPI_T_ERR_INVALID_INDEX;
    h->wrong += MPI_T_event_read(instance, -1, &one) != MPI_T_ERR_INVALID_INDEX;
    h->wrong += MPI_T_event_read(instance, 0, NULL) != MPI_T_ERR_INVALID;
    h->wrong += MPI_T_finalize() != MPI_T_ERR_NOT_ACCESSIBLE;
    h->wrong += MPI_T_event_get_timestamp(instance, &when) != MPI_SUCCESS;
    h->wrong += MPI_T_event_get_source(instance, &source) != MPI_SUCCESS;
    h->wrong += MPI_T_pvar_read(session, queue, &length) != MPI_SUCCESS;
    h->wrong += source == 0 && when < h->when;     /* in order, on the live clock */
    h->when = when;
    h->source = source;
    last_instance = instance;
    if (++h->times == h->free_after)
        h->wrong += MPI_T_event_handle_free(handle, h, on_freed) != MPI_SUCCESS;
}

static void listen(struct heard *h, const char *event)
{
    describe(h, event);
    RC(MPI_T_event_handle_alloc(h->index, NULL, MPI_INFO_NULL, &h->handle), MPI_SUCCESS);
    RC(MPI_T_event_register_callback(h->handle, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, h,
                                     on_event), MPI_SUCCESS);
}

static void stop(struct heard *h)
{
    RC(MPI_T_event_handle_free(h->handle, h, on_freed), MPI_SUCCESS);
    SAME(h->freed, 1);
    SAME(h->wrong, 0);
    RC(MPI_T_event_handle_free(h->handle, h, on_freed), MPI_T_ERR_INVALID_HANDLE);
}

static void has(const struct heard *h, const char *element, long long want)
{
    for (int i = 0; i < h->elements; i++)
        if (!strcmp(h->name[i], element)) {
            SAME(h->value[i], want);
            return;
        }
    FAIL("no element %s", element);
}

static long long value_of(const struct heard *h, const char *element)
{
    for (int i = 0; i < h->elements; i++)
        if (!strcmp(h->name[i], element))
            return h->value[i];
    FAIL("no element %s", element);
}

/* All ranks meet, by messages that raise no event: each has its receive before anybody can send it,
 * those of the next time being there before this time's are sent.  Between machines those of a
 * barrier would come when they like. */
static struct { MPI_Request *receive[2]; int times; } meeting;

static void expect_all(int time)
{
    for (int r = 0; r < t_size; r++)
        OK(MPI_Irecv(NULL, 0, MPI_INT, r == t_rank ? MPI_PROC_NULL : r, MEET, MPI_COMM_WORLD,
                     &meeting.receive[time % 2][r]));
}

static void tell_all(void)
{
    for (int r = 0; r < t_size; r++)
        if (r != t_rank)
            OK(MPI_Send(NULL, 0, MPI_INT, r, MEET, MPI_COMM_WORLD));
    OK(MPI_Waitall(t_size, meeting.receive[meeting.times++ % 2], MPI_STATUSES_IGNORE));
}

static void meet(void)
{
    expect_all(meeting.times + 1);
    tell_all();
}

static void begin_meetings(void)
{
    for (int i = 0; i < 2; i++)
        meeting.receive[i] = t_alloc((size_t)t_size * sizeof *meeting.receive[i]);
    expect_all(0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void end_meetings(void)
{
    tell_all();
    free(meeting.receive[0]);
    free(meeting.receive[1]);
}

/* A message of the previous rank waits here: a probe has seen it.  to, from: ranks of `comm`. */
static void unexpected_in(MPI_Comm comm, int to, int from, int bytes, char *in)
{
    char *out = t_alloc((size_t)bytes);
    MPI_Request r;
    memset(out, t_rank, (size_t)bytes);
    meet();                                 /* all have looked at what the last one did */
    OK(MPI_Isend(out, bytes, MPI_CHAR, to, TAG, comm, &r));
    OK(MPI_Probe(from, TAG, comm, MPI_STATUS_IGNORE));
    OK(MPI_Recv(in, bytes, MPI_CHAR, from, TAG, comm, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    SAME(in[bytes - 1], t_prev());
    free(out);
}

static void unexpected(int bytes, char *in)
{
    unexpected_in(MPI_COMM_WORLD, t_next(), t_prev(), bytes, in);
}

static MPI_Count now(int source)
{
    MPI_Count t = -1;
    RC(MPI_T_source_get_timestamp(source, &t), MPI_SUCCESS);
    return t;
}

/* Of the clock that the job has; the system's monotonic clock is there for all. */
static void sources(void)
{
    const bool modelled = t_modelled();
    MPI_Count early, late, t = -1;
    struct timespec before, after;
    RC(MPI_T_source_get_timestamp(1, &t), modelled ? MPI_SUCCESS : MPI_T_ERR_NOT_SUPPORTED);
    clock_gettime(CLOCK_MONOTONIC, &before);
    t = now(0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    early = (MPI_Count)before.tv_sec * 1000000000 + before.tv_nsec;
    late = (MPI_Count)after.tv_sec * 1000000000 + after.tv_nsec;
    CHECK(early <= t && t <= late);
}

static void matching(char *in)
{
    struct heard came = { .times = 0 }, met = { .times = 0 };
    MPI_Count before, ticks, most;
    MPI_T_source_order order;
    int elements;
    listen(&came, "unexpected_arrived");
    listen(&met, "unexpected_matched");
    before = now(0);
    for (int i = 1; i <= ROUNDS; i++) {
        unexpected(SMALL, in);
        SAME(came.times, i);
        SAME(met.times, i);
    }
    has(&came, "source", t_prev());
    has(&came, "tag", TAG);
    has(&came, "bytes", SMALL);
    has(&came, "queue", 1);
    has(&met, "queue", 0);
    has(&met, "bytes", SMALL);
    SAME(came.source, t_modelled());
    RC(MPI_T_source_get_info(came.source, NULL, NULL, NULL, NULL, &order, &ticks, &most, NULL),
       MPI_SUCCESS);
    SAME(most, INT64_MAX);
    SAME(order, came.source ? MPI_T_SOURCE_UNORDERED : MPI_T_SOURCE_ORDERED);
    SAME(ticks, came.source ? 1000000000000 : 1000000000);
    if (came.source == 0)
        CHECK(came.when >= before && met.when <= now(0));
    RC(MPI_T_event_read(last_instance, 0, &elements), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_event_copy(last_instance, in), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_event_get_timestamp(last_instance, &ticks), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_event_get_source(last_instance, &elements), MPI_T_ERR_INVALID_HANDLE);
    stop(&came);
    unexpected(SMALL, in);
    SAME(came.times, ROUNDS);
    SAME(met.times, ROUNDS + 1);
    stop(&met);
}

static void rendezvous(char *in)
{
    struct heard begun = { .times = 0 }, ended = { .times = 0 }, cut = { .times = 0 };
    listen(&begun, "rendezvous_begun");
    listen(&ended, "rendezvous_ended");
    listen(&cut, "message_truncated");
    for (int i = 1; i <= ROUNDS; i++) {
        unexpected(LONG_BYTES, in);
        SAME(begun.times, i);
        SAME(ended.times, i);
    }
    has(&begun, "bytes", LONG_BYTES);
    has(&ended, "bytes", LONG_BYTES);
    has(&ended, "peer", t_prev());
    has(&ended, "tag", TAG);
    SAME(cut.times, 0);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    MPI_Request r;
    OK(MPI_Isend(in, SMALL, MPI_CHAR, t_next(), TAG, MPI_COMM_WORLD, &r));
    CLASS(MPI_Recv(in + SMALL, 7, MPI_CHAR, t_prev(), TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          MPI_ERR_TRUNCATE);
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK(cut.times <= 1);      /* a receive that goes the short way tells nobody */
    stop(&begun);
    stop(&ended);
    stop(&cut);
}

/* `source` is the rank in the communicator of the message, which `context` tells from others;
 * `peer` the one in MPI_COMM_WORLD. */
static void other_communicator(char *in)
{
    struct heard begun = { .times = 0 };
    MPI_Comm reversed;
    int last = t_size - 1;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, last - t_rank, &reversed));
    listen(&begun, "rendezvous_begun");
    unexpected(LONG_BYTES, in);
    has(&begun, "source", t_prev());
    long long context = value_of(&begun, "context");
    unexpected_in(reversed, last - t_next(), last - t_prev(), LONG_BYTES, in);
    SAME(begun.times, 2);
    has(&begun, "source", last - t_prev());
    has(&begun, "peer", t_prev());
    CHECK(value_of(&begun, "context") != context);
    unexpected(LONG_BYTES, in);
    has(&begun, "context", context);
    stop(&begun);
    OK(MPI_Comm_free(&reversed));
}

static _Atomic long long dropped, calls;

static void on_dropped(MPI_Count count, MPI_T_event_registration handle, int source,
                       MPI_T_cb_safety safety, void *data)
{
    struct heard *h = data;
    (void)safety;
    h->wrong += handle != h->handle || source < 0 || source > 1 || count <= 0;
    dropped += count;
    calls++;
}

/* A callback that wants no restrictions is fit for nothing; the next one that is hears of it. */
static void drops(char *in)
{
    struct heard h = { .times = 0 };
    MPI_Info info;
    describe(&h, "unexpected_arrived");
    RC(MPI_T_event_handle_alloc(h.index, NULL, MPI_INFO_NULL, &h.handle), MPI_SUCCESS);
    RC(MPI_T_event_set_dropped_handler(h.handle, on_dropped), MPI_SUCCESS);
    RC(MPI_T_event_register_callback(h.handle, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &h, on_event),
       MPI_SUCCESS);
    unexpected(SMALL, in);
    unexpected(SMALL, in);
    SAME(h.times, 0);
    SAME(calls, 0);
    RC(MPI_T_event_callback_get_info(h.handle, MPI_T_CB_REQUIRE_THREAD_SAFE, &info),
       MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_event_register_callback(h.handle, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL,
                                     &h, on_event), MPI_SUCCESS);
    unexpected(SMALL, in);
    SAME(dropped, 2);
    SAME(calls, 1);
    SAME(h.times, 1);
    unexpected(SMALL, in);                  /* nothing was dropped since */
    SAME(dropped, 2);
    SAME(calls, 1);
    SAME(h.times, 2);
    CHECK(MPI_T_event_handle_get_info(h.handle, NULL) == MPI_T_ERR_INVALID);
    RC(MPI_T_event_callback_set_info(h.handle, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL), MPI_SUCCESS);
    RC(MPI_T_event_handle_set_info(h.handle, MPI_INFO_NULL), MPI_SUCCESS);
    RC(MPI_T_event_handle_get_info(h.handle, &info), MPI_SUCCESS);
    OK(MPI_Info_free(&info));
    RC(MPI_T_event_callback_get_info(h.handle, MPI_T_CB_REQUIRE_NONE, &info), MPI_SUCCESS);
    OK(MPI_Info_free(&info));
    stop(&h);
}

static void frees_itself(char *in)
{
    struct heard h = { .free_after = 2 };
    listen(&h, "unexpected_arrived");
    for (int i = 0; i < 4; i++)
        unexpected(SMALL, in);
    SAME(h.times, 2);
    SAME(h.freed, 1);
    SAME(h.wrong, 0);
    RC(MPI_T_event_handle_free(h.handle, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
}

/* The first of two that hear the same frees the other, which hears no more. */
static void free_other(MPI_T_event_instance instance, MPI_T_event_registration handle,
                       MPI_T_cb_safety safety, void *data)
{
    struct heard *pair = data;
    int me = handle == pair[1].handle;
    (void)instance, (void)safety;
    pair[me].times++;
    if (!pair[!me].free_after++)
        pair[me].wrong += MPI_T_event_handle_free(pair[!me].handle, &pair[!me], on_freed)
                          != MPI_SUCCESS;
}

static void frees_another(char *in)
{
    struct heard pair[2] = { { .times = 0 } };
    for (int i = 0; i < 2; i++) {
        listen(&pair[i], "unexpected_arrived");
        RC(MPI_T_event_register_callback(pair[i].handle, MPI_T_CB_REQUIRE_THREAD_SAFE,
                                         MPI_INFO_NULL, pair, free_other), MPI_SUCCESS);
    }
    for (int i = 1; i <= 3; i++) {
        unexpected(SMALL, in);
        SAME(pair[0].times + pair[1].times, i);
        SAME(pair[0].freed + pair[1].freed, 1);
    }
    stop(&pair[pair[0].freed]);
}

static void count_event(MPI_T_event_instance instance, MPI_T_event_registration handle,
                        MPI_T_cb_safety safety, void *data)
{
    struct heard *pair = data;
    (void)instance, (void)safety;
    pair[handle == pair[1].handle].times++;
}

static void free_other_dropped(MPI_Count count, MPI_T_event_registration handle, int source,
                               MPI_T_cb_safety safety, void *data)
{
    struct heard *pair = data;
    int me = handle == pair[1].handle;
    (void)source, (void)safety;
    pair[me].wrong += count != 1;
    pair[me].free_after++;
    pair[me].wrong += MPI_T_event_handle_free(pair[!me].handle, &pair[!me], on_freed)
                      != MPI_SUCCESS;
}

/* The same where the first is told what was dropped: the other is told nothing any more. */
static void dropped_frees_another(char *in)
{
    struct heard pair[2] = { { .times = 0 } };
    for (int i = 0; i < 2; i++) {
        describe(&pair[i], "unexpected_arrived");
        RC(MPI_T_event_handle_alloc(pair[i].index, NULL, MPI_INFO_NULL, &pair[i].handle),
           MPI_SUCCESS);
        RC(MPI_T_event_set_dropped_handler(pair[i].handle, free_other_dropped), MPI_SUCCESS);
    }
    unexpected(SMALL, in);
    for (int i = 0; i < 2; i++)
        RC(MPI_T_event_register_callback(pair[i].handle, MPI_T_CB_REQUIRE_THREAD_SAFE,
                                         MPI_INFO_NULL, pair, count_event), MPI_SUCCESS);
    unexpected(SMALL, in);
    SAME(pair[0].free_after + pair[1].free_after, 1);
    SAME(pair[0].freed + pair[1].freed, 1);
    SAME(pair[pair[0].freed].times, 1);
    SAME(pair[!pair[0].freed].times, 0);
    SAME(pair[!pair[0].freed].wrong, 0);
    stop(&pair[pair[0].freed]);
}

/* No more elements are described than there is room for. */
static void little_room(void)
{
    struct heard h;
    int elements = 1;
    MPI_Aint place[2] = { -1, -1 };
    MPI_Datatype type[2] = { MPI_DATATYPE_NULL, MPI_DATATYPE_NULL };
    describe(&h, "unexpected_arrived");
    RC(MPI_T_event_get_info(h.index, NULL, NULL, NULL, type, place, &elements, NULL, NULL, NULL,
                            NULL, NULL), MPI_SUCCESS);
    SAME(elements, h.elements);
    CHECK(type[0] == h.type[0] && type[1] == MPI_DATATYPE_NULL);
    CHECK(place[0] == 0 && place[1] == -1);
}

/* What an event says of itself: its elements are numbered as they are named here. */
static const struct { const char *name, *elements; } table[] = {
    { "unexpected_arrived", "context source tag bytes queue " },
    { "unexpected_matched", "context source tag bytes queue " },
    { "rendezvous_begun", "context source tag peer protocol bytes " },
    { "rendezvous_ended", "context source tag peer protocol bytes " },
    { "message_truncated", "context source tag bytes " },
    { "send_delayed", "peer bytes queue " },
};
enum { EVENTS = sizeof table / sizeof *table };

static void one_event(int i)
{
    char name[64], text[256], elements[256] = "", kind[32];
    int name_length = sizeof name, length = sizeof text, kind_length = sizeof kind;
    int index = -1, items = 0, value;
    MPI_T_enum e;
    RC(MPI_T_event_get_index(table[i].name, &index), MPI_SUCCESS);
    RC(MPI_T_event_get_info(index, name, &name_length, NULL, NULL, NULL, NULL, &e, NULL, text,
                            &length, NULL), MPI_SUCCESS);
    CHECK(!strcmp(name, table[i].name));
    SAME(name_length, strlen(name) + 1);
    SAME(length, strlen(text) + 1);
    CHECK(strchr(text, ' '));
    RC(MPI_T_enum_get_info(e, &items, kind, &kind_length), MPI_SUCCESS);
    CHECK(!strcmp(kind, "elements"));
    for (int item = 0; item < items; item++) {
        length = sizeof name;
        RC(MPI_T_enum_get_item(e, item, &value, name, &length), MPI_SUCCESS);
        SAME(value, item);
        strcat(strcat(elements, name), " ");
    }
    CHECK(!strcmp(elements, table[i].elements));
}

static void tables(void)
{
    static const char *const clocks[] = { "live", "model" };
    int n = 0;
    RC(MPI_T_event_get_num(&n), MPI_SUCCESS);
    SAME(n, EVENTS);
    for (int i = 0; i < n; i++)
        one_event(i);
    for (int i = 0; i < 2; i++) {
        char name[32], text[128];
        int length = sizeof name, text_length = sizeof text, keys = -1;
        MPI_T_source_order order;
        MPI_Count ticks, most;
        MPI_Info info;
        RC(MPI_T_source_get_info(i, name, &length, text, &text_length, &order, &ticks, &most,
                                 &info), MPI_SUCCESS);
        CHECK(!strcmp(name, clocks[i]) && strstr(text, "clock"));
        SAME(order, i ? MPI_T_SOURCE_UNORDERED : MPI_T_SOURCE_ORDERED);
        SAME(ticks, i ? 1000000000000 : 1000000000);
        OK(MPI_Info_get_nkeys(info, &keys));
        SAME(keys, 0);
        OK(MPI_Info_free(&info));
    }
}

static void wrong(void)
{
    MPI_T_event_registration r;
    int n = -1, number_of_sources = -1;
    MPI_Info info;
    MPI_Count t;
    RC(MPI_T_event_get_num(&n), MPI_SUCCESS);
    CHECK(n >= 5);
    RC(MPI_T_event_handle_alloc(n, NULL, MPI_INFO_NULL, &r), MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_event_get_index("nothing", &n), MPI_T_ERR_INVALID_NAME);
    RC(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &r), MPI_SUCCESS);
    RC(MPI_T_event_register_callback(r, (MPI_T_cb_safety)-1, MPI_INFO_NULL, NULL, on_event),
       MPI_T_ERR_INVALID);
    RC(MPI_T_event_handle_free(r, NULL, NULL), MPI_SUCCESS);
    RC(MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_event),
       MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_event_set_dropped_handler(r, on_dropped), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_event_handle_set_info(r, MPI_INFO_NULL), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_source_get_num(&number_of_sources), MPI_SUCCESS);
    SAME(number_of_sources, 2);
    RC(MPI_T_event_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
       MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_event_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
       MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_event_get_index("send_delayed", NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_event_handle_get_info(r, &info), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_event_callback_set_info(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL),
       MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_source_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
       MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_source_get_timestamp(2, &t), MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_source_get_info(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
       MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_source_get_timestamp(-1, &t), MPI_T_ERR_INVALID_INDEX);
}

int main(int argc, char **argv)
{
    int provided, index, count;
    struct heard early = { .times = 0 };
    char *in = t_alloc(LONG_BYTES);
    RC(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    listen(&early, "rendezvous_begun");         /* MPI_Init comes later */
    t_start(&argc, &argv);
    RC(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    RC(MPI_T_pvar_get_index("unexpected_queue", MPI_T_PVAR_CLASS_LEVEL, &index), MPI_SUCCESS);
    RC(MPI_T_pvar_handle_alloc(session, index, NULL, &queue, &count), MPI_SUCCESS);
    begin_meetings();
    unexpected(LONG_BYTES, in);
    SAME(early.times, 1);
    stop(&early);
    sources();
    matching(in);
    rendezvous(in);
    other_communicator(in);
    drops(in);
    frees_itself(in);
    frees_another(in);
    dropped_frees_another(in);
    little_room();
    tables();
    wrong();
    end_meetings();
    free(in);
    t_end();
    RC(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
