/* Puts, gets and accumulates between data with gaps on both sides, of runs of many lengths that lie
 * in many ways, against lists of the places of their elements.  argument: how memory is reached. */
#include "t.h"

/* Of int64_t.  Types begin in the middle of a buffer, as some go backwards. */
enum { N = 3840, MIDDLE = 8192, SIDE = 2 * MIDDLE, EACH = 3, OWN = 1280 };
enum { CLOSE, VECTOR, BACKWARDS, PLANE, NARROW, TIMES, TIMES_PLANE, LIST, SHUFFLED, TIMES_LIST,
       TIMES_SHUFFLED, MIXED, MIXED_SHUFFLED, MIXED_OTHERWISE, PARTS, KINDS };
enum { PUT, GET, SUM, REPLACE, FETCH, CALLS };
static const int lengths[] = { 640, 384, 128, 64, 32, 16, 12, 2 };
enum { LENGTHS = sizeof lengths / sizeof *lengths, SIDES = KINDS * LENGTHS };

struct side { MPI_Datatype type; int count, place[N]; };
static struct side sides[SIDES];

/* -- types of `all` elements in runs of `length` */

static MPI_Datatype vector(int rows, int length, int stride)
{
    MPI_Datatype t;
    OK(MPI_Type_vector(rows, length, stride, MPI_INT64_T, &t));
    return t;
}

/* Of another type, which ends here. */
static MPI_Datatype resized(MPI_Datatype t, int extent)
{
    MPI_Datatype all;
    OK(MPI_Type_create_resized(t, 0, (MPI_Aint)extent * 8, &all));
    OK(MPI_Type_free(&t));
    return all;
}

static MPI_Datatype repeated(int count, int stride, MPI_Datatype t)
{
    MPI_Datatype all;
    OK(MPI_Type_create_hvector(count, 1, (MPI_Aint)stride * 8, t, &all));
    OK(MPI_Type_free(&t));
    return all;
}

static MPI_Datatype listed(int rows, int length, int step)
{
    MPI_Datatype t;
    int at[N];
    for (int i = 0; i < rows; i++)
        at[i] = i * step % rows * 2 * length + i % 3 * (length / 3);
    OK(MPI_Type_create_indexed_block(rows, length, at, MPI_INT64_T, &t));
    return t;
}

/* Runs half as long and half as long again, in turn; or (otherwise) the other way round from the
 * third on. */
static MPI_Datatype mixed(int rows, int length, int step, bool otherwise)
{
    MPI_Datatype t;
    int at[N], lengths_of[N];
    for (int i = 0; i < rows; i++) {
        at[i] = i * step % rows * 2 * length;
        lengths_of[i] = i % 2 == (otherwise && i > 1) ? length - length / 2 : length + length / 2;
    }
    OK(MPI_Type_indexed(rows, lengths_of, at, MPI_INT64_T, &t));
    return t;
}

/* Rows with two distances. */
static MPI_Datatype parts(int rows, int length)
{
    const MPI_Aint at[2] = { 0, (MPI_Aint)rows * length * 8 };
    MPI_Datatype half[2] = { vector(rows / 2, length, length + 1),
                             vector(rows / 2, length, 2 * length) }, t;
    OK(MPI_Type_create_struct(2, (int[]){ 1, 1 }, at, half, &t));
    OK(MPI_Type_free(&half[0]));
    OK(MPI_Type_free(&half[1]));
    return t;
}

static MPI_Datatype type_of(int kind, int rows, int length)
{
    switch (kind) {
    case CLOSE: return vector(1, rows * length, rows * length);
    case VECTOR: return vector(rows, length, 2 * length);
    case BACKWARDS: return vector(rows, length, -2 * length);
    case PLANE: return repeated(2, rows * length, vector(rows / 2, length, length + length / 2));
    case NARROW: return repeated(rows / 2, 4 * length, vector(2, length, length + length / 2));
    case TIMES: return resized(vector(1, length, length), 2 * length);
    case TIMES_PLANE: return resized(vector(rows / 2, length, 2 * length), rows * length + 1);
    case LIST: return listed(rows, length, 1);
    case SHUFFLED: return listed(rows, length, 7);
    case TIMES_LIST: return resized(listed(rows / 2, length, 1), rows * length + 1);
    case TIMES_SHUFFLED: return resized(listed(rows / 2, length, 7), rows * length + 1);
    case MIXED: return mixed(rows, length, 1, false);
    case MIXED_SHUFFLED: return mixed(rows, length, 7, false);
    case MIXED_OTHERWISE: return mixed(rows, length, 1, true);
    default: return parts(rows, length);
    }
}

static int count_of(int kind, int rows)
{
    const bool twice = kind == TIMES_PLANE || kind == TIMES_LIST || kind == TIMES_SHUFFLED;
    return kind == TIMES ? rows : twice ? 2 : 1;
}

/* `all` elements; where they are. */
static void make(struct side *s, int kind, int length, int all)
{
    const int rows = all / length, bytes = all * 4;
    int at = 0;
    s->type = type_of(kind, rows, length);
    s->count = count_of(kind, rows);
    OK(MPI_Type_commit(&s->type));
    int64_t *wide = t_alloc(SIDE * sizeof *wide), *packed = t_alloc((size_t)all * sizeof *packed);
    for (int i = 0; i < SIDE; i++)
        wide[i] = i;
    OK(MPI_Pack(wide + MIDDLE, s->count, s->type, packed, 2 * bytes, &at, MPI_COMM_SELF));
    SAME(at, 2 * bytes);
    for (int i = 0; i < all; i++) {
        CHECK(packed[i] >= 0 && packed[i] < SIDE);      /* nobody watches who goes there */
        s->place[i] = (int)packed[i];
    }
    free(wide);
    free(packed);
}

/* -- a call, and what it should do */

static int64_t own[SIDE], there[SIDE], fetched[SIDE], want[SIDE], want_there[SIDE],
    want_fetched[SIDE];

UNWATCHED static void model(int call, const struct side *o, const struct side *t, int all)
{
    for (int i = 0; i < all; i++) {
        int64_t *local = &want[o->place[i]], *remote = &want_there[t->place[i]];
        if (call == GET)
            *local = *remote;
        if (call == FETCH)
            want_fetched[o->place[i]] = *remote;
        if (call == PUT || call == REPLACE)
            *remote = *local;
        if (call == SUM || call == FETCH)
            *remote += *local;
    }
}

static void issue(int call, const struct side *o, const struct side *t, MPI_Win win)
{
    int64_t *at = own + MIDDLE;
    const MPI_Op op = call == REPLACE ? MPI_REPLACE : MPI_SUM;
    const int to = t_next();
    if (call == PUT)
        OK(MPI_Put(at, o->count, o->type, to, MIDDLE, t->count, t->type, win));
    else if (call == GET)
        OK(MPI_Get(at, o->count, o->type, to, MIDDLE, t->count, t->type, win));
    else if (call == FETCH)
        OK(MPI_Get_accumulate(at, o->count, o->type, fetched + MIDDLE, o->count, o->type, to,
                              MIDDLE, t->count, t->type, op, win));
    else
        OK(MPI_Accumulate(at, o->count, o->type, to, MIDDLE, t->count, t->type, op, win));
}

UNWATCHED static bool equal(const int64_t *a, const int64_t *b)
{
    int64_t differ = 0;
    for (int i = 0; i < SIDE; i++)
        differ |= a[i] ^ b[i];
    return !differ;
}

static bool are_same(const int64_t *got, const int64_t *wanted)
{
    all_read(got, SIDE * sizeof *got);
    return equal(got, wanted);
}

UNWATCHED static void fill(int64_t turn)
{
    for (int i = 0; i < SIDE; i++) {
        own[i] = want[i] = i + 1000 * turn;
        there[i] = want_there[i] = -i - turn;
        fetched[i] = want_fetched[i] = 77;
    }
}

static void one(int call, const struct side *o, const struct side *t, int all, MPI_Win win)
{
    static int64_t turn;
    all_written(own, sizeof own);
    all_written(there, sizeof there);
    if (call == FETCH)      /* to others it is no argument */
        all_written(fetched, sizeof fetched);
    fill(++turn);
    model(call, o, t, all);
    OK(MPI_Put(there, SIDE, MPI_INT64_T, t_next(), 0, SIDE, MPI_INT64_T, win));
    OK(MPI_Win_flush(t_next(), win));
    issue(call, o, t, win);
    OK(MPI_Win_flush(t_next(), win));
    OK(MPI_Get(there, SIDE, MPI_INT64_T, t_next(), 0, SIDE, MPI_INT64_T, win));
    OK(MPI_Win_flush(t_next(), win));
    CHECK(are_same(own, want));
    CHECK(are_same(there, want_there));
    CHECK(call == FETCH ? are_same(fetched, want_fetched) : equal(fetched, want_fetched));
}

/* -- which of them */

/* Each with itself, the next kind, and some others. */
static void all_sides(MPI_Win win)
{
    unsigned any = 1;
    for (int i = 0; i < SIDES; i++)
        for (int k = 0; k < EACH; k++) {
            any = any * 1103515245u + 12345u;
            const int other = k < 2 ? (i + k) % SIDES : (int)(any / 65536u % SIDES);
            for (int call = 0; call < CALLS; call++)
                one(call, &sides[i], &sides[other], N, win);
        }
}

/* Of few elements the first are changed one by one, and none for itself behind those. */
static void few(MPI_Win win)
{
    struct side rows, once;
    make(&rows, VECTOR, 16, 48);
    make(&once, CLOSE, 16, 48);
    for (int i = 0; i < 12; i++)
        for (int call = 0; call < CALLS; call++)
            one(call, i % 3 == 1 ? &once : &rows, i % 3 == 2 ? &once : &rows, 48, win);
    OK(MPI_Type_free(&rows.type));
    OK(MPI_Type_free(&once.type));
}

/* An element that a type has twice is changed twice. */
static void again_and_again(MPI_Win win)
{
    struct side rows, same = { .type = vector(6, 64, 0), .count = 1 };
    make(&rows, VECTOR, 64, 384);
    OK(MPI_Type_commit(&same.type));
    for (int i = 0; i < 384; i++)
        same.place[i] = MIDDLE + i % 64;
    for (int i = 0; i < 3; i++)
        one(SUM, &rows, &same, 384, win);
    OK(MPI_Type_free(&same.type));
    OK(MPI_Type_free(&rows.type));
}

/* Rows of a rank's own to places `by` elements on: the row beside each, or the next of them, where
 * all are read before any is written. */
static void own_row(int call, const struct side *s, int by, MPI_Win win, int64_t *mine)
{
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t_rank, 0, win));
    for (int i = 0; i < SIDE; i++)
        mine[i] = want[i] = i;
    for (int i = 0; i < OWN; i++) {
        const int from = s->place[i], to = from + by;
        if (call == GET)
            want[from] = to;
        else
            want[to] = call == PUT ? from : from + to;
    }
    if (call == PUT)
        OK(MPI_Put(mine + MIDDLE, 1, s->type, t_rank, MIDDLE + by, 1, s->type, win));
    else if (call == GET)
        OK(MPI_Get(mine + MIDDLE, 1, s->type, t_rank, MIDDLE + by, 1, s->type, win));
    else
        OK(MPI_Accumulate(mine + MIDDLE, 1, s->type, t_rank, MIDDLE + by, 1, s->type, MPI_SUM,
                          win));
    OK(MPI_Win_unlock(t_rank, win));
    CHECK(!memcmp(mine, want, sizeof want));
}

static void own_rows(MPI_Win win, int64_t *mine, bool mapped)
{
    struct side s;
    make(&s, VECTOR, 128, OWN);
    for (int call = PUT; call <= SUM; call++) {
        own_row(call, &s, 128, win, mine);
        if (mapped)
            own_row(call, &s, 256, win, mine);
    }
    OK(MPI_Type_free(&s.type));
}

/* What the standard leaves open is as ever where ranks load and store. */
static void each_lock(MPI_Win win, int64_t *mine, bool mapped)
{
    const int locks[] = { MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE };
    for (int i = 0; i < 2; i++) {
        OK(MPI_Win_lock(locks[i], t_next(), 0, win));
        few(win);
        if (mapped)
            again_and_again(win);
        all_sides(win);
        OK(MPI_Win_unlock(t_next(), win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    own_rows(win, mine, mapped);
    OK(MPI_Win_free(&win));
}

/* In windows that are allocated. */
static bool loads(const char *way)
{
    return !strcmp(way, "direct") && !t_modelled() && !t_apart() && !getenv("MPILITE_RMA")
           && !getenv("NICEMU_RDMA") && !getenv("NICEMU_REMOTE") && !getenv("NICEMU_HEAP");
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "direct";
    static int64_t mine[SIDE];
    int64_t *part;
    MPI_Win win;
    if (!strcmp(way, "staged"))
        setenv("NICEMU_RDMA", "staged", 1);
    if (!strcmp(way, "private"))
        setenv("MPILITE_RMA", way, 1);
    t_start(&argc, &argv);
    for (int i = 0; i < SIDES; i++)
        make(&sides[i], i % KINDS, lengths[i / KINDS], N);
    OK(MPI_Win_create(mine, sizeof mine, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    each_lock(win, mine, false);
    OK(MPI_Win_allocate(sizeof mine, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win));
    each_lock(win, part, loads(way));
    for (int i = 0; i < SIDES; i++)
        OK(MPI_Type_free(&sides[i].type));
    return t_end();
}
