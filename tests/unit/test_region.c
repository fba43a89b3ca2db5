/* Registered memory: keys, and real processes that copy while
 * the owner deregisters, computes or dies. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "remote/packets.h"
#include "remote/region.h"
#include "core/nic.h"
#include "shapes.h"

static struct nic_job *job;
static struct catcher *catcher;
static struct nic *nic;
static pid_t child;

/* -- keys, within a process */

static int try_register(struct nic *n, void *base, size_t bytes, unsigned rights, uint32_t *key)
{
    nic_enter(n);
    int rc = nic_register(n, base, bytes, rights, key);
    nic_leave(n);
    return rc;
}

static int deregister(struct nic *n, uint32_t key)
{
    nic_enter(n);
    int rc = nic_deregister(n, key);
    nic_leave(n);
    return rc;
}

START_TEST(arguments)
{
    struct loop l;
    char memory[16];
    uint32_t key = 5;

    loop_open(&l, 1);
    must(try_register(l.nic[0], NULL, 16, NIC_RIGHT_READ, &key) == -EINVAL);
    must(try_register(l.nic[0], memory, 0, NIC_RIGHT_READ, &key) == -EINVAL);
    must(try_register(l.nic[0], memory, 16, 0, &key) == -EINVAL);
    must(try_register(l.nic[0], memory, 16, 8, &key) == -EINVAL);
    must(try_register(l.nic[0], memory, SIZE_MAX, NIC_RIGHT_READ, &key) == -EINVAL);
    must(key == 5);
    for (uint32_t k = 0; k < 3000; k++)
        must(deregister(l.nic[0], k) == -ENOKEY);
    loop_close(&l);
}
END_TEST

/* As many as there may be, each with a key of its own; what is over the limit is refused, and a
 * slot that is free again serves again, under another key. */
START_TEST(many)
{
    struct loop l;
    static char memory[NIC_REGIONS_MAX];
    static uint32_t key[NIC_REGIONS_MAX];
    uint32_t one_more;

    loop_open(&l, 1);
    for (unsigned i = 0; i < NIC_REGIONS_MAX; i++) {
        must(try_register(l.nic[0], memory + i, 1, NIC_RIGHT_ALL, &key[i]) == 0
             && key[i] >= NIC_KEY_FIRST);
        for (unsigned j = 0; j < i; j++)
            must(key[j] != key[i]);
    }
    must(try_register(l.nic[0], memory, 1, NIC_RIGHT_ALL, &one_more) == -ENOSPC);
    must(l.nic[0]->service == NIC_REGIONS_MAX);
    for (unsigned i = 0; i < NIC_REGIONS_MAX; i++) {
        struct nic_address a = { 0, key[i], 0 };
        nic_enter(l.nic[0]);
        must(nic_resolve(l.nic[0], &a, 1, NIC_RIGHT_ALL) == memory + i
             && !nic_resolve(l.nic[0], &a, 2, NIC_RIGHT_ALL));
        nic_leave(l.nic[0]);
        must(deregister(l.nic[0], key[i]) == 0 && deregister(l.nic[0], key[i]) == -ENOKEY);
        must(try_register(l.nic[0], memory + i, 1, NIC_RIGHT_READ, &one_more) == 0
             && one_more != key[i]);
        nic_enter(l.nic[0]);
        must(!nic_resolve(l.nic[0], &a, 1, NIC_RIGHT_READ));
        nic_leave(l.nic[0]);
    }
    loop_close(&l);     /* with all of them open */
}
END_TEST

/* What this process reaches by address alone, and what it does not. */
START_TEST(resolve)
{
    struct loop l;
    char memory[100];
    uint32_t key;

    loop_open(&l, 2);
    must(try_register(l.nic[0], memory, 100, NIC_RIGHT_READ, &key) == 0);
    nic_enter(l.nic[0]);
    nic_enter(l.nic[1]);
    struct nic_address own = { 0, key, 40 }, pad = { 1, NIC_KEY_SCRATCHPAD, 64 },
        nobody = { 2, NIC_KEY_SCRATCHPAD, 0 };
    must(nic_resolve(l.nic[0], &own, 60, NIC_RIGHT_READ) == memory + 40);
    must(!nic_resolve(l.nic[0], &own, 61, NIC_RIGHT_READ)
         && !nic_resolve(l.nic[0], &own, 1, NIC_RIGHT_READ | NIC_RIGHT_ATOMIC));
    must(!nic_resolve(l.nic[1], &own, 1, NIC_RIGHT_READ));
    must(nic_resolve(l.nic[0], &pad, 8, NIC_RIGHT_ALL) == nic_spad_at(l.nic[1], 1, 64, 8));
    must(!nic_resolve(l.nic[0], &pad, UINT64_MAX, NIC_RIGHT_ALL)
         && !nic_resolve(l.nic[0], &nobody, 1, NIC_RIGHT_ALL));
    own.offset = UINT64_MAX;
    must(!nic_resolve(l.nic[0], &own, 2, NIC_RIGHT_READ));
    nic_leave(l.nic[0]);
    nic_leave(l.nic[1]);
    must(deregister(l.nic[0], key) == 0);
    loop_close(&l);
}
END_TEST

/* -- ranks that are processes: rank 0 is the parent, which owns memory, rank 1 the child */

static struct nic *open_rank(unsigned rank, enum nic_progress progress)
{
    struct nic_config config = { .job = job, .rank = rank, .link = "shm", .progress = progress,
                                 .program = &catcher_program, .context = catcher };
    must(!nic_open(&config, &nic));
    return catcher->nic = nic;
}

/* What both share besides the NIC: the parent tells where
 * to copy, the child tells how far it is. */
static struct shared { _Atomic uint32_t key, stop; _Atomic uint64_t good, refused, other; } *shared;

static void fork_ranks(void (*be_child)(void), enum nic_progress progress)
{
    job = loop_job(2);
    must((catcher = calloc(1, sizeof *catcher)));
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED);
    open_rank(0, progress);
    child = fork();
    must(child >= 0);
    if (!child) {
        suite_limit();
        open_rank(1, NIC_PROGRESS_HOST);
        be_child();
        nic_close(nic);
        _exit(0);
    }
    while (nic_job_rank_state(job, 1) != NIC_RANK_OPEN)
        usleep(100);
}

static void join_ranks(int want_status)
{
    int status = -1;
    must(waitpid(child, &status, 0) == child);
    must(status == want_status);
    nic_close(nic);
    nic_job_close(job);
    free(catcher);
    munmap(shared, sizeof *shared);
}

static bool kernel_copy_works(void)
{
    struct nic_address a = { 1, NIC_KEY_FIRST, 0 };
    nic_enter(nic);
    unsigned paths = nic_remote_paths(nic, &a, NIC_RIGHT_WRITE) & nic_remote_paths(nic, &a,
                                                                                   NIC_RIGHT_READ);
    nic_leave(nic);
    return paths & 1u << NIC_PATH_KERNEL;
}

/* -- every path and shape, between processes */

enum { OPS = 300 };
static unsigned child_paths;

static void check_random_transfers(void)
{
    static struct side local, remote;
    unsigned char *mine = malloc(ARENA), *want = malloc(ARENA), *image = malloc(ARENA);
    uint64_t random = 4711;
    struct nic_address a = { 0, atomic_load(&shared->key), 0 };
    must(mine && want && image);
    fill_random(mine, ARENA, &random);
    fill_random(image, ARENA, &random);         /* what the parent has put into its region */
    nic_enter(nic);
    nic_remote_allow(nic, child_paths);
    for (unsigned i = 0; i < OPS; i++) {
        struct nic_outcome o = { .done = NULL };
        bool put = loop_below(&random, 2);
        uint64_t total = random_total(&random);
        random_side(&local, total, &random, put);
        random_side(&remote, total, &random, !put);
        struct nic_transfer t = nic_transfer_of(mine + local.start, a, 0);
        t.local_shape = local.shape;
        t.remote_shape = remote.shape;
        t.remote.offset = remote.start;
        memcpy(want, mine, ARENA);
        if (put)
            move_bytes(&remote, image, &local, mine, total);
        else
            move_bytes(&local, want, &remote, image, total);
        must((put ? nic_put(nic, &t, &o) : nic_get(nic, &t, &o)) == 0
             && nic_outcome_wait(nic, &o) == 0);
        must(!memcmp(mine, want, ARENA));
    }
    struct nic_outcome o = { .done = NULL };
    struct nic_transfer t = nic_transfer_of(mine, a, ARENA);
    must(nic_get(nic, &t, &o) == 0 && nic_outcome_wait(nic, &o) == 0
         && !memcmp(mine, image, ARENA));
    for (unsigned p = 0; p < NIC_PATH_COUNT; p++)
        must(!(child_paths & 1u << p) == !nic->counts.path_bytes[p]);
    nic_leave(nic);
    atomic_store(&shared->stop, 1);
}

static void wait_for_key(void)
{
    while (!atomic_load(&shared->key))
        usleep(100);
}

static void be_random_initiator(void)
{
    wait_for_key();
    check_random_transfers();
}

/* The parent is away from its NIC all the time: its NIC
 * thread serves what needs the target's NIC. */
static void random_between_processes(enum nic_path path)
{
    static unsigned char region[ARENA];
    static unsigned char scrap[ARENA];
    uint64_t random = 4711;
    uint32_t key;
    child_paths = 1u << path;
    fork_ranks(be_random_initiator, NIC_PROGRESS_AUTO);
    bool possible = path == NIC_PATH_STAGED || kernel_copy_works();
    fill_random(scrap, ARENA, &random);
    fill_random(region, ARENA, &random);
    if (possible) {
        must(try_register(nic, region, ARENA, NIC_RIGHT_READ | NIC_RIGHT_WRITE, &key) == 0);
        atomic_store(&shared->key, key);
        join_ranks(0);
    } else {
        kill(child, SIGKILL);
        join_ranks(SIGKILL);
    }
}

START_TEST(processes_kernel) { random_between_processes(NIC_PATH_KERNEL); } END_TEST
START_TEST(processes_staged) { random_between_processes(NIC_PATH_STAGED); } END_TEST

/* -- deregistration during traffic */

enum { REGION = 3 << 20, CYCLES = 60 };

/* Writes into whatever key it finds, until told to stop. */
static void be_writer(void)
{
    unsigned char *mine = malloc(REGION);
    must(mine);
    memset(mine, 0xc1, REGION);
    nic_enter(nic);
    nic_remote_allow(nic, child_paths);
    while (!atomic_load(&shared->stop)) {
        struct nic_outcome o = { .done = NULL };
        struct nic_transfer t = nic_transfer_of(mine,
                                                (struct nic_address){ 0, atomic_load(&shared->key),
                                                                      0 }, REGION);
        if (!t.remote.key)
            continue;
        must(nic_put(nic, &t, &o) == 0);
        int status = nic_outcome_wait(nic, &o);
        atomic_fetch_add(status == 0 ? &shared->good : status == -ENOKEY ? &shared->refused
                         : &shared->other, 1);
    }
    nic_leave(nic);
    free(mine);
}

static void step_a_while(unsigned turns)
{
    nic_enter(nic);
    while (turns--)
        nic_step(nic);
    nic_leave(nic);
}

/* After nic_deregister nobody writes: the memory keeps what is put there, and may be unmapped. */
static void deregistered_under_fire(enum nic_path path)
{
    child_paths = 1u << path;
    fork_ranks(be_writer, NIC_PROGRESS_HOST);
    if (path == NIC_PATH_KERNEL && !kernel_copy_works())
        atomic_store(&shared->stop, 1);
    uint64_t random = 99;
    for (unsigned cycle = 0; cycle < CYCLES && !atomic_load(&shared->stop); cycle++) {
        uint32_t key;
        unsigned char *region = mmap(NULL, REGION, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(region != MAP_FAILED && try_register(nic, region, REGION, NIC_RIGHT_WRITE, &key) == 0);
        atomic_store(&shared->key, key);
        uint64_t good = atomic_load(&shared->good);
        /* now and then wait for a whole one */
        while (cycle % 8 == 0 && atomic_load(&shared->good) == good)
            step_a_while(10);
        step_a_while(loop_below(&random, 300));
        must(deregister(nic, key) == 0);
        memset(region, (int)cycle, REGION);
        step_a_while(loop_below(&random, 300));
        usleep(loop_below(&random, 500));
        for (unsigned i = 0; i < REGION; i++)
            must(region[i] == (unsigned char)cycle);
        must(munmap(region, REGION) == 0);
    }
    atomic_store(&shared->key, 0);
    atomic_store(&shared->stop, 1);
    /* its last transfer may want an answer */
    while (nic_job_rank_state(job, 1) == NIC_RANK_OPEN)
        step_a_while(10);
    must(!atomic_load(&shared->other));
    join_ranks(0);
}

START_TEST(deregister_kernel) { deregistered_under_fire(NIC_PATH_KERNEL); } END_TEST
START_TEST(deregister_staged) { deregistered_under_fire(NIC_PATH_STAGED); } END_TEST

/* -- a peer that dies in the middle of a copy leaves its claim behind; it is a corpse that nobody
 * has collected yet */

static void be_dying_claimant(void)
{
    uint64_t at;
    wait_for_key();
    nic_enter(nic);
    must(nic_region_claim(nic, 0, atomic_load(&shared->key), 0, 8, NIC_RIGHT_READ, &at) == 0);
    atomic_store(&shared->stop, 1);
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

START_TEST(dead_claimant)
{
    static unsigned char region[64];
    uint32_t key;
    siginfo_t info;

    fork_ranks(be_dying_claimant, NIC_PROGRESS_HOST);
    must(try_register(nic, region, sizeof region, NIC_RIGHT_READ, &key) == 0);
    atomic_store(&shared->key, key);
    must(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
    must(nic_job_rank_state(job, 1) == NIC_RANK_OPEN
         && atomic_load(&nic_job_regions(job, 1)->claim) == key);
    must(deregister(nic, key) == 0);
    join_ranks(SIGKILL);
}
END_TEST

/* A claim that is still held is waited for: the owner comes back only after it is given up. */
static void be_slow_claimant(void)
{
    uint64_t at;
    wait_for_key();
    nic_enter(nic);
    must(nic_region_claim(nic, 0, atomic_load(&shared->key), 0, 8, NIC_RIGHT_READ, &at) == 0);
    atomic_store(&shared->stop, 1);
    usleep(30000);
    atomic_store(&shared->stop, 2);
    nic_region_release(nic);
    nic_leave(nic);
}

START_TEST(slow_claimant)
{
    static unsigned char region[64];
    uint32_t key;

    fork_ranks(be_slow_claimant, NIC_PROGRESS_HOST);
    must(try_register(nic, region, sizeof region, NIC_RIGHT_READ, &key) == 0);
    atomic_store(&shared->key, key);
    while (!atomic_load(&shared->stop))
        usleep(100);
    must(deregister(nic, key) == 0);
    must(atomic_load(&shared->stop) == 2);
    join_ranks(0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("region");
    TCase *c = tcase_create("keys");
    suite_add_tcase(s, c);
    tcase_add_test(c, arguments);
    tcase_add_test(c, many);
    tcase_add_test(c, resolve);
    c = tcase_create("processes");
    suite_add_tcase(s, c);
    tcase_add_test(c, processes_kernel);
    tcase_add_test(c, processes_staged);
    tcase_add_test(c, deregister_kernel);
    tcase_add_test(c, deregister_staged);
    tcase_add_test(c, dead_claimant);
    tcase_add_test(c, slow_claimant);
    return s;
}

int main(void) { return loop_run(suite()); }
