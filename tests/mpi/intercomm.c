/* Intercommunicators: made of two groups, what is known of them, messages in all modes and from any
 * source, merged, duplicated, split, made of groups; what is wrong with their arguments. */
#include "t.h"

/* The lower ranks are one side, the upper ones the other; the leaders are the last of each. */
struct side { MPI_Comm local; int upper, size, others, rank; };

static int lower(void) { return (t_size + 1) / 2; }

/* The rank in MPI_COMM_WORLD of a rank of the other side. */
static int other(const struct side *s, int rank) { return s->upper ? rank : lower() + rank; }

static struct side sides(void)
{
    struct side s = { .upper = t_rank >= lower() };
    s.size = s.upper ? t_size - lower() : lower();
    s.others = t_size - s.size;
    OK(MPI_Comm_split(MPI_COMM_WORLD, s.upper, t_rank, &s.local));
    OK(MPI_Comm_rank(s.local, &s.rank));
    return s;
}

static MPI_Comm bridge(const struct side *s, int tag)
{
    MPI_Comm inter;
    int leader = s->size - 1, remote = s->upper ? lower() - 1 : t_size - 1;
    OK(MPI_Intercomm_create(s->local, leader, MPI_COMM_WORLD, remote, tag, &inter));
    return inter;
}

/* -- what is known */

static void check_group(MPI_Group group, int size, int first)
{
    MPI_Group world;
    int n, rank, back;
    OK(MPI_Group_size(group, &n));
    SAME(n, size);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int i = 0; i < size; i++) {
        rank = i;
        OK(MPI_Group_translate_ranks(group, 1, &rank, world, &back));
        SAME(back, first + i);
    }
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&group));
}

static void check_questions(const struct side *s, MPI_Comm inter)
{
    MPI_Group group;
    int flag, n;
    OK(MPI_Comm_test_inter(inter, &flag));
    SAME(flag, 1);
    OK(MPI_Comm_test_inter(s->local, &flag));
    SAME(flag, 0);
    OK(MPI_Comm_rank(inter, &n));
    SAME(n, s->rank);
    OK(MPI_Comm_size(inter, &n));
    SAME(n, s->size);
    OK(MPI_Comm_remote_size(inter, &n));
    SAME(n, s->others);
    OK(MPI_Comm_group(inter, &group));
    check_group(group, s->size, s->upper ? lower() : 0);
    OK(MPI_Comm_remote_group(inter, &group));
    check_group(group, s->others, other(s, 0));
}

/* -- messages: each rank to each of the other side, which says who and where it is */

static void check_status(const struct side *s, const MPI_Status *status, const int *data, int tag)
{
    int count;
    SAME(status->MPI_TAG, tag);
    OK(MPI_Get_count(status, MPI_INT, &count));
    SAME(data[0], other(s, status->MPI_SOURCE));
    SAME(data[1], tag);
    SAME(data[count - 1], t_rank);
}

typedef int send_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static void exchange(const struct side *s, MPI_Comm inter, send_fn *send, int count, int any)
{
    MPI_Request *requests = t_alloc(sizeof *requests * (size_t)s->others);
    int *out = t_ints((size_t)(count * s->others)), *in = t_ints((size_t)count);
    MPI_Status status;
    for (int i = 0; i < s->others; i++) {
        int *data = out + i * count;
        data[0] = t_rank;
        data[1] = 17;
        data[count - 1] = other(s, i);
        OK(send(data, count, MPI_INT, i, 17, inter, &requests[i]));
    }
    for (int i = 0; i < s->others; i++) {
        OK(MPI_Recv(in, count, MPI_INT, any ? MPI_ANY_SOURCE : i, any ? MPI_ANY_TAG : 17, inter,
                    &status));
        if (!any)
            SAME(status.MPI_SOURCE, i);
        check_status(s, &status, in, 17);
    }
    OK(MPI_Waitall(s->others, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(requests);
    free(out);
    free(in);
}

/* Receives come first. */
static void exchange_ready(const struct side *s, MPI_Comm inter)
{
    MPI_Request *receive = t_alloc(sizeof *receive * (size_t)s->others);
    int *in = t_ints((size_t)(3 * s->others));
    MPI_Status status;
    for (int i = 0; i < s->others; i++)
        OK(MPI_Irecv(in + 3 * i, 3, MPI_INT, MPI_ANY_SOURCE, 17, inter, &receive[i]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < s->others; i++) {
        MPI_Request send;
        OK(MPI_Irsend((int[]){ t_rank, 17, other(s, i) }, 3, MPI_INT, i, 17, inter, &send));
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    }
    for (int i = 0; i < s->others; i++) {
        OK(MPI_Wait(&receive[i], &status));
        check_status(s, &status, in + 3 * i, 17);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(receive);
    free(in);
}

static int send_blocking(const void *buf, int count, MPI_Datatype type, int dest, int tag,
                         MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_Bsend(buf, count, type, dest, tag, comm);
}

static int send_persistent(const void *buf, int count, MPI_Datatype type, int dest, int tag,
                           MPI_Comm comm, MPI_Request *request)
{
    OK(MPI_Send_init(buf, count, type, dest, tag, comm, request));
    return MPI_Start(request);
}

static void free_persistent(const struct side *s, MPI_Comm inter)
{
    int data[] = { t_rank, 17, 0 }, in[3];
    for (int i = 0; i < s->others; i++) {
        MPI_Request request;
        MPI_Status status;
        data[2] = other(s, i);
        OK(send_persistent(data, 3, MPI_INT, i, 17, inter, &request));
        OK(MPI_Recv(in, 3, MPI_INT, MPI_ANY_SOURCE, 17, inter, &status));
        check_status(s, &status, in, 17);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Request_free(&request));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void check_probes(const struct side *s, MPI_Comm inter)
{
    int data[] = { t_rank, 5, 0 }, in[3], flag = 0;
    MPI_Status status, found;
    MPI_Message message;
    if (s->rank || s->others < 1)
        return;
    data[2] = other(s, 0);
    OK(MPI_Send(data, 3, MPI_INT, 0, 5, inter));
    OK(MPI_Probe(MPI_ANY_SOURCE, 5, inter, &found));
    SAME(found.MPI_SOURCE, 0);
    while (!flag)
        OK(MPI_Iprobe(0, MPI_ANY_TAG, inter, &flag, &status));
    SAME(status.MPI_SOURCE, 0);
    OK(MPI_Mprobe(MPI_ANY_SOURCE, 5, inter, &message, &status));
    OK(MPI_Mrecv(in, 3, MPI_INT, &message, &status));
    check_status(s, &status, in, 5);
    data[1] = 6;
    OK(MPI_Sendrecv(data, 3, MPI_INT, 0, 6, in, 3, MPI_INT, 0, 6, inter, &status));
    check_status(s, &status, in, 6);
    OK(MPI_Sendrecv(data, 3, MPI_INT, MPI_PROC_NULL, 6, in, 3, MPI_INT, MPI_PROC_NULL, 6, inter,
                    &status));
    SAME(status.MPI_SOURCE, MPI_PROC_NULL);
}

static void check_messages(const struct side *s, MPI_Comm inter)
{
    static char buffer[1 << 20];
    exchange(s, inter, MPI_Isend, 3, 1);
    exchange(s, inter, MPI_Isend, 100000, 0);
    exchange(s, inter, MPI_Issend, 3, 0);
    exchange(s, inter, MPI_Issend, 50000, 1);
    exchange_ready(s, inter);
    OK(MPI_Buffer_attach(buffer, sizeof buffer));
    exchange(s, inter, send_blocking, 1000, 1);
    OK(MPI_Buffer_detach(buffer, &(int){ 0 }));
    free_persistent(s, inter);
    check_probes(s, inter);
}

/* -- made from one */

static void check_merge(const struct side *s, MPI_Comm inter, int high, int upper_first)
{
    MPI_Comm merged;
    int rank, n, sum, want = upper_first ? (s->upper ? s->rank : s->rank + s->others)
                                         : t_rank;
    OK(MPI_Intercomm_merge(inter, high, &merged));
    OK(MPI_Comm_rank(merged, &rank));
    SAME(rank, want);
    OK(MPI_Comm_size(merged, &n));
    SAME(n, t_size);
    OK(MPI_Comm_test_inter(merged, &n));
    SAME(n, 0);
    OK(MPI_Allreduce(&t_rank, &sum, 1, MPI_INT, MPI_SUM, merged));
    SAME(sum, t_size * (t_size - 1) / 2);
    OK(MPI_Comm_free(&merged));
    CHECK(merged == MPI_COMM_NULL);
}

static void check_dup(const struct side *s, MPI_Comm inter)
{
    MPI_Comm dup;
    int result, in = -1, out = t_rank, flag;
    OK(MPI_Comm_dup(inter, &dup));
    check_questions(s, dup);
    OK(MPI_Comm_compare(inter, dup, &result));
    SAME(result, MPI_CONGRUENT);
    OK(MPI_Comm_compare(inter, inter, &result));
    SAME(result, MPI_IDENT);
    OK(MPI_Comm_compare(inter, s->local, &result));
    SAME(result, MPI_UNEQUAL);
    if (s->rank == 0) {     /* the same ranks and tags do not mix */
        OK(MPI_Send(&out, 1, MPI_INT, 0, 1, dup));
        OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &flag, MPI_STATUS_IGNORE));
        SAME(flag, 0);
        OK(MPI_Recv(&in, 1, MPI_INT, 0, 1, dup, MPI_STATUS_IGNORE));
        SAME(in, other(s, 0));
    }
    OK(MPI_Comm_free(&dup));
}

/* Odd and even ranks of each side apart, and in reverse. */
static void check_split(const struct side *s, MPI_Comm inter)
{
    MPI_Comm part;
    int color = s->rank % 2, here = (s->size + 1 - color) / 2, there = (s->others + 1 - color) / 2;
    int n, rank, sum = 0, expect = 0;
    OK(MPI_Comm_split(inter, color, -s->rank, &part));
    if (!there) {
        CHECK(part == MPI_COMM_NULL);
        return;
    }
    OK(MPI_Comm_size(part, &n));
    SAME(n, here);
    OK(MPI_Comm_remote_size(part, &n));
    SAME(n, there);
    OK(MPI_Comm_rank(part, &rank));
    SAME(rank, (s->size - 1 - color) / 2 - s->rank / 2);
    for (int i = 0; i < there; i++)
        OK(MPI_Send(&t_rank, 1, MPI_INT, i, 3, part));
    for (int i = 0; i < there; i++) {
        MPI_Status status;
        OK(MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 3, part, &status));
        SAME(n, other(s, color + 2 * (there - 1 - status.MPI_SOURCE)));
        sum += n;
        expect += other(s, color + 2 * i);
    }
    SAME(sum, expect);
    OK(MPI_Comm_free(&part));
}

static void check_undefined(const struct side *s, MPI_Comm inter)
{
    MPI_Comm part;
    OK(MPI_Comm_split(inter, s->upper ? MPI_UNDEFINED : 1, 0, &part));
    CHECK(part == MPI_COMM_NULL);
}

/* The first two of the lower side in reverse, and the last one of the upper. */
static void check_create(const struct side *s, MPI_Comm inter)
{
    MPI_Group local, some;
    MPI_Comm comm, none;
    int both[] = { 1, 0 }, last = s->size - 1, rank, n, result;
    OK(MPI_Comm_group(inter, &local));
    if (s->upper)
        OK(MPI_Group_incl(local, 1, &last, &some));
    else
        OK(MPI_Group_incl(local, s->size > 1 ? 2 : 1, s->size > 1 ? both : both + 1, &some));
    OK(MPI_Group_rank(some, &rank));
    OK(MPI_Comm_create(inter, some, &comm));
    if (rank == MPI_UNDEFINED) {
        CHECK(comm == MPI_COMM_NULL);
    } else {
        OK(MPI_Comm_rank(comm, &n));
        SAME(n, rank);
        OK(MPI_Comm_remote_size(comm, &n));
        SAME(n, s->upper ? (lower() > 1 ? 2 : 1) : 1);
        OK(MPI_Comm_compare(comm, inter, &result));
        SAME(result, t_size == 2 ? MPI_CONGRUENT : t_size == 3 ? MPI_SIMILAR : MPI_UNEQUAL);
        OK(MPI_Send(&t_rank, 1, MPI_INT, 0, 9, comm));
        for (int i = 0; s->rank == last && s->upper && i < (lower() > 1 ? 2 : 1); i++) {
            OK(MPI_Recv(&n, 1, MPI_INT, i, 9, comm, MPI_STATUS_IGNORE));
            SAME(n, lower() > 1 ? 1 - i : 0);
        }
        if (!s->upper && rank == 0) {
            OK(MPI_Recv(&n, 1, MPI_INT, 0, 9, comm, MPI_STATUS_IGNORE));
            SAME(n, t_size - 1);
        }
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Comm_create(inter, s->upper ? MPI_GROUP_EMPTY : some, &none));
    CHECK(none == MPI_COMM_NULL);
    OK(MPI_Group_free(&local));
    OK(MPI_Group_free(&some));
}

/* Freed while a message is on its way: the request holds all of it. */
static void check_free(const struct side *s)
{
    MPI_Comm inter = bridge(s, 0);
    MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int in = -1;
    if (s->rank == 0) {
        OK(MPI_Irecv(&in, 1, MPI_INT, 0, 1, inter, &requests[0]));
        OK(MPI_Issend(&t_rank, 1, MPI_INT, 0, 1, inter, &requests[1]));
    }
    OK(MPI_Comm_free(&inter));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    if (s->rank == 0)
        SAME(in, other(s, 0));
}

/* -- nothing to reduce: neither side waits for the other's nothing */

static void check_empty_reductions(const struct side *s, MPI_Comm inter)
{
    int *counts = calloc((size_t)s->size, sizeof *counts);
    int root = s->upper ? 0 : s->rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Datatype nothing;
    char same;
    OK(MPI_Type_contiguous(0, MPI_INT, &nothing));
    OK(MPI_Type_commit(&nothing));
    OK(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, inter));
    OK(MPI_Reduce(NULL, NULL, 0, MPI_INT, MPI_SUM, root, inter));
    OK(MPI_Reduce_scatter_block(NULL, NULL, 0, MPI_INT, MPI_SUM, inter));
    OK(MPI_Reduce_scatter(NULL, NULL, counts, MPI_INT, MPI_SUM, inter));
    OK(MPI_Allgather(&same, 3, nothing, &same, 3, nothing, inter));
    OK(MPI_Type_free(&nothing));
    free(counts);
}

/* The groups may give each other different amounts: the upper ranks have three for each. */
static void check_uneven(const struct side *s, MPI_Comm inter)
{
    int give = s->upper ? 3 : 1, get = s->upper ? 1 : 3;
    int *out = t_values(t_rank, give * s->others), *in = t_ints((size_t)(get * s->others));
    MPI_Request r = MPI_REQUEST_NULL;
    for (int later = 0; later < 2; later++) {
        memset(in, -1, (size_t)(get * s->others) * sizeof *in);
        if (later)
            OK(MPI_Ialltoall(out, give, MPI_INT, in, get, MPI_INT, inter, &r));
        else
            OK(MPI_Alltoall(out, give, MPI_INT, in, get, MPI_INT, inter));
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        for (int i = 0; i < get * s->others; i++)
            SAME(in[i], t_value(other(s, i / get), s->rank * get + i % get));
    }
    free(out);
    free(in);
}

/* Arrays are as long as the other group is large: what is behind them is nobody's. */
static void check_counts(const struct side *s, MPI_Comm inter)
{
    int *out = t_values(t_rank, s->others), *in = t_ints((size_t)s->others);
    int *counts = t_ints((size_t)t_size), *at = t_ints((size_t)t_size);     /* -1 behind the end */
    for (int i = 0; i < s->others; i++) {
        counts[i] = 1;
        at[i] = i;
    }
    OK(MPI_Alltoallv(out, counts, at, MPI_INT, in, counts, at, MPI_INT, inter));
    for (int i = 0; i < s->others; i++)
        SAME(in[i], t_value(other(s, i), s->rank));
    free(out);
    free(in);
    free(counts);
    free(at);
}

/* -- errors */

static int codes_seen;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    int flag;
    OK(MPI_Comm_test_inter(*comm, &flag));
    SAME(flag, 1);
    SAME(*code, MPI_ERR_GROUP);
    codes_seen++;
}

static void check_errors(const struct side *s, MPI_Comm inter)
{
    MPI_Comm none;
    MPI_Errhandler handler;
    MPI_Group world;
    int n, data = 0, one = 1, zero = 0;
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(s->local, MPI_ERRORS_RETURN));
    CLASS(MPI_Send(&data, 1, MPI_INT, s->others, 0, inter), MPI_ERR_RANK);
    CLASS(MPI_Recv(&data, 1, MPI_INT, s->others, 0, inter, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    CLASS(MPI_Probe(-7, 0, inter, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    CLASS(MPI_Comm_remote_size(s->local, &n), MPI_ERR_COMM);
    CLASS(MPI_Comm_remote_size(inter, NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_remote_group(MPI_COMM_WORLD, &world), MPI_ERR_COMM);
    CLASS(MPI_Intercomm_merge(s->local, 0, &none), MPI_ERR_COMM);
    CLASS(MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 0, &none), MPI_ERR_COMM);
    CLASS(MPI_Intercomm_create(s->local, s->size, MPI_COMM_WORLD, 0, 0, &none), MPI_ERR_RANK);
    CLASS(MPI_Intercomm_create(s->local, 0, MPI_COMM_WORLD, 0, 0, NULL), MPI_ERR_ARG);
    /* the leader alone sees it, all ranks get it */
    CLASS(MPI_Intercomm_create(s->local, 0, MPI_COMM_NULL, 0, 0, &none), MPI_ERR_COMM);
    CHECK(none == MPI_COMM_NULL);
    CLASS(MPI_Intercomm_create(s->local, 0, MPI_COMM_WORLD, t_size, 0, &none), MPI_ERR_RANK);
    CLASS(MPI_Intercomm_create(s->local, 0, MPI_COMM_WORLD, other(s, 0), -1, &none), MPI_ERR_TAG);
    CLASS(MPI_Intercomm_create(s->local, 0, s->local, 0, 0, &none), MPI_ERR_RANK);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Comm_create_errhandler(count_error, &handler));
    OK(MPI_Comm_set_errhandler(inter, handler));
    CLASS(MPI_Comm_create(inter, world, &none), MPI_ERR_GROUP);
    SAME(codes_seen, 1);
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Group_free(&world));
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    /* topologies are of intracommunicators */
    CLASS(MPI_Cart_create(inter, 1, &one, &one, 0, &none), MPI_ERR_COMM);
    CLASS(MPI_Cart_map(inter, 1, &one, &one, &n), MPI_ERR_COMM);
    CLASS(MPI_Graph_create(inter, 1, &one, &zero, 0, &none), MPI_ERR_COMM);
    CLASS(MPI_Dist_graph_create(inter, 1, &zero, &one, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                &none), MPI_ERR_COMM);
    CHECK(none == MPI_COMM_NULL);
    if (s->size > 1 || s->others > 1) {     /* found by all, on both sides */
        CLASS(MPI_Intercomm_merge(inter, s->rank == 1, &none), MPI_ERR_ARG);
        MPI_Group two;
        int first = s->rank;
        OK(MPI_Comm_group(inter, &world));
        OK(MPI_Group_incl(world, 1, &first, &two));
        CLASS(MPI_Comm_create(inter, two, &none), MPI_ERR_GROUP);
        OK(MPI_Group_free(&two));
        OK(MPI_Group_free(&world));
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    if (t_size == 1) {
        MPI_Comm none;
        CLASS(MPI_Intercomm_create(MPI_COMM_WORLD, 0, MPI_COMM_WORLD, 0, 0, &none), MPI_ERR_RANK);
        return t_end();
    }
    struct side s = sides();
    MPI_Comm inter = bridge(&s, 12);
    check_questions(&s, inter);
    check_messages(&s, inter);
    check_merge(&s, inter, s.upper, 0);
    check_merge(&s, inter, !s.upper, 1);
    /* the same on both sides: the side with the lower leader is first */
    check_merge(&s, inter, 1, 0);
    check_dup(&s, inter);
    check_split(&s, inter);
    check_undefined(&s, inter);
    check_create(&s, inter);
    check_free(&s);
    check_empty_reductions(&s, inter);
    check_uneven(&s, inter);
    check_counts(&s, inter);
    /* the peer communicator is an intercommunicator */
    MPI_Comm second;
    OK(MPI_Intercomm_create(s.local, 0, inter, 0, 2147483647, &second));
    check_questions(&s, second);
    exchange(&s, second, MPI_Isend, 3, 1);
    OK(MPI_Comm_free(&second));
    check_errors(&s, inter);
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&s.local));
    return t_end();
}
