/* What may be under way when an epoch or a flush is over for the origin: puts to memory that is not
 * mapped.  Their buffers are free, the target finds all of them once it is told of the epoch's end,
 * and what is freed then is not written to any more.  argument: how memory is reached. */
#include <stdbool.h>
#include <stdint.h>

#include "t.h"

enum { WORDS = 64 * 1024, MOST_PUTS = 3000 };

static int64_t *memory, *data;
static MPI_Group others, target_alone;

static void set_up(const char *way)
{
    if (!strcmp(way, "staged"))
        setenv("NICEMU_RDMA", "staged", 1);
    if (!strcmp(way, "copy") || !strcmp(way, "packets") || !strcmp(way, "private"))
        setenv("MPILITE_RMA", way, 1);
}

/* How an origin puts its part: so many words each time. */
struct how { const char *name; int puts, words; };
static const struct how hows[] = {
    { "one word", 1, 1 }, { "three words", 3, 1 }, { "24 bytes", 40, 3 },
    { "more than a line", 9, 70 },
    { "more than an inbox has", MOST_PUTS, 1 }, { "long ones", 2, 4096 },
    { "nothing", 0, 1 },
};
enum { HOWS = sizeof hows / sizeof *hows };

static int64_t value(int origin, int epoch, int i)
{
    return ((int64_t)origin << 48) + ((int64_t)epoch << 32) + i + 1;
}

static int words_of(const struct how *h) { return h->puts * h->words; }
static MPI_Aint place_of(int origin) { return (MPI_Aint)(origin - 1) * (WORDS / 8); }

static void compute(void)
{
    volatile double heat = 1;
    for (int i = 0; i < 300000; i++)
        heat = heat * 0.9999 + 1;
}

static void put_all(const struct how *h, int epoch, MPI_Win win)
{
    for (int i = 0; i < words_of(h); i++)
        data[i] = value(t_rank, epoch, i);
    for (int i = 0; i < h->puts; i++)
        OK(MPI_Put(data + i * h->words, h->words, MPI_INT64_T, 0,
                   place_of(t_rank) + i * h->words, h->words, MPI_INT64_T, win));
}

static void origin(const struct how *h, int epoch, MPI_Win win)
{
    int64_t first = -1;
    OK(MPI_Win_start(target_alone, 0, win));
    put_all(h, epoch, win);
    if (epoch % 4 == 3)         /* waits for an answer behind them; of a word that nobody writes */
        OK(MPI_Get(&first, 1, MPI_INT64_T, 0, WORDS - 1, 1, MPI_INT64_T, win));
    OK(MPI_Win_complete(win));
    SAME(first, epoch % 4 == 3 ? 77 : -1);
    memset(data, 0x55, sizeof *data * (size_t)words_of(h));
}

static void target(const struct how *h, int epoch, MPI_Win win)
{
    int over = 0;
    OK(MPI_Win_post(others, 0, win));
    if (epoch % 3 == 1)
        compute();
    if (epoch % 2)
        OK(MPI_Win_wait(win));
    while (epoch % 2 == 0 && !over)
        OK(MPI_Win_test(win, &over));
    for (int r = 1; r < t_size; r++)
        for (int i = 0; i < words_of(h); i++)
            if (memory[place_of(r) + i] != value(r, epoch, i))
                FAIL("%s, epoch %d: word %d of rank %d is %llx", h->name, epoch, i, r,
                     (unsigned long long)memory[place_of(r) + i]);
}

static void epochs(MPI_Win win)
{
    for (int epoch = 0; epoch < 4 * HOWS; epoch++) {
        if (t_rank)
            origin(&hows[epoch % HOWS], epoch, win);
        else
            target(&hows[epoch % HOWS], epoch, win);
    }
}

/* A flush that is local: the buffer may change, and the unlock is behind the puts all the same. */
static void local_flushes(MPI_Win win)
{
    for (int i = 0; i < HOWS; i++) {
        if (t_rank) {
            OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
            put_all(&hows[i], 100 + i, win);
            OK(i % 2 ? MPI_Win_flush_local(0, win) : MPI_Win_flush_local_all(win));
            memset(data, 0x55, sizeof *data * (size_t)words_of(&hows[i]));
            if (i % 3 == 2)
                OK(MPI_Win_flush(0, win));
            OK(MPI_Win_unlock(0, win));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int r = 1; !t_rank && r < t_size; r++)
            for (int j = 0; j < words_of(&hows[i]); j++)
                SAME(memory[place_of(r) + j], value(r, 100 + i, j));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
}

/* The window and its memory go right behind the epoch. */
static void short_lives(void)
{
    for (int life = 0; life < 20; life++) {
        MPI_Win win;
        OK(MPI_Win_create(memory, sizeof *memory * WORDS, sizeof *memory, MPI_INFO_NULL,
                          MPI_COMM_WORLD, &win));
        if (t_rank)
            origin(&hows[life % 3], life, win);
        else
            target(&hows[life % 3], life, win);
        OK(MPI_Win_free(&win));
    }
}

int main(int argc, char **argv)
{
    MPI_Group all;
    MPI_Win win;
    set_up(argc > 1 ? argv[1] : "direct");
    t_start(&argc, &argv);
    CHECK(t_size > 1 && t_size <= 8);
    memory = calloc(WORDS, sizeof *memory);
    data = calloc(WORDS / 8, sizeof *data);
    CHECK(memory && data);
    memory[WORDS - 1] = 77;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    OK(MPI_Group_incl(all, 1, &(int){ 0 }, &target_alone));
    OK(MPI_Group_excl(all, 1, &(int){ 0 }, &others));
    OK(MPI_Win_create(memory, sizeof *memory * WORDS, sizeof *memory, MPI_INFO_NULL,
                      MPI_COMM_WORLD, &win));
    epochs(win);
    local_flushes(win);
    OK(MPI_Win_free(&win));
    short_lives();
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&others));
    OK(MPI_Group_free(&target_alone));
    free(memory);
    free(data);
    return t_end();
}
