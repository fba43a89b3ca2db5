/* MPI_Igather(v), MPI_Iscatter(v), MPI_Iallgather(v), MPI_Ialltoall(v), MPI_Iscan, MPI_Iexscan,
 * MPI_Ireduce_scatter(_block): what each rank gets, with blocks of all sizes and none, gaps, in
 * place, operations that do not commute, all of them under way at once, and their errors. */
#include "compose.h"
#include "t.h"

enum { GAP = 3, CALLS = 12, UNTOUCHED = -1 };

/* The layout of a vector call: rank r's block has one element more than r % 3 times `unit`, or
 * none, and lies in front of that of the rank below it. */
struct layout { int *counts, *displs, sum, room; };

static struct layout layout_new(int size, int unit)
{
    struct layout l = { .counts = t_ints((size_t)size), .displs = t_ints((size_t)size) };
    for (int r = size - 1; r >= 0; r--) {
        l.counts[r] = r % 3 * unit + (r % 3 > 0);
        l.displs[r] = l.room;
        l.sum += l.counts[r];
        l.room += l.counts[r] + GAP;
    }
    return l;
}

static void layout_free(struct layout *l)
{
    free(l->counts);
    free(l->displs);
}

static int element(int from, int to, int i) { return 1000003 * from + 1009 * to + i; }

static void fill(int *block, int count, int from, int to)
{
    for (int i = 0; i < count; i++)
        block[i] = element(from, to, i);
}

static void expect(const int *block, int count, int from, int to)
{
    for (int i = 0; i < count; i++)
        SAME(block[i], element(from, to, i));
}

static int *untouched(int count)
{
    int *data = t_ints((size_t)count);
    for (int i = 0; i < count; i++)
        data[i] = UNTOUCHED;
    return data;
}

static void expect_gaps(const struct layout *l, int size, const int *data)
{
    for (int r = 0; r < size; r++)
        for (int i = 0; i < GAP; i++)
            SAME(data[l->displs[r] + l->counts[r] + i], UNTOUCHED);
}

/* -- to and from one rank */

static void gather_and_scatter(MPI_Comm comm, int root, int unit, int in_place)
{
    int rank, size;
    MPI_Request request[2];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int *all = untouched(size * unit), *own = untouched(unit), *back = untouched(unit);
    int here = in_place && rank == root;
    fill(here ? all + rank * unit : own, unit, rank, root);
    OK(MPI_Igather(here ? MPI_IN_PLACE : own, unit, MPI_INT, all, unit, MPI_INT, root, comm,
                   &request[0]));
    OK(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    for (int r = 0; r < size && rank == root; r++)
        expect(all + r * unit, unit, r, root);
    OK(MPI_Iscatter(all, unit, MPI_INT, here ? MPI_IN_PLACE : back, unit, MPI_INT, root, comm,
                    &request[1]));
    OK(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
    expect(here ? all + rank * unit : back, unit, rank, root);
    free(all);
    free(own);
    free(back);
}

static void gatherv_and_scatterv(MPI_Comm comm, int root, int unit)
{
    int rank, size;
    MPI_Request request;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    struct layout l = layout_new(size, unit);
    int *all = untouched(l.room), count = l.counts[rank];
    int *own = untouched(count), *back = untouched(count);
    fill(own, count, rank, root);
    OK(MPI_Igatherv(own, count, MPI_INT, all, l.counts, l.displs, MPI_INT, root, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int r = 0; r < size && rank == root; r++)
        expect(all + l.displs[r], l.counts[r], r, root);
    if (rank == root)
        expect_gaps(&l, size, all);
    OK(MPI_Iscatterv(all, l.counts, l.displs, MPI_INT, back, count, MPI_INT, root, comm,
                     &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect(back, count, rank, root);
    layout_free(&l);
    free(all);
    free(own);
    free(back);
}

/* -- to and from all */

static void allgathers(MPI_Comm comm, int unit, int in_place)
{
    int rank, size;
    MPI_Request request[2];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    struct layout l = layout_new(size, unit);
    int *all = untouched(size * unit), *some = untouched(l.room), *own = untouched(2 * unit + 1);
    fill(own, 2 * unit + 1, rank, 0);
    fill(all + rank * unit, in_place ? unit : 0, rank, 0);
    fill(some + l.displs[rank], in_place ? l.counts[rank] : 0, rank, 0);
    const void *from = in_place ? MPI_IN_PLACE : own;
    OK(MPI_Iallgather(from, unit, MPI_INT, all, unit, MPI_INT, comm, &request[0]));
    OK(MPI_Iallgatherv(from, l.counts[rank], MPI_INT, some, l.counts, l.displs, MPI_INT, comm,
                       &request[1]));
    OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    for (int r = 0; r < size; r++) {
        expect(all + r * unit, unit, r, 0);
        expect(some + l.displs[r], l.counts[r], r, 0);
    }
    expect_gaps(&l, size, some);
    layout_free(&l);
    free(all);
    free(some);
    free(own);
}

/* From rank a to rank b as much as from b to a, as it must be in place. */
static int amount(int a, int b, int unit) { return (a + b) % 3 * unit; }

static void alltoalls(MPI_Comm comm, int unit, int in_place)
{
    int rank, size, most = 2 * unit + GAP;
    MPI_Request request[2];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int *counts = t_ints((size_t)size), *displs = t_ints((size_t)size);
    int *in = untouched(size * unit), *inv = untouched(size * most);
    int *out = in_place ? in : untouched(size * unit);
    int *outv = in_place ? inv : untouched(size * most);
    for (int r = 0; r < size; r++) {
        counts[r] = amount(rank, r, unit);
        displs[r] = r * most;
        fill(out + r * unit, unit, rank, r);
        fill(outv + displs[r], counts[r], rank, r);
    }
    OK(MPI_Ialltoallv(in_place ? MPI_IN_PLACE : outv, counts, displs, MPI_INT, inv, counts, displs,
                      MPI_INT, comm, &request[0]));
    OK(MPI_Ialltoall(in_place ? MPI_IN_PLACE : out, unit, MPI_INT, in, unit, MPI_INT, comm,
                     &request[1]));
    OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    for (int r = 0; r < size; r++) {
        expect(in + r * unit, unit, r, rank);
        expect(inv + displs[r], counts[r], r, rank);
        SAME(inv[displs[r] + counts[r]], UNTOUCHED);
    }
    free(in);
    free(inv);
    free(counts);
    free(displs);
    if (!in_place) {
        free(out);
        free(outv);
    }
}

/* -- reductions */

static void compose_in(uint64_t *in, int rank, int count)
{
    for (int i = 0; i < count; i++)
        in[i] = compose_value(rank, i);
}

static void prefixes(MPI_Comm comm, MPI_Op op, int count, int in_place)
{
    int rank;
    MPI_Request request[2];
    MPI_Comm_rank(comm, &rank);
    size_t bytes = ((size_t)count + 1) * sizeof(uint64_t);
    uint64_t *in = t_alloc(bytes), *sum = t_alloc(bytes), *below = t_alloc(bytes);
    compose_in(in, rank, count);
    memset(below, 0, bytes);
    if (in_place) {
        compose_in(sum, rank, count);
        compose_in(below, rank, count);
    }
    const void *from = in_place ? MPI_IN_PLACE : in;
    OK(MPI_Iscan(from, sum, count, MPI_UINT64_T, op, comm, &request[0]));
    OK(MPI_Iexscan(from, below, count, MPI_UINT64_T, op, comm, &request[1]));
    OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    for (int i = 0; i < count; i++) {
        SAME(sum[i], compose_ranks(0, rank + 1, i));
        if (rank)
            SAME(below[i], compose_ranks(0, rank, i));
        else
            SAME(below[i], in_place ? in[i] : 0);
    }
    free(in);
    free(sum);
    free(below);
}

static void parts(MPI_Comm comm, MPI_Op op, int unit)
{
    int rank, size, first = 0;
    MPI_Request request[2];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    struct layout l = layout_new(size, unit);
    int room = (l.sum > size * unit ? l.sum : size * unit) + 1;
    uint64_t *in = t_alloc((size_t)room * sizeof *in);
    uint64_t *block = t_alloc((size_t)room * sizeof *in);
    uint64_t *some = t_alloc((size_t)room * sizeof *in);
    compose_in(in, rank, room);
    for (int r = 0; r < rank; r++)
        first += l.counts[r];
    OK(MPI_Ireduce_scatter_block(in, block, unit, MPI_UINT64_T, op, comm, &request[0]));
    OK(MPI_Ireduce_scatter(in, some, l.counts, MPI_UINT64_T, op, comm, &request[1]));
    OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    for (int i = 0; i < unit; i++)
        SAME(block[i], compose_ranks(0, size, rank * unit + i));
    for (int i = 0; i < l.counts[rank]; i++)
        SAME(some[i], compose_ranks(0, size, first + i));
    for (int i = 0; i < room; i++)
        SAME(in[i], compose_value(rank, i));
    layout_free(&l);
    free(in);
    free(block);
    free(some);
}

/* -- all at once, ended in another order on each rank */

static void at_once(void)
{
    int *out = t_ints((size_t)t_size), *in[CALLS], order[CALLS];
    MPI_Request request[CALLS];
    MPI_Comm world = MPI_COMM_WORLD;
    for (int r = 0; r < t_size; r++)
        out[r] = element(t_rank, r, 0);
    for (int c = 0; c < CALLS; c++) {
        in[c] = untouched(t_size);
        order[c] = (c * 5 + t_rank) % CALLS;
        int root = c % t_size;
        switch (c % 4) {
        case 0: OK(MPI_Ialltoall(out, 1, MPI_INT, in[c], 1, MPI_INT, world, &request[c])); break;
        case 1: OK(MPI_Igather(out, 1, MPI_INT, in[c], 1, MPI_INT, root, world,
                               &request[c])); break;
        case 2: OK(MPI_Iallgather(out, 1, MPI_INT, in[c], 1, MPI_INT, world, &request[c])); break;
        default: OK(MPI_Iscatter(out, 1, MPI_INT, in[c], 1, MPI_INT, root, world, &request[c]));
        }
    }
    for (int c = 0; c < CALLS; c++)
        OK(MPI_Wait(&request[order[c]], MPI_STATUS_IGNORE));
    for (int c = 0; c < CALLS; c++) {
        for (int r = 0; r < t_size && (c % 4 != 1 || t_rank == c % t_size) && c % 4 != 3; r++)
            SAME(in[c][r], element(r, c % 4 ? 0 : t_rank, 0));
        if (c % 4 == 3)
            SAME(in[c][0], element(c % t_size, t_rank, 0));
        free(in[c]);
    }
    free(out);
}

/* -- errors, on a communicator of one, so that nobody waits */

static void errors(void)
{
    MPI_Request q;
    MPI_Comm self = MPI_COMM_SELF, none = MPI_COMM_NULL;
    int x = 0, y, minus = -1, one = 1, zero = 0;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CLASS(MPI_Igather(&x, 1, MPI_INT, &y, 1, MPI_INT, 0, none, &q), MPI_ERR_COMM);
    CLASS(MPI_Igather(&x, 1, MPI_INT, &y, 1, MPI_INT, 0, self, NULL), MPI_ERR_ARG);
    CLASS(MPI_Igather(&x, 1, MPI_INT, &y, 1, MPI_INT, 1, self, &q), MPI_ERR_ROOT);
    CLASS(MPI_Igatherv(&x, 1, MPI_INT, &y, &minus, &zero, MPI_INT, 0, self, &q), MPI_ERR_COUNT);
    CLASS(MPI_Iscatter(&x, 1, MPI_INT, &y, -1, MPI_INT, 0, self, &q), MPI_ERR_COUNT);
    CLASS(MPI_Iscatterv(&x, NULL, &zero, MPI_INT, &y, 1, MPI_INT, 0, self, &q), MPI_ERR_ARG);
    CLASS(MPI_Iallgather(&x, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, self, &q), MPI_ERR_BUFFER);
    CLASS(MPI_Iallgatherv(&x, 1, MPI_INT, &y, &one, NULL, MPI_INT, self, &q), MPI_ERR_ARG);
    CLASS(MPI_Ialltoall(&x, 1, MPI_DATATYPE_NULL, &y, 1, MPI_INT, self, &q), MPI_ERR_TYPE);
    CLASS(MPI_Ialltoallv(&x, &one, &zero, MPI_INT, &y, &one, NULL, MPI_INT, self, &q), MPI_ERR_ARG);
    CLASS(MPI_Iscan(&x, &y, 1, MPI_INT, MPI_OP_NULL, self, &q), MPI_ERR_OP);
    CLASS(MPI_Iexscan(NULL, &y, 1, MPI_INT, MPI_SUM, self, &q), MPI_ERR_BUFFER);
    CLASS(MPI_Ireduce_scatter(&x, &y, NULL, MPI_INT, MPI_SUM, self, &q), MPI_ERR_ARG);
    CLASS(MPI_Ireduce_scatter_block(&x, &y, -1, MPI_INT, MPI_SUM, self, &q), MPI_ERR_COUNT);
}

static void all_of(MPI_Comm comm, MPI_Op op, int unit)
{
    int size;
    MPI_Comm_size(comm, &size);
    for (int in_place = 0; in_place < 2; in_place++) {
        gather_and_scatter(comm, size / 2, unit, in_place);
        allgathers(comm, unit, in_place);
        alltoalls(comm, unit, in_place);
        prefixes(comm, op, unit, in_place);
    }
    for (int root = 0; root < size; root += 1 + size / 3)
        gatherv_and_scatterv(comm, root, unit);
    parts(comm, op, unit);
}

int main(int argc, char **argv)
{
    static const int units[] = { 0, 1, 7, 300, 6000 };
    MPI_Comm some;
    MPI_Op op;

    t_start(&argc, &argv);
    OK(MPI_Op_create(compose, 0, &op));
    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank / 3, -t_rank, &some));
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        all_of(MPI_COMM_WORLD, op, units[i]);
        all_of(some, op, units[i]);
        all_of(MPI_COMM_SELF, op, units[i]);
    }
    at_once();
    errors();
    OK(MPI_Comm_free(&some));
    OK(MPI_Op_free(&op));
    return t_end();
}
