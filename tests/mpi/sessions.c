/* sessions MODE: programs that use sessions only (only), beside MPI_Init (both), one after another
 * (again), until the process exits (exit), before MPI_Finalize, which comes as it exits (before),
 * or after it (after), and to send what nobody waits for (forgotten): sets of processes,
 * communicators and intercommunicators made of groups, error handlers, and what is wrong with their
 * arguments. */
#include "t.h"
#include <limits.h>
#include <stdbool.h>
#include <strings.h>

static MPI_Session begin(const char *level)
{
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Info info = MPI_INFO_NULL;
    if (level) {
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "thread_level", level));
    }
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    CHECK(session != MPI_SESSION_NULL);
    if (level)
        OK(MPI_Info_free(&info));
    return session;
}

/* A communicator of all, which tells who we are. */
static MPI_Comm world_of(MPI_Session session, const char *name)
{
    MPI_Group group;
    MPI_Comm comm;
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    OK(MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_rank(comm, &t_rank));
    OK(MPI_Comm_size(comm, &t_size));
    return comm;
}

/* -- what a session knows */

static void check_info(MPI_Info info, const char *key, const char *want)
{
    char value[64];
    int length = sizeof value, flag;
    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    SAME(flag, 1);
    if (strcmp(value, want))
        FAIL("%s is %s, should be %s", key, value, want);
}

static void check_psets(MPI_Session session)
{
    int n, length, found = 0;
    char name[MPI_MAX_PSET_NAME_LEN], part[4], size[16];
    MPI_Info info;
    MPI_Group group;
    OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
    CHECK(n >= 2);
    for (int i = 0; i < n; i++) {
        length = 0;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL));
        CHECK(length > 1 && length <= MPI_MAX_PSET_NAME_LEN);
        int all = length;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name));
        SAME(length, all);
        SAME(strlen(name), all - 1);
        length = sizeof part;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, part));
        SAME(length, all);
        CHECK(!strncmp(part, name, sizeof part - 1) && !part[sizeof part - 1]);
        bool world = !strcasecmp(name, "mpi://WORLD"), self = !strcasecmp(name, "mpi://SELF");
        found += world + self;
        OK(MPI_Session_get_pset_info(session, name, &info));
        snprintf(size, sizeof size, "%d", self ? 1 : t_size);
        check_info(info, "mpi_size", size);
        OK(MPI_Info_free(&info));
        OK(MPI_Group_from_session_pset(session, name, &group));
        OK(MPI_Group_size(group, &length));
        SAME(length, self ? 1 : t_size);
        OK(MPI_Group_rank(group, &length));
        SAME(length, self ? 0 : t_rank);
        OK(MPI_Group_free(&group));
    }
    SAME(found, 2);
    OK(MPI_Group_from_session_pset(session, "MPI://Self", &group));     /* capitals or not */
    OK(MPI_Group_size(group, &length));
    SAME(length, 1);
    OK(MPI_Group_free(&group));
    CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, NULL), MPI_ERR_ARG);
    CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, INT_MIN, &length, NULL), MPI_ERR_ARG);
    CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, NULL, name), MPI_ERR_ARG);
    CLASS(MPI_Session_get_pset_info(session, "mpi://NOWHERE", &info), MPI_ERR_ARG);
    group = MPI_GROUP_EMPTY;
    CLASS(MPI_Group_from_session_pset(session, "mpi://NOWHERE", &group), MPI_ERR_ARG);
    CHECK(group == MPI_GROUP_NULL);
    CLASS(MPI_Group_from_session_pset(session, NULL, &group), MPI_ERR_ARG);
}

static void check_handles(MPI_Session session)
{
    int number = MPI_Session_toint(session);
    CHECK(number > 0);
    CHECK(MPI_Session_fromint(number) == session);
    SAME(MPI_Session_toint(MPI_SESSION_NULL), 0x120);
    CHECK(MPI_Session_fromint(0x120) == MPI_SESSION_NULL);
}

/* -- error handlers */

static MPI_Session seen;
static int codes;

static void note_error(MPI_Session *session, int *code, ...)
{
    seen = *session;
    codes = *code;
}

static void comm_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    codes = -*code;
}

static void check_handlers(MPI_Session session)
{
    MPI_Errhandler handler, got, other;
    int n;
    OK(MPI_Session_create_errhandler(note_error, &handler));
    OK(MPI_Session_set_errhandler(session, handler));
    OK(MPI_Session_get_errhandler(session, &got));
    CHECK(got == handler);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Errhandler_free(&handler));      /* the session has it */
    CLASS(MPI_Session_get_num_psets(session, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    SAME(codes, MPI_ERR_ARG);
    CHECK(seen == session);
    OK(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
    SAME(codes, MPI_ERR_OTHER);
    OK(MPI_Comm_create_errhandler(comm_error, &other));
    CLASS(MPI_Session_set_errhandler(session, other), MPI_ERR_ERRHANDLER);
    OK(MPI_Errhandler_free(&other));
    OK(MPI_Session_create_errhandler(note_error, &handler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CLASS(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler), MPI_ERR_ERRHANDLER);
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
    CLASS(MPI_Session_get_num_psets(session, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CLASS(MPI_Session_get_num_psets(MPI_SESSION_NULL, MPI_INFO_NULL, &n), MPI_ERR_SESSION);
    CLASS(MPI_Session_create_errhandler(NULL, &handler), MPI_ERR_ARG);
}

/* Errors of the call that begins a session go to the handler that it passes, before there is any
 * other in the process. */
static void check_begin(void)
{
    MPI_Session none = MPI_SESSION_NULL;
    MPI_Errhandler handler;
    MPI_Info freed;
    OK(MPI_Info_create(&freed));
    MPI_Info stale = freed;
    OK(MPI_Info_free(&freed));
    OK(MPI_Session_create_errhandler(note_error, &handler));
    CLASS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
    CLASS(MPI_Session_init(stale, MPI_ERRORS_RETURN, &none), MPI_ERR_INFO);
    CLASS(MPI_Session_init(stale, handler, &none), MPI_ERR_INFO);
    SAME(codes, MPI_ERR_INFO);
    CHECK(seen == MPI_SESSION_NULL && none == MPI_SESSION_NULL);
    OK(MPI_Errhandler_free(&handler));
}

/* -- communicators of groups */

static void check_ring(MPI_Comm comm)
{
    int rank, size, in = -1, sum, one = 1;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &in, 1, MPI_INT,
                    (rank + size - 1) % size, 3, comm, MPI_STATUS_IGNORE));
    SAME(in, (rank + size - 1) % size);
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    SAME(sum, size);
}

/* Each rank's group with the next one: rings of pairs, made in an order that would wait in a circle
 * if one call stood for the other. */
static void check_pairs(MPI_Session session)
{
    MPI_Group world, pair;
    MPI_Comm comm;
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    for (int first = 0; first + 1 < t_size; first++) {
        int ranks[] = { first + 1, first }, rank;
        if (t_rank < first || t_rank > first + 1)
            continue;
        OK(MPI_Group_incl(world, 2, ranks, &pair));
        OK(MPI_Comm_create_from_group(pair, "pair", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        OK(MPI_Comm_rank(comm, &rank));
        SAME(rank, first + 1 - t_rank);
        check_ring(comm);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Group_free(&pair));
    }
    OK(MPI_Group_free(&world));
}

static void check_self(MPI_Session session)
{
    MPI_Group self;
    MPI_Comm comm, dup;
    OK(MPI_Group_from_session_pset(session, "mpi://SELF", &self));
    OK(MPI_Comm_create_from_group(self, "alone", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Comm_dup(comm, &dup));
    check_ring(dup);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Group_free(&self));
}

/* Made by operations on groups, it is a group of the session all the same, which does not end as
 * long as there is a communicator of it. */
static void check_sets(void)
{
    MPI_Session session = begin(NULL);
    MPI_Group self, world, made[4];
    MPI_Comm comm;
    OK(MPI_Group_from_session_pset(session, "mpi://SELF", &self));
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    OK(MPI_Group_union(self, MPI_GROUP_EMPTY, &made[0]));
    OK(MPI_Group_union(MPI_GROUP_EMPTY, self, &made[1]));
    OK(MPI_Group_intersection(world, self, &made[2]));
    OK(MPI_Group_difference(self, MPI_GROUP_EMPTY, &made[3]));
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&self));
    for (int i = 0; i < 4; i++) {
        OK(MPI_Comm_create_from_group(made[i], "set", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        CLASS(MPI_Session_finalize(&session), MPI_ERR_SESSION);
        check_ring(comm);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Group_free(&made[i]));
    }
    OK(MPI_Session_finalize(&session));
}

static MPI_Info promise(void)
{
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    return info;
}

/* The communicator has it, and no other. */
static void check_promise(MPI_Comm comm)
{
    MPI_Info info;
    OK(MPI_Comm_get_info(comm, &info));
    check_info(info, "mpi_assert_no_any_tag", "true");
    check_info(info, "mpi_assert_no_any_source", "false");
    OK(MPI_Info_free(&info));
}

/* The communicator has the handler and the hints that the call gets, which take none of another
 * kind, or freed, or a group of others. */
static void check_arguments(MPI_Session session)
{
    MPI_Group self, world, others;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Info info = promise(), stale = info;
    MPI_Errhandler handler, of_sessions;
    int n;
    OK(MPI_Group_from_session_pset(session, "mpi://SELF", &self));
    OK(MPI_Comm_create_errhandler(comm_error, &handler));
    OK(MPI_Comm_create_from_group(self, "promise", info, handler, &comm));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Info_free(&info));
    check_promise(comm);
    codes = 0;
    CLASS(MPI_Send(&n, 1, MPI_INT, 1, 0, comm), MPI_ERR_RANK);
    CLASS(-codes, MPI_ERR_RANK);
    OK(MPI_Comm_free(&comm));
    CLASS(MPI_Comm_create_from_group(self, "stale", stale, MPI_ERRORS_RETURN, &comm),
          MPI_ERR_INFO);
    OK(MPI_Session_create_errhandler(note_error, &of_sessions));
    CLASS(MPI_Comm_create_from_group(self, "kind", MPI_INFO_NULL, of_sessions, &comm),
          MPI_ERR_ERRHANDLER);
    OK(MPI_Errhandler_free(&of_sessions));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Group_free(&self));
    if (t_size == 1)
        return;
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    OK(MPI_Group_excl(world, 1, &t_rank, &others));
    CLASS(MPI_Comm_create_from_group(others, "others", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
          MPI_ERR_GROUP);
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Group_free(&others));
    OK(MPI_Group_free(&world));
}

static void check_empty(void)
{
    MPI_Comm none;
    char tag[MPI_MAX_STRINGTAG_LEN + 1];
    memset(tag, 'x', sizeof tag);
    for (int bytes = MPI_MAX_STRINGTAG_LEN; bytes >= MPI_MAX_STRINGTAG_LEN - 1; bytes--) {
        tag[bytes] = 0;         /* the length counts the end, too */
        CLASS(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                         &none),
              bytes < MPI_MAX_STRINGTAG_LEN ? MPI_SUCCESS : MPI_ERR_ARG);
    }
    OK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &none));
    CHECK(none == MPI_COMM_NULL);
    CLASS(MPI_Comm_create_from_group(MPI_GROUP_NULL, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &none),
          MPI_ERR_GROUP);
    CLASS(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                     &none), MPI_ERR_ARG);
    CLASS(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL),
          MPI_ERR_ARG);
}

/* There is no intercommunicator with nobody on one side; the leader knows it for its group. */
static void check_empty_side(MPI_Group group, bool leads, int leader)
{
    MPI_Comm inter = MPI_COMM_WORLD;
    OK(MPI_Intercomm_create_from_groups(group, leader, leads ? MPI_GROUP_EMPTY : MPI_GROUP_NULL, 0,
                                        "empty", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter));
    CHECK(inter == MPI_COMM_NULL);
    inter = MPI_COMM_WORLD;
    OK(MPI_Intercomm_create_from_groups(MPI_GROUP_EMPTY, 0, group, 0, "empty", MPI_INFO_NULL,
                                        MPI_ERRORS_RETURN, &inter));
    CHECK(inter == MPI_COMM_NULL);
}

/* All of a group learn what its leader has done wrong; of other errors each rank knows alone. */
static void check_bridge_errors(MPI_Group local, int size, MPI_Group remote, int remotes)
{
    static const MPI_Info none = MPI_INFO_NULL;
    static const MPI_Errhandler back = MPI_ERRORS_RETURN;
    MPI_Comm inter = MPI_COMM_NULL;
    CLASS(MPI_Intercomm_create_from_groups(local, 0, remote, remotes, "wrong", none, back, &inter),
          MPI_ERR_RANK);
    CLASS(MPI_Intercomm_create_from_groups(local, 0, local, -7, "wrong", none, back, &inter),
          MPI_ERR_RANK);
    CLASS(MPI_Intercomm_create_from_groups(local, 0, MPI_GROUP_NULL, 0, "wrong", none, back,
                                           &inter), MPI_ERR_GROUP);
    CLASS(MPI_Intercomm_create_from_groups(local, size, remote, 0, "wrong", none, back, &inter),
          MPI_ERR_RANK);
    CLASS(MPI_Intercomm_create_from_groups(local, -1, remote, 0, "wrong", none, back, &inter),
          MPI_ERR_RANK);
    CLASS(MPI_Intercomm_create_from_groups(remote, 0, local, 0, "wrong", none, back, &inter),
          MPI_ERR_GROUP);
    CLASS(MPI_Intercomm_create_from_groups(local, 0, local, 0, "wrong", none, back, &inter),
          MPI_ERR_COMM);
    CHECK(inter == MPI_COMM_NULL);
}

/* Even against odd ranks; the leaders are the last ones, and only they pass the remote group. */
static void check_bridge(MPI_Session session)
{
    MPI_Group world, groups[2];
    MPI_Comm inter, merged;
    MPI_Info info;
    int odd = t_rank % 2, sizes[] = { (t_size + 1) / 2, t_size / 2 }, n, in = -1;
    if (t_size == 1)
        return;
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    for (int i = 0; i < 2; i++) {
        int range[1][3] = { { i, t_size - 1, 2 } };
        OK(MPI_Group_range_incl(world, 1, range, &groups[i]));
    }
    bool leads = t_rank / 2 == sizes[odd] - 1;
    info = promise();
    OK(MPI_Intercomm_create_from_groups(groups[odd], sizes[odd] - 1,
                                        leads ? groups[!odd] : MPI_GROUP_NULL,
                                        leads ? sizes[!odd] - 1 : -7, "bridge", info,
                                        MPI_ERRORS_RETURN, &inter));
    OK(MPI_Info_free(&info));
    check_promise(inter);
    OK(MPI_Comm_remote_size(inter, &n));
    SAME(n, sizes[!odd]);
    OK(MPI_Comm_rank(inter, &n));
    SAME(n, t_rank / 2);
    if (n == 0) {
        OK(MPI_Sendrecv(&t_rank, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, MPI_ANY_SOURCE, 1, inter,
                        MPI_STATUS_IGNORE));
        SAME(in, !odd);
    }
    OK(MPI_Intercomm_merge(inter, odd, &merged));
    check_ring(merged);
    OK(MPI_Comm_rank(merged, &n));
    SAME(n, odd ? sizes[0] + t_rank / 2 : t_rank / 2);
    OK(MPI_Comm_free(&merged));
    OK(MPI_Comm_free(&inter));
    check_bridge_errors(groups[odd], sizes[odd], groups[!odd], sizes[!odd]);
    check_empty_side(groups[odd], leads, sizes[odd] - 1);
    for (int i = 0; i < 2; i++)
        OK(MPI_Group_free(&groups[i]));
    OK(MPI_Group_free(&world));
}

/* A session that still has a communicator is not over. */
static void finish(MPI_Session *session, MPI_Comm *comm)
{
    MPI_Comm dup;
    OK(MPI_Comm_dup(*comm, &dup));
    CLASS(MPI_Session_finalize(session), MPI_ERR_SESSION);
    OK(MPI_Comm_free(comm));
    CLASS(MPI_Session_finalize(session), MPI_ERR_SESSION);
    OK(MPI_Barrier(dup));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Session_finalize(session));
    CHECK(*session == MPI_SESSION_NULL);
}

static void all_of(MPI_Session session)
{
    check_psets(session);
    check_handles(session);
    check_handlers(session);
    check_self(session);
    check_pairs(session);
    check_sets();
    check_arguments(session);
    check_empty();
    check_bridge(session);
}

/* -- modes */

static int only(void)
{
    int flag;
    check_begin();
    MPI_Session session = begin("MPI_THREAD_SERIALIZED");
    MPI_Comm world = world_of(session, "only");
    MPI_Info info;
    OK(MPI_Initialized(&flag));
    SAME(flag, 0);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CLASS(MPI_Finalize(), MPI_ERR_OTHER);       /* there is no MPI_Init that it would end */
    OK(MPI_Session_get_info(session, &info));
    check_info(info, "thread_level", "MPI_THREAD_SERIALIZED");
    OK(MPI_Info_free(&info));
    all_of(session);
    finish(&session, &world);
    OK(MPI_Initialized(&flag));
    SAME(flag, 0);
    OK(MPI_Finalized(&flag));
    SAME(flag, 0);
    return 0;
}

/* A session inside and across MPI_Init and MPI_Finalize, and two at once. */
static int both(int argc, char **argv)
{
    int flag;
    MPI_Session before = begin(NULL), inside, second;
    MPI_Comm world = world_of(before, "before"), one, two;
    t_start(&argc, &argv);
    inside = begin(NULL);
    second = begin(NULL);
    one = world_of(inside, "inside");
    two = world_of(second, "second");
    check_ring(one);
    check_ring(two);
    check_ring(MPI_COMM_WORLD);
    finish(&inside, &one);
    check_ring(two);
    finish(&second, &two);
    OK(MPI_Finalize());
    OK(MPI_Finalized(&flag));
    SAME(flag, 1);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CLASS(MPI_Finalize(), MPI_ERR_OTHER);
    check_ring(world);
    all_of(before);
    finish(&before, &world);
    return 0;
}

/* One after the other; the ranks need not have the same number. */
static int again(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Comm world = MPI_COMM_NULL;
    for (int i = 0; i < 5; i++) {
        session = begin(NULL);
        world = world_of(session, "again");
        check_ring(world);
        finish(&session, &world);
        for (int k = 0; k < (t_rank + i) % 3; k++) {
            MPI_Session mine = begin(NULL);
            check_self(mine);
            OK(MPI_Session_finalize(&mine));
        }
    }
    return 0;
}

/* What is registered before the first session runs after all that the library has registered. */
static MPI_Session last_session;
static MPI_Comm last_comm;

static void end_last(void)
{
    check_ring(last_comm);
    OK(MPI_Comm_free(&last_comm));
    OK(MPI_Session_finalize(&last_session));
}

static int at_exit(void)
{
    CHECK(!atexit(end_last));
    last_session = begin(NULL);
    last_comm = world_of(last_session, "exit");
    return 0;
}

static void end_world(void) { t_end(); }

static int before(int argc, char **argv)
{
    CHECK(!atexit(end_world));
    MPI_Session session = begin(NULL);
    MPI_Comm world = world_of(session, "before");
    t_start(&argc, &argv);
    finish(&session, &world);
    return 0;
}

/* The library is closed then, as there has been none before. */
static int after(int argc, char **argv)
{
    MPI_Session session = (MPI_Session)argv;
    t_start(&argc, &argv);
    t_end();
    CLASS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_ERR_SESSION);
    CHECK(session == MPI_SESSION_NULL);
    return 0;
}

/* The end of a session waits for the receiver, which is late. */
static int forgotten(void)
{
    enum { LONG = 1 << 20 };
    static char data[LONG], in[LONG];
    MPI_Session session = begin(NULL);
    MPI_Comm world = world_of(session, "forgotten");
    MPI_Request r;
    if (t_rank == 0) {
        t_fill(data, LONG, 5);
        OK(MPI_Isend(data, LONG, MPI_CHAR, t_size - 1, 4, world, &r));
        OK(MPI_Request_free(&r));
    }
    if (t_rank == t_size - 1) {
        usleep(50000);
        OK(MPI_Recv(in, LONG, MPI_CHAR, 0, 4, world, MPI_STATUS_IGNORE));
        DATA(in, LONG, 5);
    }
    OK(MPI_Comm_free(&world));
    OK(MPI_Session_finalize(&session));
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "only";
    return !strcmp(mode, "both") ? both(argc, argv) : !strcmp(mode, "again") ? again()
           : !strcmp(mode, "exit") ? at_exit() : !strcmp(mode, "before") ? before(argc, argv)
           : !strcmp(mode, "after") ? after(argc, argv)
           : !strcmp(mode, "forgotten") ? forgotten() : only();
}
