/* The heap: alignment, exhaustion, reuse, bounds, what freed pages leave, pages that were touched
 * or stand elsewhere, several threads, and transfers that need no kernel. */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "loop.h"
#include "job/segment.h"

enum { HEAP = 8 << 20 };

static struct loop l;
static struct nic *nic;

static void setup(void)
{
    loop_open_in(&l, loop_job_sized(2, 0, HEAP), NIC_PROGRESS_HOST);
    nic = l.nic[1];
    ck_assert_uint_eq(nic_heap_size(nic), HEAP);
}

static void teardown(void) { loop_close(&l); }

static void expect_usage(uint64_t bytes, uint64_t blocks, uint64_t high, uint64_t refusals)
{
    struct nic_heap_usage u;

    nic_heap_used(nic, &u);
    ck_assert_uint_eq(u.bytes, bytes);
    ck_assert_uint_eq(u.blocks, blocks);
    ck_assert_uint_eq(u.high, high);
    ck_assert_uint_eq(u.refusals, refusals);
}

START_TEST(aligned)
{
    static const size_t sizes[] = { 0, 1, 63, 64, 65, 4095, 100000, NIC_HEAP_LARGE - 1,
                                    NIC_HEAP_LARGE, NIC_HEAP_LARGE + 1 };
    uint64_t at[20];

    for (size_t align = 1; align <= 1 << 20; align *= 2)
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            at[i] = nic_heap_alloc(nic, sizes[i], align);
            ck_assert_uint_ne(at[i], NIC_HEAP_NONE);
            ck_assert_uint_eq(at[i] % (sizes[i] >= NIC_HEAP_LARGE ? 4096 : NIC_HEAP_ALIGN), 0);
            ck_assert_uint_eq((uintptr_t)nic_heap_at(nic, 1, at[i], sizes[i]) % align, 0);
            if (i % 3 == 2)
                must(nic_heap_free(nic, at[i]) && nic_heap_free(nic, at[i - 1])
                     && nic_heap_free(nic, at[i - 2]));
            if (i == sizeof sizes / sizeof *sizes - 1)
                must(nic_heap_free(nic, at[i]));
        }
    ck_assert_uint_eq(nic_heap_alloc(nic, 1, 0), NIC_HEAP_NONE);
    ck_assert_uint_eq(nic_heap_alloc(nic, 1, 48), NIC_HEAP_NONE);
}
END_TEST

/* Beyond pages a block takes what it would need where it fits worst, so what fits does not hang on
 * where the heap is mapped: three blocks at 2 MiB in 8 MiB. */
START_TEST(aligned_beyond_pages)
{
    enum { ALIGN = 2 << 20, TAKES = ALIGN };
    uint64_t at[3], small = nic_heap_alloc(nic, 100, 1);

    for (int i = 0; i < 3; i++) {
        at[i] = nic_heap_alloc(nic, 100, ALIGN);
        ck_assert_uint_ne(at[i], NIC_HEAP_NONE);
        memset(nic_heap_at(nic, 1, at[i], 100), i, 100);
    }
    expect_usage(128 + 3 * TAKES, 4, 128 + 3 * TAKES, 0);
    ck_assert_uint_eq(nic_heap_alloc(nic, 100, ALIGN), NIC_HEAP_NONE);
    ck_assert_uint_eq(nic_heap_alloc(nic, 1, HEAP * 2), NIC_HEAP_NONE);
    ck_assert_uint_eq(nic_heap_alloc(nic, 1, (size_t)1 << 63), NIC_HEAP_NONE);
    ck_assert(!nic_heap_free(nic, at[1] + 4096) && !nic_heap_free(nic, at[1] - 4096));
    ck_assert(nic_heap_free(nic, at[1]) && !nic_heap_free(nic, at[1]));
    for (int i = 0; i < 3; i += 2)
        for (int k = 0; k < 100; k++)
            must(((unsigned char *)nic_heap_at(nic, 1, at[i], 100))[k] == i);
    ck_assert_uint_eq(nic_heap_alloc(nic, 100, ALIGN), at[1]);
    must(nic_heap_free(nic, at[0]) && nic_heap_free(nic, at[1]) && nic_heap_free(nic, at[2])
         && nic_heap_free(nic, small));
    ck_assert_uint_eq(nic_heap_alloc(nic, HEAP, 1), 0);
}
END_TEST

START_TEST(exhausted)
{
    expect_usage(0, 0, 0, 0);
    ck_assert_uint_eq(nic_heap_alloc(nic, HEAP + 1, 1), NIC_HEAP_NONE);
    ck_assert_uint_eq(nic_heap_alloc(nic, SIZE_MAX, 1), NIC_HEAP_NONE);
    ck_assert_uint_eq(nic_heap_alloc(nic, SIZE_MAX - 4095, 1), NIC_HEAP_NONE);
    for (int i = 0; i < 3; i++) {
        uint64_t all = nic_heap_alloc(nic, HEAP, 1);
        ck_assert_uint_eq(all, 0);
        ck_assert_uint_eq(nic_heap_alloc(nic, 0, 1), NIC_HEAP_NONE);
        ck_assert(nic_heap_free(nic, all));
        ck_assert(!nic_heap_free(nic, all));
    }
    expect_usage(0, 0, HEAP, 6);
    ck_assert(!nic_heap_free(nic, NIC_HEAP_NONE));
    uint64_t a = nic_heap_alloc(nic, 100, 1), b = nic_heap_alloc(nic, NIC_HEAP_LARGE + 1, 1);
    expect_usage(128 + NIC_HEAP_LARGE + 4096, 2, HEAP, 6);
    ck_assert(!nic_heap_free(nic, b + 4096));
    ck_assert(nic_heap_free(nic, a) && nic_heap_free(nic, b));
    expect_usage(0, 0, HEAP, 6);
}
END_TEST

START_TEST(bounds)
{
    unsigned char *mine = nic_heap_at(nic, 1, 0, HEAP);

    ck_assert_ptr_eq(mine, nic_job_heap(l.job, 1));
    ck_assert_ptr_eq(nic_heap_at(l.nic[0], 1, 100, HEAP - 100), mine + 100);
    ck_assert_ptr_eq(nic_heap_at(nic, 0, 0, HEAP), mine - HEAP - NIC_GUARD_BYTES);
    ck_assert_ptr_eq(nic_heap_at(nic, 1, HEAP, 0), mine + HEAP);
    ck_assert_ptr_null(nic_heap_at(nic, 1, HEAP, 1));
    ck_assert_ptr_null(nic_heap_at(nic, 1, 1, HEAP));
    ck_assert_ptr_null(nic_heap_at(nic, 1, 64, SIZE_MAX - 63));
    ck_assert_ptr_null(nic_heap_at(nic, 1, NIC_HEAP_NONE, 0));
    ck_assert_ptr_null(nic_heap_at(nic, 2, 0, 1));
    ck_assert_ptr_null(nic_heap_at(nic, UINT32_MAX, 0, 1));
    ck_assert_uint_eq(nic_heap_offset(nic, mine), 0);
    ck_assert_uint_eq(nic_heap_offset(nic, mine + HEAP - 1), HEAP - 1);
    ck_assert_uint_eq(nic_heap_offset(nic, mine + HEAP), NIC_HEAP_NONE);
    ck_assert_uint_eq(nic_heap_offset(nic, mine - 1), NIC_HEAP_NONE);      /* rank 0's */
    ck_assert_uint_eq(nic_heap_offset(nic, &mine), NIC_HEAP_NONE);
    ck_assert_uint_eq(nic_heap_offset(nic, NULL), NIC_HEAP_NONE);
}
END_TEST

/* Memory that the job's file takes, in bytes. */
static uint64_t resident(void)
{
    struct stat st;

    must(!fstat(nic_job_fd(l.job), &st));
    return (uint64_t)st.st_blocks * 512;
}

/* A large block's pages go back when it is freed, and its neighbours keep theirs. */
START_TEST(given_back)
{
    uint64_t small = nic_heap_alloc(nic, 5000, 1), large = nic_heap_alloc(nic, 4 << 20, 1),
        behind = nic_heap_alloc(nic, 5000, 1);
    uint64_t before = resident();

    memset(nic_heap_at(nic, 1, small, 5000), 1, 5000);
    memset(nic_heap_at(nic, 1, behind, 5000), 2, 5000);
    memset(nic_heap_at(nic, 1, large, 4 << 20), 3, 4 << 20);
    ck_assert_uint_ge(resident(), before + (4 << 20));
    ck_assert(nic_heap_free(nic, large));
    ck_assert_uint_lt(resident(), before + (1 << 20));
    for (unsigned i = 0; i < 5000; i++)
        must(((unsigned char *)nic_heap_at(nic, 1, small, 5000))[i] == 1
             && ((unsigned char *)nic_heap_at(nic, 1, behind, 5000))[i] == 2);
}
END_TEST

/* Pages that were touched, by any address, are found, and cleared for all. */
START_TEST(touched)
{
    const uint64_t at = nic_heap_alloc(nic, 1 << 20, 4096), end = at + (1 << 20);
    unsigned char *block = nic_heap_at(nic, 1, at, 1 << 20);
    uint64_t found = at;
    size_t bytes;

    ck_assert(nic_heap_clear(nic, at, 1 << 20));
    ck_assert(!nic_heap_touched(nic, &found, end, &bytes));
    block[3 * 4096 + 5] = block[4 * 4096] = block[(1 << 20) - 1] = 1;
    found = at;
    ck_assert(nic_heap_touched(nic, &found, end, &bytes));
    ck_assert_uint_eq(found, at + 3 * 4096);
    ck_assert_uint_eq(bytes, 2 * 4096);
    found = at + 4 * 4096;
    ck_assert(nic_heap_touched(nic, &found, end, &bytes) && found == at + 4 * 4096);
    ck_assert_uint_eq(bytes, 4096);
    found += bytes;
    ck_assert(!nic_heap_touched(nic, &found, end - 4096, &bytes));
    found = at;
    ck_assert(nic_heap_touched(nic, &found, at + 4 * 4096, &bytes));
    ck_assert(found == at + 3 * 4096 && bytes == 4096);     /* behind the end nothing counts */
    found = at + 5 * 4096;
    ck_assert(nic_heap_touched(nic, &found, end, &bytes));
    ck_assert(found == end - 4096 && bytes == 4096);
    found = end;
    ck_assert(!nic_heap_touched(nic, &found, end, &bytes));
    found = HEAP - 4096;
    ck_assert(!nic_heap_touched(nic, &found, HEAP + 4096, &bytes));
    ck_assert(nic_heap_clear(nic, at + 3 * 4096, 4096));
    ck_assert(!block[3 * 4096 + 5] && block[4 * 4096]);
    ck_assert(!nic_heap_clear(nic, at + 1, 4096) && !nic_heap_clear(nic, at, 4097));
    ck_assert(!nic_heap_clear(nic, HEAP, 4096) && !nic_heap_clear(nic, at, 0));
}
END_TEST

/* A page of a block stands in place of memory of the process, which is the same then. */
START_TEST(mapped)
{
    const uint64_t at = nic_heap_alloc(nic, 8192, 4096);
    unsigned char *block = nic_heap_at(nic, 1, at, 8192);
    unsigned char *own = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                              0);

    ck_assert_ptr_ne(own, MAP_FAILED);
    own[1] = own[4097] = 9;
    ck_assert_int_eq(nic_heap_map(nic, at + 4096, 4096, own), 0);
    own[0] = 5;
    block[4096 + 77] = 6;
    ck_assert_uint_eq(block[4096], 5);
    ck_assert_uint_eq(own[77], 6);
    ck_assert_uint_eq(own[4097], 9);
    ck_assert_int_eq(nic_heap_map(nic, at + 1, 4096, own), -EINVAL);
    ck_assert_int_eq(nic_heap_map(nic, at, 4095, own), -EINVAL);
    ck_assert_int_eq(nic_heap_map(nic, at, 4096, own + 1), -EINVAL);
    ck_assert_int_eq(nic_heap_map(nic, at, 0, own), -EINVAL);
    ck_assert_int_eq(nic_heap_map(nic, HEAP, 4096, own), -EINVAL);
    munmap(own, 8192);
}
END_TEST

/* -- who else may write to the process's memory */

static void *wait_for(void *argument)
{
    must(!pthread_mutex_lock(argument) && !pthread_mutex_unlock(argument));
    return NULL;
}

START_TEST(alone)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;

    nic_enter(nic);
#if !defined(__SANITIZE_THREAD__)
    ck_assert(nic_alone(nic));
#endif
    must(!pthread_mutex_lock(&mutex) && !pthread_create(&thread, NULL, wait_for, &mutex));
    ck_assert(!nic_alone(nic));
    must(!pthread_mutex_unlock(&mutex) && !pthread_join(thread, NULL));
    nic_leave(nic);
}
END_TEST

/* The NIC's own thread does not count, and keeps away from what is not its own. */
START_TEST(alone_with_thread)
{
    loop_close(&l);
    loop_open_in(&l, loop_job_sized(2, 0, HEAP), NIC_PROGRESS_THREAD);
    nic_enter(l.nic[0]);
    /* the other NIC of this process has a thread, too */
    ck_assert(!nic_alone(l.nic[0]));
    nic_leave(l.nic[0]);
}
END_TEST

START_TEST(registered)
{
    static unsigned char memory[100];
    uint32_t key;

    nic_enter(nic);
    ck_assert(!nic_registered(nic, memory, sizeof memory));
    must(!nic_register(nic, memory + 20, 30, NIC_RIGHT_ALL, &key));
    ck_assert(nic_registered(nic, memory, sizeof memory));
    ck_assert(nic_registered(nic, memory + 49, 1) && nic_registered(nic, memory + 20, 1));
    ck_assert(!nic_registered(nic, memory + 50, 50) && !nic_registered(nic, memory, 20));
    must(!nic_deregister(nic, key));
    ck_assert(!nic_registered(nic, memory, sizeof memory));
    nic_leave(nic);
}
END_TEST

/* -- several threads: blocks are disjoint, each carries its owner's mark to the end */

enum { THREADS = 4, BLOCKS = 40, ROUNDS = 1500 };

static void *hammer(void *argument)
{
    unsigned me = (unsigned)(uintptr_t)argument;
    uint64_t random = 5 + me, at[BLOCKS];
    size_t bytes[BLOCKS] = { 0 };

    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned i = loop_below(&random, BLOCKS);
        if (bytes[i]) {
            const unsigned char *p = nic_heap_at(nic, 1, at[i], bytes[i]);
            must(p[0] == (unsigned char)(me * BLOCKS + i) && p[bytes[i] - 1] == p[0]
                 && p[bytes[i] / 2] == p[0]);
            must(nic_heap_free(nic, at[i]));
            bytes[i] = 0;
            continue;
        }
        size_t want = 1 + loop_below(&random, loop_below(&random, 50) ? 3000 : 400000);
        if ((at[i] = nic_heap_alloc(nic, want, 1)) == NIC_HEAP_NONE)
            continue;
        unsigned char *p = nic_heap_at(nic, 1, at[i], bytes[i] = want);
        p[0] = p[want - 1] = p[want / 2] = (unsigned char)(me * BLOCKS + i);
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        must(!bytes[i] || nic_heap_free(nic, at[i]));
    return NULL;
}

START_TEST(threads)
{
    pthread_t thread[THREADS];
    struct nic_heap_usage u;

    for (uintptr_t i = 0; i < THREADS; i++)
        must(!pthread_create(&thread[i], NULL, hammer, (void *)i));
    for (unsigned i = 0; i < THREADS; i++)
        must(!pthread_join(thread[i], NULL));
    nic_heap_used(nic, &u);
    ck_assert_uint_eq(u.bytes + u.blocks, 0);
    ck_assert_uint_eq(nic_heap_alloc(nic, HEAP, 4096), 0);
}
END_TEST

/* -- transfers: what lies in the peer's heap is reached whatever the kernel allows */

START_TEST(reached)
{
    uint64_t at = nic_heap_alloc(nic, 100000, 64);
    unsigned char *theirs = nic_heap_at(nic, 1, at, 100000), data[LOOP_BYTES], private[16];
    uint64_t address = (uint64_t)(uintptr_t)theirs;

    setenv("NICEMU_RDMA", "staged", 1);
    nic_enter(l.nic[0]);
    ck_assert_uint_eq(nic_rdma_reach(l.nic[0], 1, address, 100000), NIC_RDMA_READ | NIC_RDMA_WRITE);
    ck_assert_uint_eq(nic_rdma_reach(l.nic[0], 1, (uint64_t)(uintptr_t)private, sizeof private), 0);
    /* beyond its end */
    ck_assert_uint_eq(nic_rdma_reach(l.nic[0], 1, address + 1, HEAP), 0);
    /* another rank's heap */
    ck_assert_uint_eq(nic_rdma_reach(l.nic[0], 0, address, 10), 0);
    ck_assert_uint_eq(nic_rdma_reach(l.nic[0], 1, address, SIZE_MAX), 0);
    ck_assert_uint_eq(nic_rdma_reach(l.nic[0], 1, UINT64_MAX, 2), 0);
    ck_assert_int_eq(nic_rdma_write(l.nic[0], 1, loop_payload(4), address + 7, LOOP_BYTES), 0);
    ck_assert_mem_eq(theirs + 7, loop_payload(4), LOOP_BYTES);
    ck_assert_int_eq(nic_rdma_read(l.nic[0], 1, address + 7, data, LOOP_BYTES), 0);
    ck_assert_mem_eq(data, loop_payload(4), LOOP_BYTES);
    nic_leave(l.nic[0]);
    unsetenv("NICEMU_RDMA");
}
END_TEST

/* -- as remote memory, by the key that all heaps have */

static int transfer(bool put, void *local, unsigned rank, uint64_t offset, uint64_t bytes)
{
    struct nic_transfer t = nic_transfer_of(local,
                                            (struct nic_address){ rank, NIC_KEY_HEAP, offset },
                                                bytes);
    struct nic_outcome o = { .done = NULL };

    nic_enter(l.nic[0]);
    int rc = put ? nic_put(l.nic[0], &t, &o) : nic_get(l.nic[0], &t, &o);
    for (unsigned long turns = 0; !rc && nic_outcome_status(&o) == -EINPROGRESS; turns++) {
        must(turns < 1000000);
        nic_step(l.nic[0]);
        nic_leave(l.nic[0]);
        loop_drain(l.nic[1]);
        nic_enter(l.nic[0]);
    }
    nic_leave(l.nic[0]);
    return rc ? rc : nic_outcome_status(&o);
}

START_TEST(remote_memory)
{
    static unsigned char there[50000];
    static const unsigned paths[] = { 1u << NIC_PATH_DIRECT, 1u << NIC_PATH_STAGED };

    for (unsigned i = 0; i < 2; i++) {
        nic_enter(l.nic[0]);
        nic_remote_allow(l.nic[0], paths[i]);
        nic_leave(l.nic[0]);
        for (size_t k = 0; k < sizeof there; k++)
            there[k] = (unsigned char)(k * 7 + i);
        ck_assert_int_eq(transfer(true, there, 1, HEAP - sizeof there, sizeof there), 0);
        ck_assert_mem_eq(nic_heap_at(nic, 1, HEAP - sizeof there, sizeof there), there,
                         sizeof there);
        memset(there, 0, sizeof there);
        ck_assert_int_eq(transfer(false, there, 1, HEAP - sizeof there, sizeof there), 0);
        ck_assert_mem_eq(nic_heap_at(nic, 1, HEAP - sizeof there, sizeof there), there,
                         sizeof there);
        ck_assert_int_eq(transfer(true, there, 1, HEAP - 7, 8), -ERANGE);
        ck_assert_int_eq(transfer(false, there, 1, UINT64_MAX, 8), -EINVAL);
    }
}
END_TEST

START_TEST(no_heap)
{
    unsigned char byte[8] = { 0 };

    loop_close(&l);
    loop_open_in(&l, loop_job_sized(2, 0, NIC_HEAP_OFF), NIC_PROGRESS_HOST);
    ck_assert_uint_eq(nic_heap_size(l.nic[0]), 0);
    ck_assert_uint_eq(nic_heap_alloc(l.nic[0], 1, 1), NIC_HEAP_NONE);
    ck_assert_int_eq(transfer(true, byte, 1, 0, 8), -ENOKEY);
    ck_assert_int_eq(transfer(true, byte, 0, 0, 8), -ENOKEY);
    nic = l.nic[1];
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("heap");
    TCase *tcase = tcase_create("heap");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, aligned);
    tcase_add_test(tcase, aligned_beyond_pages);
    tcase_add_test(tcase, exhausted);
    tcase_add_test(tcase, bounds);
    tcase_add_test(tcase, given_back);
    tcase_add_test(tcase, touched);
    tcase_add_test(tcase, mapped);
    tcase_add_test(tcase, alone);
    tcase_add_test(tcase, alone_with_thread);
    tcase_add_test(tcase, registered);
    tcase_add_test(tcase, threads);
    tcase_add_test(tcase, reached);
    tcase_add_test(tcase, remote_memory);
    tcase_add_test(tcase, no_heap);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
