/* The symmetric heap: random calls against what each block must hold, offsets the same at all PEs;
 * what is symmetric and what is not. */
#include "s.h"

enum { BLOCKS = 24, TURNS = 150, MOST = 40000 };

static struct { unsigned char *at; size_t bytes; unsigned seed; } block[BLOCKS];
static char *first;                 /* the first block, from which offsets count */
static long offset;

static void fill(int b, unsigned seed)
{
    block[b].seed = seed;
    for (size_t i = 0; i < block[b].bytes; i++)
        block[b].at[i] = (unsigned char)(seed + (unsigned)me + i * 7);
}

static void check(int b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        SAME(block[b].at[i], (unsigned char)(block[b].seed + (unsigned)me + i * 7));
}

static void same_offset(const void *at)
{
    offset = (const char *)at - first;
    shmem_barrier_all();
    SAME(shmem_g(&offset, 0), offset);
    shmem_barrier_all();
}

static void new_block(int b, unsigned *seed)
{
    const size_t bytes = s_random(seed) % MOST + 1;
    switch (s_random(seed) % 4) {
    case 0: block[b].at = shmem_malloc(bytes); break;
    case 1:
        block[b].at = shmem_calloc(bytes, 1);
        for (size_t i = 0; i < bytes; i++)
            SAME(block[b].at[i], 0);
        break;
    case 2:
        block[b].at = shmem_align(4096, bytes);
        SAME((uintptr_t)block[b].at % 4096, 0);
        break;
    default: block[b].at = shmem_malloc_with_hints(bytes, SHMEM_MALLOC_ATOMICS_REMOTE);
    }
    CHECK(block[b].at);
    block[b].bytes = bytes;
    same_offset(block[b].at);
    fill(b, s_random(seed));
}

static void random_calls(void)
{
    unsigned seed = 5;
    for (int k = 0; k < TURNS; k++) {
        const int b = (int)(s_random(&seed) % BLOCKS);
        if (!block[b].at) {
            new_block(b, &seed);
        } else if (s_random(&seed) % 2) {
            check(b, block[b].bytes);
            shmem_free(block[b].at);
            block[b].at = NULL;
        } else {
            size_t bytes = s_random(&seed) % MOST + 1, old = block[b].bytes;
            block[b].at = shmem_realloc(block[b].at, bytes);
            CHECK(block[b].at);
            check(b, old < bytes ? old : bytes);
            same_offset(block[b].at);
            block[b].bytes = bytes;
            fill(b, s_random(&seed));
        }
    }
    for (int b = 0; b < BLOCKS; b++) {
        if (block[b].at)
            check(b, block[b].bytes);
        shmem_free(block[b].at);
    }
}

/* NULL is a block of no bytes, and a block of no bytes is none. */
static void reallocate_nothing(void)
{
    char *block = shmem_realloc(NULL, 100);
    CHECK(block);
    same_offset(block);
    memset(block, me, 100);
    CHECK(!shmem_realloc(block, 0) && !shmem_realloc(NULL, 0));
    SAME(shmem_malloc(100) == block, 1);        /* its place is free */
    shmem_free(block);
}

/* Up to a large page of the processor's, between blocks that are not aligned so. */
static void aligned(void)
{
    enum { MOST = 2 << 20 };
    for (size_t align = sizeof(void *); align <= MOST; align *= 2) {
        char *before = shmem_malloc(100), *block = shmem_align(align, 100);
        CHECK(before && block);
        SAME((uintptr_t)block % align, 0);
        same_offset(block);
        block[99] = 1;
        shmem_free(before);
        shmem_free(block);
    }
    char *block = shmem_align(16 * MOST, 100);      /* not kept, or not given */
    SAME((uintptr_t)block % (16 * MOST), 0);
    shmem_free(block);
}

/* Calls that have nothing to do are no calls of all PEs. */
static void for_nothing(void)
{
    if (me)
        return;
    CHECK(!shmem_malloc(0) && !shmem_malloc_with_hints(0, 0) && !shmem_calloc(0, 8));
    CHECK(!shmem_calloc(8, 0) && !shmem_align(64, 0) && !shmem_realloc(NULL, 0));
    shmem_free(NULL);
}

/* What was put before a call that allocates is there behind it, as behind a barrier. */
static void puts_are_there(void)
{
    enum { WORDS = 20000 };
    static long from[WORDS], to[WORDS];
    for (int turn = 1; turn <= 5; turn++) {
        for (int i = 0; i < WORDS; i++)
            from[i] = turn * 1000 + me;
        shmem_barrier_all();
        shmem_put_nbi(to, from, WORDS, (me + 1) % n);
        void *some = turn % 2 ? shmem_malloc(8) : shmem_realloc(NULL, 8);
        for (int i = 0; i < WORDS; i++)
            SAME(to[i], turn * 1000 + (me + n - 1) % n);
        shmem_free(some);
    }
}

static int global;

static void questions(void)
{
    static int hidden, is_reached;
    int local = 0, major, minor;
    char name[SHMEM_MAX_NAME_LEN];
    for (int pe = 0; pe < n; pe++) {
        CHECK(shmem_addr_accessible(first, pe) && shmem_addr_accessible(&global, pe)
              && shmem_addr_accessible(&hidden, pe) && shmem_pe_accessible(pe));
        CHECK(!shmem_addr_accessible(&local, pe) && !shmem_ptr(&local, pe));
    }
    CHECK(!shmem_pe_accessible(n) && !shmem_pe_accessible(-1));
    CHECK(!shmem_addr_accessible(first, n) && !shmem_addr_accessible(&global, -1));
    /* the heap ends where its last block does, which has whole lines */
    CHECK(shmem_addr_accessible(first + 63, me) && !shmem_addr_accessible(first + 64, me));
    CHECK(!shmem_addr_accessible(first - 1, me));
    CHECK(shmem_ptr(&global, me) == &global && shmem_ptr(first, me) == first);
    const int next = (me + 1) % n, prev = (me + n - 1) % n;
    hidden = 0;
    shmem_barrier_all();
    int *const theirs = n > 1 ? shmem_ptr(&hidden, next) : NULL;
    if (theirs)
        *theirs = me + 1;
    shmem_int_p(&is_reached, theirs != NULL, next);     /* what one PE reaches another may not */
    shmem_barrier_all();
    SAME(hidden, is_reached ? prev + 1 : 0);
    shmem_info_get_version(&major, &minor);
    SAME(major * 10 + minor, 15);
    shmem_info_get_name(name);
    CHECK(!strcmp(name, SHMEM_VENDOR_STRING));
}

int main(int argc, char **argv)
{
    s_start(argc, argv);
    CHECK(!shmem_align((size_t)1 << 50, 8));    /* the heap is not as large */
    first = shmem_malloc(1);
    CHECK(!shmem_malloc(0) && !shmem_align(24, 8) && !shmem_align(sizeof(void *) / 2, 8));
    CHECK(!shmem_malloc((size_t)1 << 45));
    CHECK(!shmem_calloc((size_t)1 << 40, (size_t)1 << 40));
    random_calls();
    reallocate_nothing();
    aligned();
    questions();
    for_nothing();
    puts_are_there();
    void *again = shmem_malloc(8);
    same_offset(again);
    SAME((char *)again - first, 64);    /* all else has been freed */
    shmem_free(again);
    shmem_free(first);
    return s_end();
}
