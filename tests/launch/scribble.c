/* scribble SEED PLACE: ranks exchange messages of many sizes and check them; somewhere in between
 * one or all of them write random words to random places of the job's memory below the heaps:
 * "open": such as can be written; "any": also where that is forbidden; "nothing": to none.  Prints
 * "right" if all data were, else ends with code 3. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 30, LARGEST = 300000, PIECES = 4096, HEAP = 256 << 20 };

static uint64_t state;
static int rank, size;

static uint64_t draw(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % limit;
}

/* -- the mapping */

static struct piece { uintptr_t begin, end; } piece[PIECES];
static unsigned pieces;
static uintptr_t first;

/* The pieces of it that are open, or all. */
static void find_pieces(int open)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], rights[8];
    unsigned long begin, end;

    while (maps && pieces < PIECES && fgets(line, sizeof line, maps)) {
        if (!strstr(line, "nicemu-job") || sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3)
            continue;
        first = first ? first : begin;
        if (!open || rights[1] == 'w')
            piece[pieces++] = (struct piece){ begin, end };
    }
    if (maps)
        fclose(maps);
}

/* Below the heaps, which are the last and most of it. */
static void trim(void)
{
    uintptr_t end = first;

    for (unsigned i = 0; i < pieces; i++)
        end = piece[i].end > end ? piece[i].end : end;
    end -= end - first > (uintptr_t)size * HEAP ? (uintptr_t)size * HEAP : 0;
    while (pieces && piece[pieces - 1].begin >= end)
        pieces--;
    if (pieces && piece[pieces - 1].end > end)
        piece[pieces - 1].end = end;
}

static uint64_t value(unsigned kind)
{
    return kind == 0 ? state : kind == 1 ? draw(4) : kind == 2 ? UINT64_MAX : kind == 3
           ? 1ull << draw(64) : (uintptr_t)&state;
}

/* Most of the writes go to the beginning, where the tables are. */
static void scribble(void)
{
    unsigned writes = 1u << draw(12), kind = (unsigned)draw(6);

    for (unsigned i = 0; pieces && i < writes; i++) {
        const struct piece *p = &piece[draw(draw(2) ? pieces : pieces < 4 ? pieces : 4)];
        uint64_t words = (p->end - p->begin) / 8, near = UINT64_C(1) << (9 + draw(10));
        uint64_t word = draw(near < words ? near : words);
        *(volatile uint64_t *)(p->begin + 8 * word) = value(kind < 5 ? kind : (unsigned)draw(5));
    }
}

/* -- the traffic */

static unsigned char out[LARGEST], in[LARGEST];

static void check(int holds)
{
    if (!holds) {
        fprintf(stderr, "rank %d: wrong data\n", rank);
        exit(3);
    }
}

static void fill(unsigned char *data, int bytes, int from, int round)
{
    for (int i = 0; i < bytes; i++)
        data[i] = (unsigned char)(i * 31 + from * 7 + round);
}

static void exchange(int round)
{
    static const int lengths[] = { 8, 40, 200, 5000, 70000, LARGEST };
    int bytes = lengths[round % 6], next = (rank + 1) % size, last = (rank + size - 1) % size,
        sum = 0, mine = rank + round;
    MPI_Status status;

    fill(out, bytes, rank, round);
    MPI_Sendrecv(out, bytes, MPI_BYTE, next, round, in, LARGEST, MPI_BYTE, last, round,
                 MPI_COMM_WORLD, &status);
    fill(out, bytes, last, round);
    check(!memcmp(out, in, (size_t)bytes));
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sum == size * (size - 1) / 2 + size * round);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3 || strcmp(argv[2], "nothing") != 0)
        find_pieces(argc > 2 && !strcmp(argv[2], "open"));
    trim();
    int who = (int)(seed % (unsigned)(size + 1)), when = (int)(seed / 7 % ROUNDS);
    state = (seed * 1000003 + (unsigned)rank + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (int round = 0; round < ROUNDS; round++) {
        exchange(round);
        if (round == when && (who == rank || who == size))
            scribble();
    }
    int all = 1, right = 1;
    MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0)
        puts("right");
    MPI_Finalize();
    return 0;
}
