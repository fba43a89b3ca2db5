/* steal: tasks that make tasks, on PEs that take work from each other when they have none.
 *
 * Each PE has a queue in symmetric memory.  Its owner works at one end; a PE without work looks
 * into the others' queues and takes half of one from the other end, under the queue's lock, while
 * the owner does what it likes.  The tasks are the nodes of a tree whose shape a hash decides, so
 * that nobody knows beforehand where the work is.  A count of tasks that are not done tells when
 * all is done; the number of nodes is compared with a walk by one PE. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096, PES_MOST = 1024, TAKE_MOST = 64, DEPTH_MOST = 30 };

struct task { uint64_t hash; int64_t depth; };

/* Symmetric.  A queue is the tasks [first, end) of a ring; locks[pe] is the lock of that PE's. */
static struct task ring[ROOM];
static long first, end, locks[PES_MOST];
static long unfinished, nodes, all_nodes, stolen, all_stolen;

static void usage(FILE *out)
{
    fprintf(out, "usage: oshrun -n PES steal [DEPTH]\n\n"
                 "Counts the nodes of a tree of that depth (1 to %d, default 16).\n", DEPTH_MOST);
}

/* -- the tree */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ x >> 33;
}

static int children(const struct task *t, long depth)
{
    static const int number[4] = { 2, 1, 3, 2 };
    return t->depth < depth ? number[t->hash & 3] : 0;
}

static struct task child(const struct task *t, int i)
{
    return (struct task){ mix(t->hash + (uint64_t)i + 1), t->depth + 1 };
}

static long walk(struct task t, long depth)
{
    long count = 1;
    for (int i = 0; i < children(&t, depth); i++)
        count += walk(child(&t, i), depth);
    return count;
}

/* -- this PE's queue */

static int pop(int me, struct task *t)
{
    shmem_set_lock(&locks[me]);
    int some = end > first;
    if (some)
        *t = ring[--end % ROOM];
    shmem_clear_lock(&locks[me]);
    return some;
}

/* Depth first: a queue is never longer than the tree is deep, times three. */
static void work(int me, const struct task *t, long depth)
{
    const int n = children(t, depth);
    nodes++;
    if (n != 1)
        shmem_atomic_add(&unfinished, n - 1, 0);
    shmem_set_lock(&locks[me]);
    for (int i = 0; i < n; i++)
        ring[end++ % ROOM] = child(t, i);
    shmem_clear_lock(&locks[me]);
}

/* -- another's: half of what is there, the oldest, of which most will come */

static void take(int victim, int me)
{
    struct task got[TAKE_MOST];
    shmem_set_lock(&locks[victim]);
    long from = shmem_g(&first, victim), n = (shmem_g(&end, victim) - from + 1) / 2;
    n = n < TAKE_MOST ? n : TAKE_MOST;
    for (long i = 0; i < n; i++)
        shmem_getmem(&got[i], &ring[(from + i) % ROOM], sizeof got[i], victim);
    shmem_p(&first, from + n, victim);
    shmem_clear_lock(&locks[victim]);
    shmem_set_lock(&locks[me]);
    for (long i = 0; i < n; i++)
        ring[end++ % ROOM] = got[i];
    shmem_clear_lock(&locks[me]);
    stolen += n;
}

static void steal(int me, int n)
{
    for (int i = 1; i < n; i++) {
        const int victim = (me + i) % n;
        if (shmem_atomic_fetch(&end, victim) > shmem_atomic_fetch(&first, victim)) {
            take(victim, me);
            return;
        }
    }
}

static void run(int me, int n, long depth)
{
    struct task t = { 1, 0 };
    if (me == 0) {
        ring[end++] = t;
        unfinished = 1;
    }
    shmem_barrier_all();
    while (shmem_atomic_fetch(&unfinished, 0)) {
        while (pop(me, &t))
            work(me, &t, depth);
        steal(me, n);
    }
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    long depth = argc > 1 ? atol(argv[1]) : 16;
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        usage(stdout);
        return 0;
    }
    if (argc > 2 || depth < 1 || depth > DEPTH_MOST) {
        usage(stderr);
        return 2;
    }
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes();
    if (n > PES_MOST) {
        if (me == 0)
            fprintf(stderr, "steal: %d PEs at most\n", PES_MOST);
        shmem_barrier_all();    /* else another PE ends the job before it is said */
        shmem_global_exit(2);
    }
    run(me, n, depth);
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &all_nodes, &nodes, 1);
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &all_stolen, &stolen, 1);
    int wrong = all_nodes != walk((struct task){ 1, 0 }, depth);
    if (me == 0)
        printf("%ld nodes on %d PEs, %ld stolen: %s\n", all_nodes, n, all_stolen,
               wrong ? "WRONG" : "right");
    shmem_finalize();
    return wrong;
}
