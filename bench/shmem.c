/* OpenSHMEM: PE 1 on memory of PE 0, nanoseconds each, and a barrier of all.  Symmetric memory is
 * from the heap alone, and all is printed before the end, as not every library gets further. */
#include <shmem.h>
#include <stdio.h>
#include <time.h>

enum { TIMES = 200000, BARRIERS = 20000 };

static long *word, sum;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void put(int i) { shmem_long_p(&word[0], i, 0); shmem_quiet(); }
static void get(int i) { (void)i; sum += shmem_long_g(&word[0], 0); }
static void fetch(int i) { (void)i; sum += shmem_long_atomic_fetch_add(&word[1], 1, 0); }
static void swap(int i) { sum += shmem_long_atomic_compare_swap(&word[2], i, i + 1, 0); }
static void barrier(int i) { (void)i; shmem_barrier_all(); }

static void measure(const char *name, void (*operation)(int i), int times)
{
    double begin = now();
    for (int i = 0; i < times; i++)
        operation(i);
    if (shmem_my_pe() == 1)
        printf("%s %.1f ns\n", name, (now() - begin) / times);
    fflush(stdout);
}

int main(void)
{
    shmem_init();
    word = shmem_calloc(8, sizeof *word);
    shmem_barrier_all();
    if (shmem_my_pe() == 1) {
        measure("p+quiet", put, TIMES);
        measure("g", get, TIMES);
        measure("fetch_add", fetch, TIMES);
        measure("compare_swap", swap, TIMES);
    }
    shmem_barrier_all();
    measure("barrier", barrier, BARRIERS);
    shmem_barrier_all();
    shmem_free(word);
    shmem_finalize();
    return sum == 1;
}
