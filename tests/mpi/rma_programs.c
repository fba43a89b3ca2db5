/* Programs as textbooks have them, each of which uses several parts of one-sided communication
 * together: a list and a hash table that all ranks build at once, a lock that the program makes
 * itself, a transposition by datatypes, halos, a ring, requests among others.
 * argument: how memory is reached. */
#include <sched.h>
#include <stddef.h>

#include "t.h"

enum { KINDS = 2 };         /* of windows: the program's memory, the window's */

static void *window(int kind, size_t bytes, int unit, MPI_Comm comm, MPI_Win *win)
{
    static int64_t own[4096];
    void *memory = own;
    CHECK(bytes <= sizeof own);
    if (kind)
        OK(MPI_Win_allocate((MPI_Aint)bytes, unit, MPI_INFO_NULL, comm, &memory, win));
    else
        OK(MPI_Win_create(own, (MPI_Aint)bytes, unit, MPI_INFO_NULL, comm, win));
    memset(memory, 0, bytes);
    OK(MPI_Barrier(comm));
    return memory;
}

/* -- a list in a dynamic window: who swaps the last element's end for its own has appended it.
 * Whoever is late follows the links, and looks again while one is half written. */

struct link { int64_t rank; MPI_Aint at; };
struct element { struct link next; int64_t value; };
enum { APPENDED = 6 };
static const struct link end = { -1, -1 };

static struct link element_new(struct element *e, int64_t value, MPI_Win win)
{
    struct link self = { .rank = t_rank };
    *e = (struct element){ end, value };
    OK(MPI_Win_attach(win, e, sizeof *e));
    OK(MPI_Get_address(e, &self.at));
    return self;
}

/* The element behind the last, whose rank is known already. */
static struct link follow(struct link last, int64_t rank, MPI_Win win)
{
    struct link next = { rank, end.at };
    while (next.at == end.at) {
        OK(MPI_Fetch_and_op(NULL, &next.at, MPI_AINT, (int)last.rank,
                            MPI_Aint_add(last.at, offsetof(struct element, next.at)), MPI_NO_OP,
                            win));
        OK(MPI_Win_flush((int)last.rank, win));
        if (next.at == end.at)
            sched_yield();
    }
    return next;
}

static struct link append(struct link last, struct link added, MPI_Win win)
{
    for (;;) {
        int64_t before = 0;
        OK(MPI_Compare_and_swap(&added.rank, &end.rank, &before, MPI_INT64_T, (int)last.rank,
                                MPI_Aint_add(last.at, offsetof(struct element, next.rank)), win));
        OK(MPI_Win_flush((int)last.rank, win));
        if (before == end.rank)
            break;
        last = follow(last, before, win);
    }
    OK(MPI_Accumulate(&added.at, 1, MPI_AINT, (int)last.rank,
                      MPI_Aint_add(last.at, offsetof(struct element, next.at)), 1, MPI_AINT,
                      MPI_REPLACE, win));
    OK(MPI_Win_flush((int)last.rank, win));
    return added;
}

static void list(void)
{
    static struct element mine[APPENDED + 1];
    struct link head, last;
    int seen[APPENDED * 16] = { 0 };
    MPI_Win win;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    head = element_new(&mine[APPENDED], -1, win);
    OK(MPI_Bcast(&head, sizeof head, MPI_BYTE, 0, MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    last = head;
    for (int i = 0; i < APPENDED; i++)
        last = append(last, element_new(&mine[i], APPENDED * t_rank + i, win), win);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (struct link l = head; l.rank >= 0;) {
        struct element e;
        OK(MPI_Get(&e, sizeof e, MPI_BYTE, (int)l.rank, l.at, sizeof e, MPI_BYTE, win));
        OK(MPI_Win_flush((int)l.rank, win));
        CHECK(e.value < APPENDED * t_size);
        if (e.value >= 0)
            seen[e.value]++;
        l = e.next;
    }
    OK(MPI_Win_unlock_all(win));
    for (int i = 0; i < APPENDED * t_size; i++)
        SAME(seen[i], 1);
    OK(MPI_Win_free(&win));
}

/* -- a hash table with open addresses */

enum { PLACES = 64, KEYS = 20 };
struct entry { int64_t key, count; };       /* key 0: free */

static void hash_table(int kind)
{
    MPI_Win win;
    const struct entry *mine = window(kind, PLACES * sizeof *mine, 1, MPI_COMM_WORLD, &win);
    const int64_t none = 0, one = 1;
    int64_t sums[2] = { 0 };
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < KEYS; i++) {
        int64_t key = i % 2 ? i + 1 : 1000 * (t_rank + 1) + i, old = -1;
        const int target = (int)(key % t_size);
        unsigned place = (unsigned)(key * 2654435761) % PLACES;
        for (;; place = (place + 1) % PLACES) {
            OK(MPI_Compare_and_swap(&key, &none, &old, MPI_INT64_T, target,
                                    place * sizeof *mine, win));
            OK(MPI_Win_flush(target, win));
            if (old == none || old == key)
                break;
        }
        OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, place * sizeof *mine + 8, 1, MPI_INT64_T,
                          MPI_SUM, win));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_rank, 0, win));
    for (int i = 0; i < PLACES; i++) {
        CHECK(!mine[i].key == !mine[i].count);
        CHECK(!mine[i].key || mine[i].count == (mine[i].key < 1000 ? t_size : 1));
        sums[0] += mine[i].key != 0;
        sums[1] += mine[i].count;
    }
    OK(MPI_Win_unlock(t_rank, win));
    OK(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    SAME(sums[0], KEYS / 2 * (t_size + 1));
    SAME(sums[1], KEYS * t_size);
    OK(MPI_Win_free(&win));
}

/* -- the program's own queue of who waits for a critical section */

enum { NEXT, BLOCKED, TAIL, COUNT, LOCK_WORDS, SECTIONS = 6 };

static int fetch(int target, int word, MPI_Win win)
{
    int value;
    OK(MPI_Fetch_and_op(NULL, &value, MPI_INT, target, word, MPI_NO_OP, win));
    OK(MPI_Win_flush(target, win));
    return value;
}

static void store(int target, int word, int value, MPI_Win win)
{
    OK(MPI_Accumulate(&value, 1, MPI_INT, target, word, 1, MPI_INT, MPI_REPLACE, win));
    OK(MPI_Win_flush(target, win));
}

static void acquire(MPI_Win win)
{
    int before;
    store(t_rank, BLOCKED, 1, win);
    store(t_rank, NEXT, -1, win);
    OK(MPI_Fetch_and_op(&t_rank, &before, MPI_INT, 0, TAIL, MPI_REPLACE, win));
    OK(MPI_Win_flush(0, win));
    if (before < 0)
        return;
    store(before, NEXT, t_rank, win);
    while (fetch(t_rank, BLOCKED, win))
        sched_yield();
}

static void release(MPI_Win win)
{
    const int nobody = -1;
    int next = fetch(t_rank, NEXT, win), last;
    if (next < 0) {
        OK(MPI_Compare_and_swap(&nobody, &t_rank, &last, MPI_INT, 0, TAIL, win));
        OK(MPI_Win_flush(0, win));
        if (last == t_rank)
            return;
        while ((next = fetch(t_rank, NEXT, win)) < 0)
            sched_yield();
    }
    store(next, BLOCKED, 0, win);
}

static void own_lock(int kind)
{
    MPI_Win win;
    int count, *mine = window(kind, LOCK_WORDS * sizeof *mine, sizeof *mine, MPI_COMM_WORLD, &win);
    OK(MPI_Win_lock_all(0, win));
    store(t_rank, TAIL, -1, win);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < SECTIONS; i++) {
        acquire(win);
        OK(MPI_Get(&count, 1, MPI_INT, 0, COUNT, 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        count++;
        OK(MPI_Put(&count, 1, MPI_INT, 0, COUNT, 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        release(win);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    SAME(fetch(0, COUNT, win), SECTIONS * t_size);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* -- a word goes round; who waits for it does nothing but look at its own, and keeps nobody out */

static void polled(int kind)
{
    MPI_Win win;
    int *mine = window(kind, LOCK_WORDS * sizeof *mine, sizeof *mine, MPI_COMM_WORLD, &win);
    OK(MPI_Win_lock_all(0, win));
    store(t_rank, COUNT, 0, win);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 1; i <= SECTIONS; i++) {
        while (t_rank && fetch(t_rank, COUNT, win) < i)
            ;
        store(t_next(), COUNT, i, win);
        while (!t_rank && fetch(t_rank, COUNT, win) < i)
            ;
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* -- a matrix, some rows at each rank, transposed by gets alone: columns of theirs become rows */

enum { ROWS = 5 };

static void transpose(int kind)
{
    const int columns = ROWS * t_size;
    int32_t *got = t_alloc((size_t)(ROWS * columns) * sizeof *got);
    MPI_Win win;
    MPI_Datatype column, theirs, mine;
    int32_t *own = window(kind, (size_t)(ROWS * columns) * sizeof *own, sizeof *own,
                          MPI_COMM_WORLD, &win);
    for (int i = 0; i < ROWS * columns; i++)
        own[i] = 1000 * (ROWS * t_rank + i / columns) + i % columns;
    OK(MPI_Type_vector(ROWS, 1, columns, MPI_INT32_T, &column));
    OK(MPI_Type_create_hvector(ROWS, 1, sizeof *own, column, &theirs));
    OK(MPI_Type_vector(ROWS, ROWS, columns, MPI_INT32_T, &mine));
    OK(MPI_Type_commit(&theirs));
    OK(MPI_Type_commit(&mine));
    OK(MPI_Win_fence(0, win));
    for (int r = 0; r < t_size; r++)
        OK(MPI_Get(got + ROWS * r, 1, mine, r, ROWS * t_rank, 1, theirs, win));
    OK(MPI_Type_free(&column));
    OK(MPI_Type_free(&theirs));         /* it goes on */
    OK(MPI_Type_free(&mine));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int i = 0; i < ROWS * columns; i++)
        SAME(got[i], 1000 * (i % columns) + ROWS * t_rank + i / columns);
    free(got);
    OK(MPI_Win_free(&win));
}

/* -- halos: ghost cells of the neighbours in a ring, put and fetched in turn */

enum { CELLS = 8, STEPS = 6 };

static void halos(int kind)
{
    const int all = CELLS * t_size;
    MPI_Win win;
    int64_t *cell = window(kind, (CELLS + 2) * sizeof *cell, sizeof *cell, MPI_COMM_WORLD, &win);
    int64_t *whole = t_alloc((size_t)all * sizeof *whole), *next = t_alloc((size_t)all * 8);
    for (int i = 0; i < all; i++)
        whole[i] = i * i % 37;
    memcpy(cell + 1, whole + CELLS * t_rank, CELLS * sizeof *cell);
    for (int step = 0; step < STEPS; step++) {
        OK(MPI_Win_fence(step ? 0 : MPI_MODE_NOPRECEDE, win));
        if (step % 2) {
            OK(MPI_Put(cell + 1, 1, MPI_INT64_T, t_prev(), CELLS + 1, 1, MPI_INT64_T, win));
            OK(MPI_Put(cell + CELLS, 1, MPI_INT64_T, t_next(), 0, 1, MPI_INT64_T, win));
        } else {
            OK(MPI_Get(cell, 1, MPI_INT64_T, t_prev(), CELLS, 1, MPI_INT64_T, win));
            OK(MPI_Get(cell + CELLS + 1, 1, MPI_INT64_T, t_next(), 1, 1, MPI_INT64_T, win));
        }
        OK(MPI_Win_fence(0, win));
        for (int i = 0; i < all; i++)
            next[i] = whole[(i + all - 1) % all] + whole[(i + 1) % all] - whole[i];
        memcpy(whole, next, (size_t)all * sizeof *whole);
        for (int64_t i = 1, left = cell[0], here; i <= CELLS; i++, left = here) {
            here = cell[i];
            cell[i] = left + cell[i + 1] - here;
            SAME(cell[i], whole[CELLS * t_rank + i - 1]);
        }
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    free(whole);
    free(next);
    OK(MPI_Win_free(&win));
}

/* -- a ring by post, start, complete and wait or test; ranks of a communicator in reverse order,
 * each with a unit of its own, and an origin by its absolute address */

static void ring(int kind)
{
    int32_t out[4];
    int rank, flag, next, prev;
    MPI_Aint address;
    MPI_Group all, to, from;
    MPI_Datatype absolute;
    MPI_Comm comm;
    MPI_Win win;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -t_rank, &comm));
    OK(MPI_Comm_rank(comm, &rank));
    int32_t *in = window(kind, 8 * sizeof *in, rank % 2 ? 4 : 8, comm, &win);
    next = (rank + 1) % t_size;
    prev = (rank + t_size - 1) % t_size;
    OK(MPI_Win_get_group(win, &all));
    OK(MPI_Group_incl(all, 1, &next, &to));
    OK(MPI_Group_incl(all, 1, &prev, &from));
    OK(MPI_Get_address(out, &address));
    OK(MPI_Type_create_hindexed_block(1, 4, &address, MPI_INT32_T, &absolute));
    OK(MPI_Type_commit(&absolute));
    for (int turn = 0; turn < 6; turn++) {
        for (int i = 0; i < 4; i++)
            out[i] = 100 * rank + 10 * turn + i;
        OK(MPI_Win_post(from, turn % 2 ? MPI_MODE_NOSTORE : 0, win));
        OK(MPI_Win_start(to, 0, win));
        OK(MPI_Put(MPI_BOTTOM, 1, absolute, next, next % 2 ? 2 : 1, 4, MPI_INT32_T, win));
        OK(MPI_Win_complete(win));
        if (turn % 3)
            OK(MPI_Win_wait(win));
        else
            do
                OK(MPI_Win_test(win, &flag));
            while (!flag);
        for (int i = 0; i < 4; i++)
            SAME(in[2 + i], 100 * prev + 10 * turn + i);
    }
    OK(MPI_Type_free(&absolute));
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&to));
    OK(MPI_Group_free(&from));
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_free(&comm));
}

/* -- requests of transfers, completed in any order and beside messages */

enum { PARTS = 12, PART = 200 };

static void requests(int kind)
{
    static int32_t got[PARTS * PART];
    MPI_Request request[PARTS + 2];
    MPI_Win win;
    int32_t *mine = window(kind, sizeof got, sizeof *got, MPI_COMM_WORLD, &win);
    int in = -1, which, flag = 0, before[2] = { -1, -1 };
    const int ones[2] = { 1, 1 };
    for (int i = 0; i < PARTS * PART; i++)
        mine[i] = 100000 * t_rank + i;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    for (int p = 0; p < PARTS; p++)
        OK(MPI_Rget(got + p * PART, PART, MPI_INT32_T, t_next(), p * PART, PART, MPI_INT32_T, win,
                    &request[p]));
    for (int n = 0; n < PARTS; n++) {
        OK(MPI_Waitany(PARTS, request, &which, MPI_STATUS_IGNORE));
        CHECK(which >= 0 && which < PARTS && request[which] == MPI_REQUEST_NULL);
        for (int i = which * PART; i < (which + 1) * PART; i++)
            SAME(got[i], 100000 * t_next() + i);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int p = 0; p < PARTS; p++)
        OK(MPI_Rput(got + p * PART, PART, MPI_INT32_T, t_rank, p * PART, PART, MPI_INT32_T, win,
                    &request[p]));
    OK(MPI_Irecv(&in, 1, MPI_INT, t_prev(), 1, MPI_COMM_WORLD, &request[PARTS]));
    OK(MPI_Isend(&t_rank, 1, MPI_INT, t_next(), 1, MPI_COMM_WORLD, &request[PARTS + 1]));
    while (!flag)
        OK(MPI_Testall(PARTS + 2, request, &flag, MPI_STATUSES_IGNORE));
    SAME(in, t_prev());
    OK(MPI_Win_flush(t_rank, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Rget_accumulate(ones, 2, MPI_INT, before, 2, MPI_INT, 0, 0, 2, MPI_INT, MPI_SUM, win,
                           &request[0]));
    OK(MPI_Raccumulate(ones, 2, MPI_INT, 0, 2, 2, MPI_INT, MPI_SUM, win, &request[1]));
    OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    const int first = 100000 * (1 % t_size);
    for (int i = 0; i < 2; i++)         /* each element by itself: both together are not atomic */
        CHECK(before[i] >= first + i && before[i] < first + i + t_size);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < PARTS * PART; i++)
        SAME(mine[i], 100000 * t_next() + i + (t_rank || i >= 4 ? 0 : t_size));
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "staged"))
        setenv("NICEMU_RDMA", "staged", 1);
    if (argc > 1 && !strcmp(argv[1], "private"))
        setenv("MPILITE_RMA", "private", 1);
    t_start(&argc, &argv);
    CHECK(t_size <= 16);
    list();
    for (int kind = 0; kind < KINDS; kind++) {
        hash_table(kind);
        own_lock(kind);
        polled(kind);
        transpose(kind);
        halos(kind);
        ring(kind);
        requests(kind);
    }
    return t_end();
}
