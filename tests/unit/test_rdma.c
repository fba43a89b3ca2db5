/* RDMA: within a process, and between two processes through the kernel, for each of the paths that
 * NICEMU_RDMA leaves open. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "core/nic.h"
#include "loop.h"
#include "job/segment.h"

static uint64_t address(const void *p) { return (uint64_t)(uintptr_t)p; }

/* -- link "loop" */

START_TEST(within_a_process)
{
    struct loop l;
    unsigned char from[5000], to[5000];

    loop_open(&l, 2);
    nic_enter(l.nic[0]);
    ck_assert_uint_eq(nic_rdma_paths(l.nic[0], 1), NIC_RDMA_READ | NIC_RDMA_WRITE);
    ck_assert_uint_eq(nic_rdma_paths(l.nic[0], 0), NIC_RDMA_READ | NIC_RDMA_WRITE);
    memcpy(from, loop_payload(1), sizeof from);
    memset(to, 0, sizeof to);
    ck_assert_int_eq(nic_rdma_read(l.nic[0], 1, address(from + 1), to, sizeof to - 2), 0);
    ck_assert_mem_eq(to, loop_payload(1) + 1, sizeof to - 2);
    ck_assert_uint_eq(to[sizeof to - 2] | to[sizeof to - 1], 0);
    ck_assert_int_eq(nic_rdma_write(l.nic[0], 1, loop_payload(9), address(to + 3), 100), 0);
    ck_assert_mem_eq(to + 3, loop_payload(9), 100);
    ck_assert_mem_eq(to, loop_payload(1) + 1, 3);
    ck_assert_mem_eq(to + 103, loop_payload(1) + 104, 1000);
    nic_leave(l.nic[0]);
    loop_close(&l);
}
END_TEST

/* As if the kernel refused; asked once per pair, so what changes later is not noticed. */
START_TEST(no_path)
{
    struct loop l;

    loop_open(&l, 2);
    setenv("NICEMU_RDMA", "staged", 1);
    nic_enter(l.nic[0]);
    ck_assert_uint_eq(nic_rdma_paths(l.nic[0], 1), 0);
    unsetenv("NICEMU_RDMA");
    ck_assert_uint_eq(nic_rdma_paths(l.nic[0], 1), 0);
    nic_leave(l.nic[0]);
    nic_enter(l.nic[1]);
    ck_assert_uint_eq(nic_rdma_paths(l.nic[1], 0), NIC_RDMA_READ | NIC_RDMA_WRITE);
    nic_leave(l.nic[1]);
    loop_close(&l);
}
END_TEST

/* -- link "shm": rank 1 is a process of its own, which shows
 * rank 0 a buffer and waits for the word to end */

enum { BUFFER = 300000, SHOW = 1, END = 2 };
struct shown { uint64_t buffer, hole, read_only; };

static struct nic_job *job;
static struct nic *nic;
static struct catcher *catcher;
static pid_t child;
static struct shown shown;
/* what the kernel allows here: probed without any restriction */
static bool kernel_copy;

static struct nic *open_rank(unsigned rank)
{
    struct nic_config config = { .job = job, .rank = rank, .link = "shm",
                                 .progress = NIC_PROGRESS_HOST, .program = &catcher_program,
                                 .context = catcher };
    struct nic *opened = NULL;

    must(!nic_open(&config, &opened));
    return catcher->nic = opened;
}

static void wait_for_packet(unsigned type)
{
    struct nic_wait w = { .spins = 0 };

    nic_enter(catcher->nic);
    while (catcher->packet.type != type)
        nic_wait_turn(catcher->nic, &w);
    nic_leave(catcher->nic);
}

/* In rank 1: its exit code says what it found in its buffer at the end, the number of bytes that
 * are not the payload of the seed asked for. */
_Noreturn static void be_rank_1(void)
{
    unsigned char *buffer = malloc(BUFFER);
    char *hole = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *fixed = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    suite_limit();
    must(buffer && hole != MAP_FAILED && fixed != MAP_FAILED && !munmap(hole + 4096, 4096));
    struct shown s = { address(buffer), address(hole), address(fixed) };
    for (size_t i = 0; i < BUFFER; i += LOOP_BYTES)
        memcpy(buffer + i, loop_payload(5), BUFFER - i < LOOP_BYTES ? BUFFER - i : LOOP_BYTES);
    open_rank(1);
    must(nic_send_now(catcher->nic, 0, SHOW, 0, &s, sizeof s));
    wait_for_packet(END);
    unsigned seed = (unsigned)catcher->packet.match;
    int wrong = 0;
    for (size_t i = 0; i < LOOP_BYTES; i++)
        wrong += buffer[i] != loop_payload(seed)[i];
    nic_close(catcher->nic);
    _exit(wrong > 99 ? 99 : wrong);
}

static void open_pair(const char *path)
{
    if (path)
        setenv("NICEMU_RDMA", path, 1);
    else
        unsetenv("NICEMU_RDMA");
    job = loop_job(2);
    must((catcher = calloc(1, sizeof *catcher)));
    child = fork();
    must(child >= 0);
    if (!child)
        be_rank_1();
    nic = open_rank(0);
    wait_for_packet(SHOW);
    memcpy(&shown, catcher->data, sizeof shown);
    nic_enter(nic);
}

/* Ends rank 1, whose buffer has to begin with the payload of `seed`. */
static void close_pair(unsigned seed)
{
    int status = -1;

    nic_leave(nic);
    must(nic_send_now(nic, 1, END, seed, NULL, 0));
    must(waitpid(child, &status, 0) == child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    ck_assert_int_eq(nic_job_rank_state(job, 1), NIC_RANK_CLOSED);
    nic_close(nic);
    nic_job_close(job);
    free(catcher);
    unsetenv("NICEMU_RDMA");
}

static void probe_kernel(void)
{
    open_pair(NULL);
    kernel_copy = nic_rdma_paths(nic, 1) == (NIC_RDMA_READ | NIC_RDMA_WRITE);
    close_pair(5);
    if (!kernel_copy)
        puts("the kernel does not copy between processes here: only its refusal is tested");
}

static const struct { const char *name; unsigned paths; } paths[] = {
    { NULL, NIC_RDMA_READ | NIC_RDMA_WRITE }, { "staged", 0 }, { "read", NIC_RDMA_READ },
    { "write", NIC_RDMA_WRITE },
};

START_TEST(probes)
{
    open_pair(paths[_i].name);
    ck_assert_uint_eq(nic_rdma_paths(nic, 1), kernel_copy ? paths[_i].paths : 0);
    /* oneself, always */
    ck_assert_uint_eq(nic_rdma_paths(nic, 0), NIC_RDMA_READ | NIC_RDMA_WRITE);
    close_pair(5);
}
END_TEST

START_TEST(read_and_write)
{
    static unsigned char data[BUFFER];
    static const size_t sizes[] = { 0, 1, 63, 4096, 4097, LOOP_BYTES, BUFFER };

    open_pair(NULL);
    if (kernel_copy) {
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            memset(data, 0, sizeof data);
            ck_assert_int_eq(nic_rdma_read(nic, 1, shown.buffer, data, sizes[i]), 0);
            ck_assert_mem_eq(data, loop_payload(5), sizes[i] < LOOP_BYTES ? sizes[i] : LOOP_BYTES);
            must(sizes[i] == BUFFER || !data[sizes[i]]);
        }
        ck_assert_int_eq(nic_rdma_write(nic, 1, loop_payload(6), shown.buffer, 10000), 0);
        ck_assert_int_eq(nic_rdma_write(nic, 1, loop_payload(6) + 10000, shown.buffer + 10000,
                                        LOOP_BYTES - 10000), 0);
    }
    close_pair(kernel_copy ? 6 : 5);
}
END_TEST

/* What cannot be copied whole is an error, whether nothing of it is there or only a part. */
START_TEST(bad_addresses)
{
    static unsigned char data[3 * 4096];

    open_pair(NULL);
    if (kernel_copy) {
        ck_assert_int_eq(nic_rdma_read(nic, 1, shown.hole + 4096, data, 8), -EFAULT);
        ck_assert_int_eq(nic_rdma_read(nic, 1, shown.hole, data, sizeof data), -EFAULT);
        ck_assert_int_eq(nic_rdma_read(nic, 1, 0, data, 8), -EFAULT);
        ck_assert_int_eq(nic_rdma_write(nic, 1, data, shown.hole + 4096, 8), -EFAULT);
        ck_assert_int_eq(nic_rdma_write(nic, 1, data, shown.hole, sizeof data), -EFAULT);
        ck_assert_int_eq(nic_rdma_write(nic, 1, data, shown.read_only, 8), -EFAULT);
        ck_assert_int_eq(nic_rdma_read(nic, 1, shown.read_only, data, 8), 0);
    }
    close_pair(5);
}
END_TEST

START_TEST(oneself)
{
    unsigned char a[100], b[100] = { 0 };

    open_pair(NULL);
    memcpy(a, loop_payload(2), sizeof a);
    ck_assert_int_eq(nic_rdma_read(nic, 0, address(a), b, sizeof b), 0);
    ck_assert_mem_eq(a, b, sizeof a);
    ck_assert_int_eq(nic_rdma_write(nic, 0, loop_payload(3), address(a), sizeof a), 0);
    ck_assert_mem_eq(a, loop_payload(3), sizeof a);
    close_pair(5);
}
END_TEST

static uint64_t figure(enum nic_stat stat) { return nic->stats.value[stat]; }

/* The kernel's copies and the processor's are told apart. */
START_TEST(who_copied)
{
    unsigned char a[300] = { 0 }, b[300];

    open_pair(NULL);
    ck_assert_int_eq(nic_rdma_read(nic, 0, address(a), b, 300), 0);
    ck_assert_uint_eq(figure(NIC_STAT_bytes_direct), 300);
    ck_assert_uint_eq(figure(NIC_STAT_bytes_kernel_read) + figure(NIC_STAT_bytes_kernel_written),
                      0);
    if (kernel_copy) {
        ck_assert_int_eq(nic_rdma_read(nic, 1, shown.buffer, b, 200), 0);
        ck_assert_int_eq(nic_rdma_write(nic, 1, loop_payload(5), shown.buffer, 100), 0);
        ck_assert_uint_eq(figure(NIC_STAT_bytes_direct), 300);
        ck_assert_uint_eq(figure(NIC_STAT_bytes_kernel_read), 200);
        ck_assert_uint_eq(figure(NIC_STAT_bytes_kernel_written), 100);
    }
    close_pair(5);
}
END_TEST

/* A number that stands for the process that a pid used to
 * be is not trusted: the token must be there. */
START_TEST(wrong_token)
{
    open_pair(NULL);
    atomic_fetch_add(&job->publics[1].probe_token, 2);
    ck_assert_uint_eq(nic_rdma_paths(nic, 1), 0);
    close_pair(5);
}
END_TEST

START_TEST(no_address)
{
    open_pair(NULL);
    atomic_store(&job->publics[1].probe_address, 0);
    ck_assert_uint_eq(nic_rdma_paths(nic, 1), 0);
    close_pair(5);
}
END_TEST

/* A peer that died. */
START_TEST(dead_peer)
{
    unsigned char data[8];

    open_pair(NULL);
    bool could = nic_rdma_paths(nic, 1);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    if (could) {
        ck_assert_int_eq(nic_rdma_read(nic, 1, shown.buffer, data, sizeof data), -ESRCH);
        ck_assert_int_eq(nic_rdma_write(nic, 1, data, shown.buffer, sizeof data), -ESRCH);
    }
    ck_assert_int_eq(nic_job_rank_state(job, 1), NIC_RANK_OPEN);
    nic_leave(nic);
    nic_close(nic);
    nic_job_close(job);
    free(catcher);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rdma");
    TCase *tcase = tcase_create("rdma");

    tcase_add_unchecked_fixture(tcase, probe_kernel, NULL);
    tcase_add_test(tcase, within_a_process);
    tcase_add_test(tcase, no_path);
    tcase_add_loop_test(tcase, probes, 0, sizeof paths / sizeof *paths);
    tcase_add_test(tcase, read_and_write);
    tcase_add_test(tcase, bad_addresses);
    tcase_add_test(tcase, oneself);
    tcase_add_test(tcase, who_copied);
    tcase_add_test(tcase, wrong_token);
    tcase_add_test(tcase, no_address);
    tcase_add_test(tcase, dead_peer);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
