/* One-sided operations at random, in each kind of window and by each kind of synchronization,
 * against a model of all windows that every rank keeps.  In an epoch a cell of a target is left
 * alone, put by one rank, read, or accumulated into by several with one operation.
 * argument: how the memory of others is reached. */
#include <stdbool.h>

#include "t.h"

enum { CELLS = 6, SPREAD = 32, PICKED = 16, INTS = CELLS * SPREAD, RANKS_MAX = 16, EPOCHS = 48 };
enum { IDLE, PUT, GET, ACCUMULATE, FETCH, MODES };
enum { FENCE, POST, LOCK, LOCK_ALL, SYNCS };

static const MPI_Op ops[] = { MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, MPI_BXOR,
                              MPI_LAND, MPI_LOR, MPI_LXOR, MPI_REPLACE, MPI_NO_OP };
enum { OPS = sizeof ops / sizeof *ops, COMMON_OPS = 10 };

static uint64_t state;
static unsigned any(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static int32_t combined(MPI_Op op, int32_t a, int32_t b)
{
    OK(MPI_Reduce_local(&b, &a, 1, MPI_INT32_T, op));
    return a;
}

static int32_t applied(MPI_Op op, int32_t old, int32_t value)
{
    return op == MPI_REPLACE ? value : op == MPI_NO_OP ? old : combined(op, old, value);
}

/* Which ints of a cell a shape picks, in order; and the type that says so. */
enum { SHAPES = 4 };
static MPI_Datatype shape_type[SHAPES];
static int picked(int shape, int i)
{
    return shape == 0 ? i : shape == 1 ? 2 * i : shape == 2 ? 31 - 2 * i : i < 8 ? i + 20 : i - 8;
}

static void make_shapes(void)
{
    int at[PICKED];
    for (int s = 0; s < SHAPES; s++) {
        for (int i = 0; i < PICKED; i++)
            at[i] = picked(s, i);
        if (s == 0)
            OK(MPI_Type_contiguous(PICKED, MPI_INT32_T, &shape_type[s]));
        else if (s == 1)
            OK(MPI_Type_vector(PICKED, 1, 2, MPI_INT32_T, &shape_type[s]));
        else
            OK(MPI_Type_create_indexed_block(PICKED, 1, at, MPI_INT32_T, &shape_type[s]));
        OK(MPI_Type_commit(&shape_type[s]));
    }
}

static int32_t model[RANKS_MAX][INTS];

/* One operation of `from` on a cell: the same at all ranks.  few: so many ints side by side, in
 * place of the shapes. */
struct work { int from, target, cell, mode, shape, origin_shape, few, op; unsigned seed; };
static struct work works[RANKS_MAX * CELLS * 3];
static int work_count;
static int32_t buffers[RANKS_MAX * CELLS * 3][SPREAD], results[RANKS_MAX * CELLS * 3][SPREAD];

static int32_t value_of(const struct work *k, int i)
{
    return (int32_t)(k->seed * 2654435761u >> 7) % 5 + i % 3 - 1;
}

static int ints_of(const struct work *k) { return k->few ? k->few : PICKED; }
static int at_origin(const struct work *k, int i)
{
    return k->few ? i : picked(k->origin_shape, i);
}
static int at_target(const struct work *k, int i) { return k->few ? i : picked(k->shape, i); }

static void choose(int target, int cell)
{
    int few = any(2) ? 1 + (int)any(14) : 0;
    int mode = (int)any(MODES), from = (int)any((unsigned)t_size), shape = (int)any(SHAPES);
    int many = mode == ACCUMULATE ? 1 + (int)any(3) : mode != IDLE;
    int op = (int)any(many > 1 ? COMMON_OPS : mode == ACCUMULATE ? OPS - 1 : OPS);
    for (int i = 0; i < many; i++)
        works[work_count++] = (struct work){
            .from = (from + i) % t_size, .target = target, .cell = cell, .mode = mode,
            .shape = shape, .origin_shape = (int)any(SHAPES), .few = few, .op = op,
            .seed = any(1u << 30),
        };
}

static void do_work(const struct work *k, int n, MPI_Win win, bool with_request, MPI_Request *r)
{
    int32_t *buffer = buffers[n], *result = results[n];
    MPI_Aint disp = k->cell * SPREAD;
    MPI_Datatype o = k->few ? MPI_INT32_T : shape_type[k->origin_shape];
    MPI_Datatype t = k->few ? MPI_INT32_T : shape_type[k->shape];
    const int count = k->few ? k->few : 1;
    *r = MPI_REQUEST_NULL;
    for (int i = 0; i < SPREAD; i++)
        buffer[i] = result[i] = -77;
    for (int i = 0; i < ints_of(k); i++)
        buffer[at_origin(k, i)] = value_of(k, i);
    switch (k->mode) {
    case PUT:
        if (with_request)
            OK(MPI_Rput(buffer, count, o, k->target, disp, count, t, win, r));
        else
            OK(MPI_Put(buffer, count, o, k->target, disp, count, t, win));
        break;
    case GET:
        if (with_request)
            OK(MPI_Rget_c(result, count, o, k->target, disp, count, t, win, r));
        else
            OK(MPI_Get_c(result, count, o, k->target, disp, count, t, win));
        break;
    case ACCUMULATE:
        if (with_request)
            OK(MPI_Raccumulate(buffer, count, o, k->target, disp, count, t, ops[k->op], win, r));
        else
            OK(MPI_Accumulate(buffer, count, o, k->target, disp, count, t, ops[k->op], win));
        break;
    default:
        if (with_request)
            OK(MPI_Rget_accumulate(buffer, count, o, result, count, o, k->target, disp, count, t,
                                   ops[k->op], win, r));
        else
            OK(MPI_Get_accumulate(buffer, count, o, result, count, o, k->target, disp, count, t,
                                  ops[k->op], win));
    }
}

/* What was read is what the cell had; the gaps of the buffer are as they were. */
static void check_result(const struct work *k, int n, int32_t (*before)[INTS])
{
    int32_t want[SPREAD];
    for (int i = 0; i < SPREAD; i++)
        want[i] = -77;
    for (int i = 0; i < ints_of(k); i++)
        want[at_origin(k, i)] = before[k->target][k->cell * SPREAD + at_target(k, i)];
    for (int i = 0; i < SPREAD; i++)
        SAME(results[n][i], want[i]);
}

static void apply_to_model(const struct work *k)
{
    int32_t *cell = &model[k->target][k->cell * SPREAD];
    MPI_Op op = k->mode == PUT ? MPI_REPLACE : k->mode == GET ? MPI_NO_OP : ops[k->op];
    for (int i = 0; i < ints_of(k); i++) {
        int32_t *at = &cell[at_target(k, i)];
        *at = applied(op, *at, value_of(k, i));
    }
}

static void own_works(MPI_Win win, int target, bool passive)
{
    MPI_Request requests[RANKS_MAX * CELLS * 3];
    int count = 0;
    for (int n = 0; n < work_count; n++)
        if (works[n].from == t_rank && (target < 0 || works[n].target == target))
            do_work(&works[n], n, win, passive && n % 2, &requests[count++]);
    OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
}

static void synchronized_works(MPI_Win win, int sync)
{
    MPI_Group all;
    switch (sync) {
    case FENCE:
        OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
        own_works(win, -1, false);
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
        break;
    case POST:
        OK(MPI_Win_get_group(win, &all));
        OK(MPI_Win_post(all, 0, win));
        OK(MPI_Win_start(all, 0, win));
        own_works(win, -1, false);
        OK(MPI_Win_complete(win));
        if (t_rank % 2) {
            OK(MPI_Win_wait(win));
        } else {
            int done = 0;
            while (!done)
                OK(MPI_Win_test(win, &done));
        }
        OK(MPI_Group_free(&all));
        break;
    case LOCK:
        for (int i = 0; i < t_size; i++) {
            int target = (t_rank + i) % t_size;
            OK(MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win));
            own_works(win, target, true);
            OK(MPI_Win_unlock(target, win));
        }
        break;
    default:
        OK(MPI_Win_lock_all(0, win));
        own_works(win, -1, true);
        OK(MPI_Win_flush_local_all(win));
        OK(MPI_Win_flush_all(win));
        OK(MPI_Win_unlock_all(win));
    }
}

static void epoch(MPI_Win win, int sync, const int32_t *mine)
{
    static int32_t before[RANKS_MAX][INTS];
    work_count = 0;
    for (int target = 0; target < t_size; target++)
        for (int cell = 0; cell < CELLS; cell++)
            choose(target, cell);
    synchronized_works(win, sync);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    memcpy(before, model, sizeof before);
    for (int n = 0; n < work_count; n++)
        apply_to_model(&works[n]);
    for (int n = 0; n < work_count; n++)
        if (works[n].from == t_rank && (works[n].mode == GET || works[n].mode == FETCH))
            check_result(&works[n], n, before);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_rank, 0, win));
    for (int i = 0; i < INTS; i++)
        SAME(mine[i], model[t_rank][i]);
    OK(MPI_Win_unlock(t_rank, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void epochs(MPI_Win win, int32_t *mine)
{
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t_rank, 0, win));
    for (int i = 0; i < INTS; i++)
        mine[i] = model[t_rank][i];
    OK(MPI_Win_unlock(t_rank, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int e = 0; e < EPOCHS; e++)
        epoch(win, (int)any(SYNCS), mine);
    OK(MPI_Win_free(&win));
}

static void each_window(void)
{
    static int32_t own[INTS];
    const MPI_Aint bytes = sizeof own;
    int32_t *mine;
    MPI_Info info;
    MPI_Win win;
    OK(MPI_Win_create(own, bytes, sizeof(int32_t), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    epochs(win, own);
    OK(MPI_Win_allocate(bytes, sizeof(int32_t), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    epochs(win, mine);
    if (t_apart())
        return;
    OK(MPI_Win_allocate_shared(bytes, sizeof(int32_t), MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                               &win));
    epochs(win, mine);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    OK(MPI_Win_allocate_shared(bytes, sizeof(int32_t), info, MPI_COMM_WORLD, &mine, &win));
    OK(MPI_Info_free(&info));
    epochs(win, mine);
}

/* What the NIC counts from here on. */
static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle;
static void count(const char *name)
{
    int index, values, provided;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index));
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &values));
    OK(MPI_T_pvar_start(session, handle));
}

static uint64_t counted(void)
{
    uint64_t value = 0;
    OK(MPI_T_pvar_read(session, handle, &value));
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    return value;
}

/* All ranks at one word: no addition is lost, and none is seen twice. */
static void one_word(void)
{
    enum { TURNS = 150 };
    int64_t own[2] = { 0, 0 }, one = 1, last = -1, old;
    MPI_Win win;
    OK(MPI_Win_create(own, sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < TURNS; i++) {
        OK(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, 1, 1, MPI_INT64_T, MPI_SUM, win));
        OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 0, 0, MPI_SUM, win));
        OK(MPI_Win_flush(0, win));
        CHECK(old > last);
        last = old;
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 2; i++) {
        OK(MPI_Get(&old, 1, MPI_INT64_T, 0, i, 1, MPI_INT64_T, win));
        OK(MPI_Win_flush(0, win));
        SAME(old, TURNS * t_size);
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* Before MPI is there: as the launcher says. */
static int own_rank(void)
{
    const char *text = getenv("NICEMU_RANK");
    if (!text)
        text = getenv("PMI_RANK");
    return text ? atoi(text) : 0;
}

static void set_up(const char *way)
{
    if (!strcmp(way, "staged"))
        setenv("NICEMU_RDMA", "staged", 1);
    if (!strcmp(way, "private"))
        setenv("MPILITE_RMA", way, 1);
    if (!strcmp(way, "packet"))
        setenv("NICEMU_REMOTE", "packet", 1);
    if (!strcmp(way, "asked"))
        setenv("MPILITE_RMA", "packets", 1);
    if (!strcmp(way, "mixed"))          /* each other rank goes the other way */
        setenv("MPILITE_RMA", own_rank() % 2 ? "packets" : "copy", 1);
}

int main(int argc, char **argv)
{
    set_up(argc > 1 ? argv[1] : "direct");
    t_start(&argc, &argv);
    CHECK(t_size <= RANKS_MAX);
    count("one_sided_asked");
    state = 7 + (unsigned)t_size;
    for (int r = 0; r < t_size; r++)
        for (int i = 0; i < INTS; i++)
            model[r][i] = (int32_t)any(7) - 3;
    make_shapes();
    each_window();
    one_word();
    const uint64_t asked = counted();
    const bool live = !t_modelled();
    if (argc > 1 && !strcmp(argv[1], "asked") && t_size > 1 && !t_apart() && live)
        CHECK(asked > 0);
    for (int s = 0; s < SHAPES; s++)
        OK(MPI_Type_free(&shape_type[s]));
    return t_end();
}
