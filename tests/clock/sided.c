/* sided: operations of SHMEM whose parts explain.sh works out by hand.
 *
 *   sided WHAT data|heap     PE 0 does it once to PE 1, to a variable of the program, which the NIC
 *                            does by a transfer, or to the symmetric heap, by its command queue
 *   sided many ROUNDS        each of them on all PEs */
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct area { long word[128]; uint64_t signal; };
static struct area data;
static struct area *area;
static long in[128], out[128];

static void put(int pe) { shmem_long_put(area->word, out, 1, pe); }
static void put_long(int pe) { shmem_long_put(area->word, out, 125, pe); }
static void get(int pe) { shmem_long_get(in, area->word, 1, pe); }
static void signal_put(int pe)
{
    shmem_long_put_signal(area->word, out, 1, &area->signal, 1, SHMEM_SIGNAL_ADD, pe);
}
static void swap(int pe) { in[0] = shmem_long_atomic_swap(area->word, 1, pe); }
static void add(int pe) { shmem_long_atomic_add(area->word, 1, pe); }
static void fetch_add(int pe) { in[0] = shmem_long_atomic_fetch_add(area->word, 1, pe); }
static void compare(int pe) { in[0] = shmem_long_atomic_compare_swap(area->word, 7, 1, pe); }
static void fetch_xor(int pe)
{
    in[0] = (long)shmem_uint64_atomic_fetch_xor((uint64_t *)(void *)area->word, 1, pe);
}

static const struct { const char *name; void (*run)(int pe); } what[] = {
    { "put", put }, { "put_long", put_long }, { "get", get }, { "signal", signal_put },
    { "swap", swap }, { "add", add }, { "fetch_add", fetch_add }, { "compare", compare },
    { "fetch_xor", fetch_xor },
};
enum { KINDS = sizeof what / sizeof *what };

static int one(const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (!strcmp(what[i].name, name)) {
            what[i].run(1);
            shmem_quiet();
            return 0;
        }
    return 2;
}

static void many(int rounds, struct area *heap)
{
    unsigned chance = (unsigned)shmem_my_pe() + 1;
    for (int i = 0; i < rounds; i++) {
        chance = chance * 1103515245 + 12345;
        area = chance & 1 << 20 ? heap : &data;
        what[(chance >> 8 & 0xff) % KINDS].run((int)(chance >> 16 & 0xff) % shmem_n_pes());
        if (i % 5 == 4)
            shmem_quiet();
        MPIX_Compute(1e-9 * (double)(chance >> 16 & 0x3ff));
    }
    shmem_quiet();
}

int main(int argc, char **argv)
{
    int code = 0;
    shmem_init();
    struct area *heap = shmem_calloc(1, sizeof *heap);
    shmem_barrier_all();
    area = argc == 3 && !strcmp(argv[2], "heap") ? heap : &data;
    if (argc == 3 && !strcmp(argv[1], "many"))
        many(atoi(argv[2]), heap);
    else if (shmem_my_pe() == 0) {
        double start = MPI_Wtime();
        code = argc == 3 ? one(argv[1]) : 2;
        printf("took %.0f\n", (MPI_Wtime() - start) * 1e12);
    }
    shmem_barrier_all();
    shmem_free(heap);
    shmem_finalize();
    return code;
}
