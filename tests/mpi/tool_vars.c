/* The tool interface's variables and categories: what there is before MPI_Init, values that are set
 * there and hold afterwards, counters that say how many messages were sent while they ran, and what
 * is left after MPI_Finalize. */
#include <stdbool.h>

#include "t.h"

/* The program has no error handler called: return codes are compared as they are. */
#define RC(call, code) SAME(call, code)

enum { TEXT = 2048, LIMIT = 1234, MESSAGES = 25 };

static int provided;
static MPI_T_pvar_session session;

/* -- control variables */

static int cvar(const char *name)
{
    int index = -1;
    RC(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
    return index;
}

static MPI_T_cvar_handle cvar_handle(const char *name, int want_count)
{
    MPI_T_cvar_handle h;
    int count = -1;
    RC(MPI_T_cvar_handle_alloc(cvar(name), NULL, &h, &count), MPI_SUCCESS);
    if (want_count)
        SAME(count, want_count);
    return h;
}

static void check_enum(MPI_T_enum e)
{
    char name[64], item[64];
    int items = 0, value, length = sizeof name;
    RC(MPI_T_enum_get_info(e, &items, name, &length), MPI_SUCCESS);
    CHECK(items >= 2 && *name);
    for (int i = 0; i < items; i++) {
        length = sizeof item;
        RC(MPI_T_enum_get_item(e, i, &value, item, &length), MPI_SUCCESS);
        SAME(value, i);
        SAME(length, strlen(item) + 1);
    }
    RC(MPI_T_enum_get_item(e, items, &value, item, &length), MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_enum_get_item(e, -1, &value, item, &length), MPI_T_ERR_INVALID_INDEX);
}

static void one_cvar(int i)
{
    char name[64], text[TEXT], value[TEXT];
    int name_len = sizeof name, text_len = sizeof text, verbosity, bind, scope, count, found;
    MPI_Datatype type;
    MPI_T_enum e;
    MPI_T_cvar_handle h;
    RC(MPI_T_cvar_get_info(i, name, &name_len, &verbosity, &type, &e, text, &text_len, &bind,
                           &scope), MPI_SUCCESS);
    SAME(name_len, strlen(name) + 1);
    CHECK(text_len > 1 && text_len < TEXT);
    SAME(bind, MPI_T_BIND_NO_OBJECT);
    CHECK(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ);
    CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
    RC(MPI_T_cvar_get_index(name, &found), MPI_SUCCESS);
    SAME(found, i);
    RC(MPI_T_cvar_handle_alloc(i, NULL, &h, &count), MPI_SUCCESS);
    CHECK(count == 1 || type == MPI_CHAR);
    CHECK(count <= TEXT);
    RC(MPI_T_cvar_read(h, value), MPI_SUCCESS);
    if (e != MPI_T_ENUM_NULL) {
        CHECK(type == MPI_INT);
        check_enum(e);
    }
    RC(MPI_T_cvar_handle_free(&h), MPI_SUCCESS);
    CHECK(h == MPI_T_CVAR_HANDLE_NULL);
}

/* What a variable says of itself, by the name of one of its kind. */
static void cvar_says(const char *name, int want_verbosity, int want_scope, MPI_Datatype want_type)
{
    int verbosity = -1, scope = -1;
    MPI_Datatype type;
    RC(MPI_T_cvar_get_info(cvar(name), NULL, NULL, &verbosity, &type, NULL, NULL, NULL, NULL,
                           &scope), MPI_SUCCESS);
    SAME(verbosity, want_verbosity);
    SAME(scope, want_scope);
    CHECK(type == want_type);
}

static void cvars_say(void)
{
    const int trial = MPI_T_VERBOSITY_TUNER_DETAIL, rank = MPI_T_VERBOSITY_MPIDEV_BASIC;
    cvar_says("MPILITE_EAGER", trial, MPI_T_SCOPE_LOCAL, MPI_INT);
    cvar_says("MPILITE_COLL", trial, MPI_T_SCOPE_ALL_EQ, MPI_INT);
    cvar_says("MPILITE_STATS", MPI_T_VERBOSITY_USER_BASIC, MPI_T_SCOPE_LOCAL, MPI_CHAR);
    cvar_says("MPILITE_CC", MPI_T_VERBOSITY_USER_BASIC, MPI_T_SCOPE_CONSTANT, MPI_CHAR);
    cvar_says("NICEMU_RANK", rank, MPI_T_SCOPE_CONSTANT, MPI_CHAR);
}

/* Strings are cut, and their length said, as the standard wants it. */
static void strings(void)
{
    char name[64], part[5] = "xxxx";
    int whole = sizeof name, length = 4, zero = 0;
    RC(MPI_T_cvar_get_info(0, name, &whole, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
    RC(MPI_T_cvar_get_info(0, part, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
       MPI_SUCCESS);
    SAME(length, whole);
    CHECK(!strncmp(part, name, 3) && !part[3]);
    RC(MPI_T_cvar_get_info(0, part, &zero, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
    SAME(zero, whole);
    RC(MPI_T_cvar_get_info(0, part, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
}

/* What the environment says is told as it is; a value that makes no sense as if there were none. */
static void as_set(MPI_T_cvar_handle eager, MPI_T_cvar_handle coll)
{
    static const struct { const char *text; int number; } numbers[] = {
        { "0", 0 }, { "77", 77 }, { "2147483647", 2147483647 }, { "2147483648", -1 }, { "-5", -1 },
        { "12 lines", -1 }, { "", -1 },
    };
    int value;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        setenv("MPILITE_EAGER", numbers[i].text, 1);
        RC(MPI_T_cvar_read(eager, &value), MPI_SUCCESS);
        SAME(value, numbers[i].number);
    }
    setenv("MPILITE_COLL", "packets", 1);
    RC(MPI_T_cvar_read(coll, &value), MPI_SUCCESS);
    SAME(value, 1);
    setenv("MPILITE_COLL", "letters", 1);
    RC(MPI_T_cvar_read(coll, &value), MPI_SUCCESS);
    SAME(value, 0);
    unsetenv("MPILITE_COLL");
}

/* What the words of a choice are called. */
static void words(void)
{
    static const char *const names[] = { "default", "packets" };
    MPI_T_enum e;
    char name[16];
    int length = sizeof name;
    RC(MPI_T_cvar_get_info(cvar("MPILITE_COLL"), NULL, NULL, NULL, NULL, &e, NULL, NULL, NULL,
                           NULL), MPI_SUCCESS);
    RC(MPI_T_enum_get_info(e, NULL, name, &length), MPI_SUCCESS);
    CHECK(!strcmp(name, "choice"));
    for (int i = 0; i < 2; i++) {
        length = sizeof name;
        RC(MPI_T_enum_get_item(e, i, NULL, name, &length), MPI_SUCCESS);
        CHECK(!strcmp(name, names[i]));
    }
}

/* A text has as many characters as the handle says, the last of which ends it. */
static void texts(MPI_T_cvar_handle stats)
{
    enum { COUNT = 1024 };
    char text[TEXT], got[TEXT];
    RC(MPI_T_cvar_handle_free(&stats), MPI_SUCCESS);
    stats = cvar_handle("MPILITE_STATS", COUNT);
    memset(text, 'x', sizeof text);
    RC(MPI_T_cvar_write(stats, text), MPI_T_ERR_INVALID);       /* it does not end in time */
    text[COUNT - 1] = '\0';
    RC(MPI_T_cvar_write(stats, text), MPI_SUCCESS);
    memset(got, 'y', sizeof got);
    RC(MPI_T_cvar_read(stats, got), MPI_SUCCESS);
    CHECK(!strcmp(got, text));
    SAME(got[COUNT], 'y');
    unsetenv("MPILITE_STATS");
    RC(MPI_T_cvar_read(stats, got), MPI_SUCCESS);
    SAME(got[0], 0);
    RC(MPI_T_cvar_handle_free(&stats), MPI_SUCCESS);
}

static void cvars_before(void)
{
    MPI_T_cvar_handle eager = cvar_handle("MPILITE_EAGER", 1),
        coll = cvar_handle("MPILITE_COLL", 1);
    MPI_T_cvar_handle rank = cvar_handle("NICEMU_RANK", 0), stats = cvar_handle("MPILITE_STATS", 0);
    int n = -1, value = LIMIT, choice;
    char text[TEXT] = "whatever";
    RC(MPI_T_cvar_get_num(&n), MPI_SUCCESS);
    CHECK(n > 20);
    for (int i = 0; i < n; i++)
        one_cvar(i);
    strings();
    cvars_say();
    as_set(eager, coll);
    words();
    texts(cvar_handle("MPILITE_STATS", 0));
    RC(MPI_T_cvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
       MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_cvar_get_index("MPILITE_NONE", &choice), MPI_T_ERR_INVALID_NAME);
    RC(MPI_T_cvar_write(eager, &value), MPI_SUCCESS);
    value = 0;
    RC(MPI_T_cvar_read(eager, &value), MPI_SUCCESS);
    SAME(value, LIMIT);
    value = -2;
    RC(MPI_T_cvar_write(eager, &value), MPI_T_ERR_INVALID);
    value = -1;                                     /* as if nobody had set it */
    RC(MPI_T_cvar_write(eager, &value), MPI_SUCCESS);
    CHECK(!getenv("MPILITE_EAGER"));
    value = 7;
    RC(MPI_T_cvar_read(eager, &value), MPI_SUCCESS);
    SAME(value, -1);
    value = LIMIT;
    RC(MPI_T_cvar_write(eager, &value), MPI_SUCCESS);
    choice = 1;                                     /* packets */
    RC(MPI_T_cvar_write(coll, &choice), MPI_SUCCESS);
    CHECK(!strcmp(getenv("MPILITE_COLL"), "packets"));
    choice = 2;
    RC(MPI_T_cvar_write(coll, &choice), MPI_T_ERR_INVALID);
    choice = 0;
    RC(MPI_T_cvar_write(coll, &choice), MPI_SUCCESS);
    CHECK(!getenv("MPILITE_COLL"));
    RC(MPI_T_cvar_write(rank, text), MPI_T_ERR_CVAR_SET_NEVER);
    strcpy(text, "off");
    RC(MPI_T_cvar_write(stats, text), MPI_SUCCESS);
    CHECK(!strcmp(getenv("MPILITE_STATS"), "off"));
    RC(MPI_T_cvar_read(stats, NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_cvar_handle_free(&rank), MPI_SUCCESS);
    RC(MPI_T_cvar_read(rank, text), MPI_T_ERR_INVALID_HANDLE);
}

static void cvars_after(void)
{
    MPI_T_cvar_handle eager = cvar_handle("MPILITE_EAGER", 1);
    MPI_T_cvar_handle stats = cvar_handle("MPILITE_STATS", 0);
    int value = 77;
    char text[TEXT] = "";
    RC(MPI_T_cvar_write(eager, &value), MPI_T_ERR_CVAR_SET_NEVER);
    RC(MPI_T_cvar_read(eager, &value), MPI_SUCCESS);
    SAME(value, LIMIT);
    RC(MPI_T_cvar_write(stats, text), MPI_SUCCESS);
    CHECK(!getenv("MPILITE_STATS"));
}

/* -- performance variables */

static MPI_T_pvar_handle pvar(MPI_T_pvar_session in, const char *name, int class)
{
    MPI_T_pvar_handle h = MPI_T_PVAR_HANDLE_NULL;
    int index = -1, count = -1;
    RC(MPI_T_pvar_get_index(name, class, &index), MPI_SUCCESS);
    RC(MPI_T_pvar_handle_alloc(in, index, NULL, &h, &count), MPI_SUCCESS);
    SAME(count, 1);
    return h;
}

static unsigned long long count_of(MPI_T_pvar_handle h)
{
    unsigned long long value = 12345678;
    RC(MPI_T_pvar_read(session, h, &value), MPI_SUCCESS);
    return value;
}

static void one_pvar(int i)
{
    char name[64], text[TEXT];
    int name_len = sizeof name, text_len = sizeof text, verbosity, class, bind, found;
    int readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum e;
    RC(MPI_T_pvar_get_info(i, name, &name_len, &verbosity, &class, &type, &e, text, &text_len,
                           &bind, &readonly, &continuous, &atomic), MPI_SUCCESS);
    SAME(name_len, strlen(name) + 1);
    CHECK(text_len > 1 && text_len < TEXT);
    CHECK(class >= MPI_T_PVAR_CLASS_STATE && class <= MPI_T_PVAR_CLASS_GENERIC);
    CHECK(type == MPI_UNSIGNED_LONG_LONG || type == MPI_DOUBLE || type == MPI_INT);
    RC(MPI_T_pvar_get_index(name, class, &found), MPI_SUCCESS);
    SAME(found, i);
    MPI_T_pvar_handle h = pvar(session, name, class);
    union { unsigned long long u; double d; int i; } value;
    RC(MPI_T_pvar_start(session, h), continuous ? MPI_T_ERR_PVAR_NO_STARTSTOP : MPI_SUCCESS);
    RC(MPI_T_pvar_read(session, h, &value), MPI_SUCCESS);
    RC(MPI_T_pvar_reset(session, h), readonly ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS);
    RC(MPI_T_pvar_readreset(session, h, &value), atomic ? MPI_SUCCESS : MPI_T_ERR_PVAR_NO_ATOMIC);
    RC(MPI_T_pvar_stop(session, h), continuous ? MPI_T_ERR_PVAR_NO_STARTSTOP : MPI_SUCCESS);
    RC(MPI_T_pvar_handle_free(session, &h), MPI_SUCCESS);
    CHECK(h == MPI_T_PVAR_HANDLE_NULL);
}

static void all_pvars(void)
{
    int n = 0;
    RC(MPI_T_pvar_get_num(&n), MPI_SUCCESS);
    CHECK(n > 80);
    for (int i = 0; i < n; i++)
        one_pvar(i);
    RC(MPI_T_pvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                           NULL), MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_pvar_get_index("eager_sent", MPI_T_PVAR_CLASS_TIMER, &n), MPI_T_ERR_INVALID_NAME);
}

/* What a variable is in, and for whom it is, stands with it. */
static void pvar_says(void)
{
    static const struct { const char *name; int class; const char *unit; } units[] = {
        { "bytes_sent", MPI_T_PVAR_CLASS_COUNTER, "bytes" },
        { "elapsed", MPI_T_PVAR_CLASS_TIMER, "seconds" },
        { "mpi_state", MPI_T_PVAR_CLASS_STATE, NULL },
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char text[TEXT];
        int index, length = sizeof text, verbosity = -1, bind = -1;
        RC(MPI_T_pvar_get_index(units[i].name, units[i].class, &index), MPI_SUCCESS);
        RC(MPI_T_pvar_get_info(index, NULL, NULL, &verbosity, NULL, NULL, NULL, text, &length,
                               &bind, NULL, NULL, NULL), MPI_SUCCESS);
        SAME(verbosity, MPI_T_VERBOSITY_TUNER_BASIC);
        SAME(bind, MPI_T_BIND_NO_OBJECT);
        const char *in = strstr(text, ", in ");
        CHECK(units[i].unit ? in && !strcmp(in + 5, units[i].unit) : !in);
    }
}

/* To the next rank in the ring, by as many receives. */
static void messages(int count)
{
    int out = t_rank, in;
    MPI_Request r[2];
    for (int i = 0; i < count; i++) {
        OK(MPI_Irecv(&in, 1, MPI_INT, t_prev(), 5, MPI_COMM_WORLD, &r[0]));
        OK(MPI_Isend(&out, 1, MPI_INT, t_next(), 5, MPI_COMM_WORLD, &r[1]));
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        SAME(in, t_prev());
    }
}

static void counters(void)
{
    MPI_T_pvar_handle sent = pvar(session, "eager_sent", MPI_T_PVAR_CLASS_COUNTER), other;
    MPI_T_pvar_session second;
    unsigned long long value;
    messages(2);
    SAME(count_of(sent), 0);                /* not started */
    RC(MPI_T_pvar_start(session, sent), MPI_SUCCESS);
    messages(MESSAGES);
    SAME(count_of(sent), MESSAGES);
    RC(MPI_T_pvar_start(session, sent), MPI_SUCCESS);       /* it runs: nothing is forgotten */
    SAME(count_of(sent), MESSAGES);
    RC(MPI_T_pvar_session_create(&second), MPI_SUCCESS);
    other = pvar(second, "eager_sent", MPI_T_PVAR_CLASS_COUNTER);
    RC(MPI_T_pvar_start(second, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    messages(3);
    RC(MPI_T_pvar_stop(session, sent), MPI_SUCCESS);
    messages(4);
    SAME(count_of(sent), MESSAGES + 3);
    RC(MPI_T_pvar_read(second, other, &value), MPI_SUCCESS);
    SAME(value, 7);
    RC(MPI_T_pvar_read(session, other, &value), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_pvar_start(session, sent), MPI_SUCCESS);
    messages(1);
    SAME(count_of(sent), MESSAGES + 4);     /* goes on from there */
    RC(MPI_T_pvar_readreset(session, sent, &value), MPI_SUCCESS);
    SAME(value, MESSAGES + 4);
    messages(2);
    SAME(count_of(sent), 2);
    value = 1000;
    RC(MPI_T_pvar_write(session, sent, &value), MPI_SUCCESS);
    messages(2);
    SAME(count_of(sent), 1002);
    RC(MPI_T_pvar_session_free(&second), MPI_SUCCESS);
    RC(MPI_T_pvar_read(second, other, &value), MPI_T_ERR_INVALID_SESSION);
    RC(MPI_T_pvar_read(session, other, &value), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    SAME(count_of(sent), 0);
}

/* What has gaps is no longer for them: it travels with its envelope up to the limit. */
static void gaps(void)
{
    enum { BLOCKS = LIMIT / 8 };
    static double out[2 * (BLOCKS + 1)], in[2 * (BLOCKS + 1)];
    MPI_T_pvar_handle sent = pvar(session, "eager_sent", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle met = pvar(session, "rendezvous_sent", MPI_T_PVAR_CLASS_COUNTER);
    RC(MPI_T_pvar_start(session, sent), MPI_SUCCESS);
    RC(MPI_T_pvar_start(session, met), MPI_SUCCESS);
    for (int more = 0; more <= 1; more++) {
        MPI_Datatype t;
        MPI_Request r;
        OK(MPI_Type_vector(BLOCKS + more, 1, 2, MPI_DOUBLE, &t));
        OK(MPI_Type_commit(&t));
        OK(MPI_Irecv(in, 1, t, t_prev(), 6, MPI_COMM_WORLD, &r));
        OK(MPI_Send(out, 1, t, t_next(), 6, MPI_COMM_WORLD));
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        OK(MPI_Type_free(&t));
        SAME(count_of(sent), 1);
        SAME(count_of(met), more);
    }
}

static void levels(void)
{
    MPI_T_pvar_handle posted = pvar(session, "posted_queue", MPI_T_PVAR_CLASS_LEVEL);
    MPI_T_pvar_handle most = pvar(session, "posted_queue_max", MPI_T_PVAR_CLASS_HIGHWATERMARK);
    MPI_T_pvar_handle limit = pvar(session, "eager_limit", MPI_T_PVAR_CLASS_SIZE);
    MPI_T_pvar_handle state = pvar(session, "mpi_state", MPI_T_PVAR_CLASS_STATE);
    MPI_T_pvar_handle share = pvar(session, "sends_short_share", MPI_T_PVAR_CLASS_PERCENTAGE);
    MPI_T_pvar_handle timer = pvar(session, "elapsed", MPI_T_PVAR_CLASS_TIMER);
    unsigned long long before = count_of(posted);
    double part = -1, seconds = -1, again = -1;
    int in[5], now = -1;
    MPI_Request r[5];
    for (int i = 0; i < 5; i++)
        OK(MPI_Irecv(&in[i], 1, MPI_INT, t_prev(), 1000 + i, MPI_COMM_WORLD, &r[i]));
    while (count_of(posted) < before + 5)           /* the NIC's thread may be about to take them */
        OK(MPI_Iprobe(t_prev(), 999, MPI_COMM_WORLD, &now, MPI_STATUS_IGNORE));
    SAME(count_of(posted), before + 5);
    CHECK(count_of(most) >= 5);
    for (int i = 0; i < 5; i++) {
        OK(MPI_Cancel(&r[i]));
        OK(MPI_Wait(&r[i], MPI_STATUS_IGNORE));
    }
    SAME(count_of(posted), before);
    SAME(count_of(limit), LIMIT);
    RC(MPI_T_pvar_read(session, state, &now), MPI_SUCCESS);
    SAME(now, 1);
    RC(MPI_T_pvar_read(session, share, &part), MPI_SUCCESS);
    CHECK(part >= 0 && part <= 1);
    RC(MPI_T_pvar_start(session, timer), MPI_SUCCESS);
    RC(MPI_T_pvar_read(session, timer, &seconds), MPI_SUCCESS);
    messages(1);
    RC(MPI_T_pvar_stop(session, timer), MPI_SUCCESS);
    RC(MPI_T_pvar_read(session, timer, &again), MPI_SUCCESS);
    CHECK(seconds >= 0 && again >= seconds && again < 1e6);
}

static double real(MPI_T_pvar_handle h)
{
    double value = -1;
    RC(MPI_T_pvar_read(session, h, &value), MPI_SUCCESS);
    return value;
}

/* In seconds of MPI_Wtime; what is written is where it goes on from. */
static void timer(void)
{
    MPI_T_pvar_handle h = pvar(session, "elapsed", MPI_T_PVAR_CLASS_TIMER);
    const double clocks_apart = 1e-6, from = 5.25;
    double before = MPI_Wtime(), after, last, end, value = from;
    RC(MPI_T_pvar_start(session, h), MPI_SUCCESS);
    after = MPI_Wtime();
    messages(MESSAGES);
    last = MPI_Wtime();
    RC(MPI_T_pvar_stop(session, h), MPI_SUCCESS);
    end = MPI_Wtime();
    CHECK(real(h) > 0);
    CHECK(real(h) >= last - after - clocks_apart && real(h) <= end - before + clocks_apart);
    RC(MPI_T_pvar_write(session, h, &value), MPI_SUCCESS);
    CHECK(real(h) == from);
    RC(MPI_T_pvar_start(session, h), MPI_SUCCESS);
    CHECK(real(h) >= from);
    RC(MPI_T_pvar_handle_free(session, &h), MPI_SUCCESS);
}

/* Between two looks at what it is the share of.  sent, fast: handles that have counted everything
 * since before MPI_Init. */
static void share(MPI_T_pvar_handle sent, MPI_T_pvar_handle fast)
{
    const double rounded = 1e-5;
    MPI_T_pvar_handle h = pvar(session, "sends_short_share", MPI_T_PVAR_CLASS_PERCENTAGE);
    messages(MESSAGES);
    double fast_before = (double)count_of(fast), before = (double)count_of(sent), part = real(h),
        fast_after = (double)count_of(fast), after = (double)count_of(sent);
    CHECK(before > 0 && fast_before <= before);
    CHECK(part >= fast_before / after - rounded && part <= fast_after / before + rounded);
    RC(MPI_T_pvar_handle_free(session, &h), MPI_SUCCESS);
}

/* -- categories: each variable and event stands in one, and all of them hang below one */

enum { MOST = 512 };
typedef int get_fn(int category, int room, int indices[]);

static int total;

static void walk(get_fn *get, int category, int declared, int seen[MOST], int size)
{
    int member[MOST + 1];
    member[declared] = -7;
    RC(get(category, declared, member), MPI_SUCCESS);
    SAME(member[declared], -7);
    if (declared > 0) {                             /* as many as there is room for */
        int first = member[declared - 1];
        member[declared - 1] = -7;
        RC(get(category, declared - 1, member), MPI_SUCCESS);
        SAME(member[declared - 1], -7);
        member[declared - 1] = first;
    }
    for (int i = 0; i < declared; i++) {
        CHECK(member[i] >= 0 && member[i] < size);
        SAME(seen[member[i]]++, 0);
        total++;
    }
}

static void categories(void)
{
    static int cvars[MOST], pvars[MOST], events[MOST], below[MOST];
    int n, num_cvar, num_pvar, num_event, c, p, k, e, stamp, later, index;
    RC(MPI_T_category_get_num(&n), MPI_SUCCESS);
    RC(MPI_T_cvar_get_num(&num_cvar), MPI_SUCCESS);
    RC(MPI_T_pvar_get_num(&num_pvar), MPI_SUCCESS);
    RC(MPI_T_event_get_num(&num_event), MPI_SUCCESS);
    RC(MPI_T_category_changed(&stamp), MPI_SUCCESS);
    for (int i = 0; i < n; i++) {
        char name[64], text[TEXT];
        int name_len = sizeof name, text_len = sizeof text;
        RC(MPI_T_category_get_info(i, name, &name_len, text, &text_len, &c, &p, &k), MPI_SUCCESS);
        RC(MPI_T_category_get_num_events(i, &e), MPI_SUCCESS);
        CHECK(*name && *text && c + p + k + e > 0);
        RC(MPI_T_category_get_index(name, &index), MPI_SUCCESS);
        SAME(index, i);
        walk(MPI_T_category_get_cvars, i, c, cvars, num_cvar);
        walk(MPI_T_category_get_pvars, i, p, pvars, num_pvar);
        walk(MPI_T_category_get_events, i, e, events, num_event);
        walk(MPI_T_category_get_categories, i, k, below, n);
    }
    SAME(total, num_cvar + num_pvar + num_event + n - 1);
    RC(MPI_T_category_changed(&later), MPI_SUCCESS);
    SAME(later, stamp);
    RC(MPI_T_category_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
       MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_category_get_pvars(-1, 0, NULL), MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_category_get_index("none", &index), MPI_T_ERR_INVALID_NAME);
}

static bool holds(const char *category, get_fn *get, int index)
{
    int place = -1, member[MOST];
    for (int i = 0; i < MOST; i++)
        member[i] = -1;
    RC(MPI_T_category_get_index(category, &place), MPI_SUCCESS);
    RC(get(place, MOST, member), MPI_SUCCESS);
    for (int i = 0; i < MOST && member[i] >= 0; i++)
        if (member[i] == index)
            return true;
    return false;
}

/* Each where a user would look for it. */
static void places(void)
{
    static const struct { const char *category, *name; int class; } pvars[] = {
        { "job", "mpi_state", MPI_T_PVAR_CLASS_STATE },
        { "job", "sends_short_share", MPI_T_PVAR_CLASS_PERCENTAGE },
        { "nic", "packets_sent", MPI_T_PVAR_CLASS_COUNTER },
        { "nic_memory", "scratchpad_buffers", MPI_T_PVAR_CLASS_HIGHWATERMARK },
        { "matching", "posted_queue", MPI_T_PVAR_CLASS_LEVEL },
        { "matching", "unexpected_queue", MPI_T_PVAR_CLASS_LEVEL },
        { "protocols", "eager_sent", MPI_T_PVAR_CLASS_COUNTER },
        { "protocols", "truncations", MPI_T_PVAR_CLASS_COUNTER },
        { "sending", "sends_delayed", MPI_T_PVAR_CLASS_COUNTER },
        { "job", "elapsed", MPI_T_PVAR_CLASS_TIMER },
        { "job", "eager_limit", MPI_T_PVAR_CLASS_SIZE },
        { "protocols", "rendezvous_sent", MPI_T_PVAR_CLASS_COUNTER },
    };
    static const struct { const char *above, *below; } tree[] = {
        { "mpilite", "environment" }, { "mpilite", "job" }, { "mpilite", "nic" },
        { "environment", "environment_user" }, { "environment", "environment_trial" },
        { "environment", "environment_rank" }, { "nic", "nic_memory" },
        { "firmware", "matching" }, { "firmware", "protocols" }, { "firmware", "sending" },
        { "firmware", "collectives" }, { "firmware", "one_sided" }, { "firmware", "dropped" },
    };
    static const struct { const char *category, *name; } events[] = {
        { "matching", "unexpected_arrived" }, { "matching", "unexpected_matched" },
        { "protocols", "rendezvous_begun" }, { "protocols", "rendezvous_ended" },
        { "protocols", "message_truncated" }, { "sending", "send_delayed" },
    }, cvars[] = {
        { "environment_user", "MPILITE_STATS" }, { "environment_trial", "MPILITE_EAGER" },
        { "environment_rank", "NICEMU_RANK" },
    };
    int index = -1;
    for (size_t i = 0; i < sizeof pvars / sizeof *pvars; i++) {
        RC(MPI_T_pvar_get_index(pvars[i].name, pvars[i].class, &index), MPI_SUCCESS);
        CHECK(holds(pvars[i].category, MPI_T_category_get_pvars, index));
    }
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        RC(MPI_T_event_get_index(events[i].name, &index), MPI_SUCCESS);
        CHECK(holds(events[i].category, MPI_T_category_get_events, index));
    }
    for (size_t i = 0; i < sizeof cvars / sizeof *cvars; i++)
        CHECK(holds(cvars[i].category, MPI_T_category_get_cvars, cvar(cvars[i].name)));
    RC(MPI_T_category_get_index("firmware", &index), MPI_SUCCESS);
    CHECK(holds("mpilite", MPI_T_category_get_categories, index));
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++) {
        RC(MPI_T_category_get_index(tree[i].below, &index), MPI_SUCCESS);
        CHECK(holds(tree[i].above, MPI_T_category_get_categories, index));
    }
}

/* Of what is left out of the table above the beginning of the name says where it is. */
static void beginnings(void)
{
    static const struct { const char *category, *begins; } all[] = {
        { "matching", "matches" }, { "matching", "misses" }, { "matching", "cancels" },
        { "protocols", "sync_sent" }, { "protocols", "bytes_staged" },
        { "protocols", "slots_emptied" }, { "protocols", "copy_failures" },
        { "sending", "sends_withdrawn" }, { "sending", "messages_withdrawn" },
        { "collectives", "collectives_" }, { "collectives", "steps_" },
        { "one_sided", "one_sided_" }, { "dropped", "strays_" }, { "nic_memory", "heap" },
    };
    int n = 0;
    RC(MPI_T_pvar_get_num(&n), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int found = 0;
        for (int k = 0; k < n; k++) {
            char name[64];
            int length = sizeof name;
            RC(MPI_T_pvar_get_info(k, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                   NULL, NULL, NULL), MPI_SUCCESS);
            if (strncmp(name, all[i].begins, strlen(all[i].begins)))
                continue;
            CHECK(holds(all[i].category, MPI_T_category_get_pvars, k));
            found++;
        }
        CHECK(found);
    }
}

/* Arguments that point nowhere, and places where nothing is. */
static void nowhere(void)
{
    char name[8];
    int n = sizeof name, index = -1;
    MPI_T_cvar_handle h;
    MPI_T_pvar_handle p;
    RC(MPI_T_cvar_get_num(NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_cvar_get_index(NULL, &n), MPI_T_ERR_INVALID);
    RC(MPI_T_cvar_get_index("MPILITE_EAGER", NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_cvar_handle_alloc(0, NULL, NULL, &n), MPI_T_ERR_INVALID);
    RC(MPI_T_cvar_handle_alloc(0, NULL, &h, NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_cvar_handle_alloc(-1, NULL, &h, &n), MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_cvar_handle_free(NULL), MPI_T_ERR_INVALID_HANDLE);
    h = MPI_T_CVAR_HANDLE_NULL;
    RC(MPI_T_cvar_handle_free(&h), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_cvar_write(h, &n), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_pvar_get_num(NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_pvar_get_index("eager_sent", MPI_T_PVAR_CLASS_COUNTER, NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_pvar_session_create(NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_pvar_handle_alloc(session, -1, NULL, &p, &n), MPI_T_ERR_INVALID_INDEX);
    RC(MPI_T_pvar_handle_alloc(session, 0, NULL, NULL, &n), MPI_T_ERR_INVALID);
    RC(MPI_T_pvar_handle_alloc(session, 0, NULL, &p, NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_pvar_handle_alloc(MPI_T_PVAR_SESSION_NULL, 0, NULL, &p, &n),
       MPI_T_ERR_INVALID_SESSION);
    RC(MPI_T_pvar_handle_free(session, NULL), MPI_T_ERR_INVALID_HANDLE);
    p = MPI_T_PVAR_HANDLE_NULL;
    RC(MPI_T_pvar_handle_free(session, &p), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_pvar_read(session, p, NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_pvar_session_free(NULL), MPI_T_ERR_INVALID_SESSION);
    RC(MPI_T_pvar_start(MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_ALL_HANDLES),
       MPI_T_ERR_INVALID_SESSION);
    RC(MPI_T_category_get_num(NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_category_get_index(NULL, &n), MPI_T_ERR_INVALID);
    RC(MPI_T_category_get_index("job", NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_category_get_cvars(0, -1, &n), MPI_T_ERR_INVALID);
    RC(MPI_T_category_get_cvars(0, 1, NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_category_get_cvars(0, 0, NULL), MPI_SUCCESS);
    RC(MPI_T_category_changed(NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, name, &index), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &n, name, &index), MPI_T_ERR_INVALID_HANDLE);
    RC(MPI_T_event_get_num(NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_event_get_index(NULL, &n), MPI_T_ERR_INVALID);
    RC(MPI_T_source_get_num(NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_source_get_timestamp(0, NULL), MPI_T_ERR_INVALID);
}

/* What a state is called. */
static void states(void)
{
    static const char *const names[] = { "before MPI_Init", "initialised", "finalised" };
    char name[64];
    int index, items = 0, length = sizeof name;
    MPI_T_enum e;
    RC(MPI_T_pvar_get_index("mpi_state", MPI_T_PVAR_CLASS_STATE, &index), MPI_SUCCESS);
    RC(MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, &e, NULL, NULL, NULL, NULL, NULL,
                           NULL), MPI_SUCCESS);
    RC(MPI_T_enum_get_info(e, &items, name, &length), MPI_SUCCESS);
    CHECK(!strcmp(name, "state of MPI"));
    SAME(items, 3);
    for (int i = 0; i < items; i++) {
        length = sizeof name;
        RC(MPI_T_enum_get_item(e, i, NULL, name, &length), MPI_SUCCESS);
        CHECK(!strcmp(name, names[i]));
    }
    RC(MPI_T_enum_get_item((MPI_T_enum)((char *)e + 0x10000), 0, NULL, name, &length),
       MPI_T_ERR_INVALID_HANDLE);
}

/* -- life */

static void before(void)
{
    int n;
    RC(MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    RC(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    RC(MPI_T_init_thread(MPI_THREAD_SINGLE, NULL), MPI_T_ERR_INVALID);
    RC(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    SAME(provided, MPI_THREAD_SERIALIZED);  /* as long as it is not known what MPI provides */
    RC(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    SAME(provided, MPI_THREAD_SINGLE);
    RC(MPI_T_finalize(), MPI_SUCCESS);      /* one is left */
    RC(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
}

/* With MPI the level is what MPI provides, or less if less is wanted. */
static void inside(void)
{
    int level = -1;
    OK(MPI_Query_thread(&level));
    RC(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    SAME(provided, level);
    RC(MPI_T_finalize(), MPI_SUCCESS);
    RC(MPI_T_init_thread(-1, &provided), MPI_SUCCESS);
    SAME(provided, MPI_THREAD_SINGLE);
    RC(MPI_T_finalize(), MPI_SUCCESS);
}

/* Values are what they were in MPI_Finalize, and nothing that is set would be read. */
static void after(MPI_T_pvar_handle sent, MPI_T_pvar_handle state)
{
    const struct timespec a_moment = { .tv_nsec = 1000000 };
    MPI_T_pvar_handle limit = pvar(session, "eager_limit", MPI_T_PVAR_CLASS_SIZE);
    MPI_T_pvar_handle timer = pvar(session, "elapsed", MPI_T_PVAR_CLASS_TIMER);
    MPI_T_pvar_handle short_ones = pvar(session, "sends_short_share", MPI_T_PVAR_CLASS_PERCENTAGE);
    MPI_T_cvar_handle stats = cvar_handle("MPILITE_STATS", 0);
    int now = -1, n;
    RC(MPI_T_cvar_write(stats, "off"), MPI_T_ERR_CVAR_SET_NEVER);
    SAME(count_of(limit), LIMIT);
    RC(MPI_T_pvar_start(session, timer), MPI_SUCCESS);
    nanosleep(&a_moment, NULL);
    CHECK(real(timer) == 0);
    CHECK(real(short_ones) >= 0 && real(short_ones) <= 1);
    CHECK(count_of(sent) >= MESSAGES && count_of(sent) < 1000 * MESSAGES);
    RC(MPI_T_pvar_read(session, state, &now), MPI_SUCCESS);
    SAME(now, 2);
    RC(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    RC(MPI_T_finalize(), MPI_SUCCESS);
    RC(MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    RC(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    SAME(provided, MPI_THREAD_SERIALIZED);
    RC(MPI_T_cvar_get_num(&n), MPI_SUCCESS);
    RC(MPI_T_cvar_handle_free(&stats), MPI_T_ERR_INVALID_HANDLE);   /* gone with the last user */
    RC(MPI_T_finalize(), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    before();
    cvars_before();
    all_pvars();
    MPI_T_pvar_handle sent = pvar(session, "eager_sent", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle state = pvar(session, "mpi_state", MPI_T_PVAR_CLASS_STATE);
    MPI_T_pvar_handle packets = pvar(session, "packets_sent", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle fast = pvar(session, "sends_short", MPI_T_PVAR_CLASS_COUNTER);
    RC(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    t_start(&argc, &argv);
    share(packets, fast);
    inside();
    cvars_after();
    all_pvars();
    counters();
    RC(MPI_T_pvar_start(session, sent), MPI_SUCCESS);
    messages(MESSAGES);
    gaps();
    levels();
    timer();
    pvar_says();
    categories();
    places();
    beginnings();
    nowhere();
    states();
    t_end();
    after(sent, state);
    return 0;
}
