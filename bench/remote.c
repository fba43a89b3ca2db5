/* Remote operations of nicemu between two processes, no MPI: an 8-byte put whose target polls the
 * memory, beside the bare hand-off of a cache line in the same rounds, and the bandwidth of put and
 * get on each path.  usage: remote [milliseconds per row, default 50] */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nicemu/job.h"
#include "nicemu/remote.h"
#include "nicemu/spad.h"

enum { LARGEST = 4 << 20, ROUNDS = 9, CHUNK = 200, LIMIT_S = 300 };

/* What the two processes agree on besides their NICs. */
static struct common {
    _Alignas(128) _Atomic uint64_t ping;
    _Alignas(128) _Atomic uint64_t pong;
    _Alignas(128) _Atomic uint32_t key, open, stop;
} *common;

static struct nic_job *job;
static struct nic *nic;
static unsigned char *buffer;
static uint64_t flag;       /* offset of a line in the scratchpad, the same in both */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* To the n-th processor that the program may use. */
static void pin(int n)
{
    cpu_set_t allowed, one;
    sched_getaffinity(0, sizeof allowed, &allowed);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && n-- == 0)
            CPU_SET(cpu, &one);
    if (CPU_COUNT(&one))
        sched_setaffinity(0, sizeof one, &one);
}

/* -- a control program that wants no packets */

static void on_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic, (void)context, (void)p;
}
static void on_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic, (void)context, (void)cookie;
}
static void on_command(struct nic *nic, void *context, const struct nic_command *c)
{
    (void)nic, (void)context, (void)c;
}
static bool on_advance(struct nic *nic, void *context) { (void)nic, (void)context; return false; }
static const struct nic_program program = { .name = "none", .packet = on_packet,
        .landed = on_landed, .command = on_command, .advance = on_advance };

static void open_nic(unsigned rank)
{
    struct nic_config config = { .job = job, .rank = rank, .link = "shm",
                                 .progress = NIC_PROGRESS_HOST, .program = &program };
    pin((int)rank);
    if (nic_open(&config, &nic) || !(buffer = malloc(LARGEST)))
        exit(1);
    memset(buffer, (int)rank + 1, LARGEST);
    nic_enter(nic);
    flag = nic_spad_alloc(nic, NIC_SPAD_USER, 128, 128);
    if (flag == NIC_SPAD_NONE)
        exit(1);
    atomic_fetch_add(&common->open, 1);
    while (atomic_load(&common->open) < 2)
        ;
}

/* -- latency: each end waits for the word that the other writes */

static _Atomic uint64_t *word_of(unsigned rank) { return nic_spad_at(nic, rank, flag, 8); }

static void put_word(unsigned peer, uint64_t value)
{
    struct nic_transfer t = nic_transfer_of(&value,
                                            (struct nic_address){ peer, NIC_KEY_SCRATCHPAD, flag },
                                                sizeof value);
    if (nic_put(nic, &t, NULL))
        exit(1);
}

static void await(const _Atomic uint64_t *word, uint64_t value)
{
    while (atomic_load_explicit(word, memory_order_acquire) != value)
        ;
}

static void bare_chunk(unsigned rank, uint64_t first)
{
    for (uint64_t i = first; i < first + CHUNK; i++) {
        if (rank == 1)
            await(&common->ping, i);
        atomic_store_explicit(rank ? &common->pong : &common->ping, i, memory_order_release);
        if (rank == 0)
            await(&common->pong, i);
    }
}

static void put_chunk(unsigned rank, uint64_t first)
{
    for (uint64_t i = first; i < first + CHUNK; i++) {
        if (rank == 1)
            await(word_of(1), i);
        put_word(1 - rank, i);
        if (rank == 0)
            await(word_of(0), i);
    }
}

/* Rank 0 says by `stop` how many chunks rank 1 goes along with. */
static void latency(unsigned rank, double limit)
{
    double bare = 1, put = 1;
    uint64_t first = 1;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (double t = 0; t < limit / ROUNDS; first += CHUNK) {
            double begin = now();
            bare_chunk(rank, first);
            double middle = now();
            put_chunk(rank, first);
            double end = now();
            bare = middle - begin < bare ? middle - begin : bare;
            put = end - middle < put ? end - middle : put;
            t += end - begin;
            if (rank == 0) {
                atomic_store(&common->stop, t >= limit / ROUNDS);
                atomic_store(&common->ping, UINT64_MAX - first);
                await(&common->pong, UINT64_MAX - first);
            } else {
                await(&common->ping, UINT64_MAX - first);
                t = atomic_load(&common->stop) ? limit : 0;
                atomic_store(&common->pong, UINT64_MAX - first);
            }
        }
    if (rank == 0)
        printf("hand-off/half-round-trip/ns %.1f\nput/8/half-round-trip/ns %.1f\n",
               bare / CHUNK / 2 * 1e9, put / CHUNK / 2 * 1e9);
}

/* -- bandwidth: rank 1 only takes turns, as a host does that waits */

static void one_transfer(bool put, struct nic_address at, size_t bytes)
{
    struct nic_outcome o = { .done = NULL };
    struct nic_transfer t = nic_transfer_of(buffer, at, bytes);
    if ((put ? nic_put(nic, &t, &o) : nic_get(nic, &t, &o)) || nic_outcome_wait(nic, &o)) {
        fprintf(stderr, "a transfer failed: %d\n", o.status);
        exit(1);
    }
}

static void bandwidth(enum nic_path path, struct nic_address at, size_t largest, double limit)
{
    nic_remote_allow(nic, 1u << path);
    for (int put = 0; put < 2; put++) {
        if (!(nic_remote_paths(nic, &at, put ? NIC_RIGHT_WRITE : NIC_RIGHT_READ) & 1u << path))
            continue;
        for (size_t bytes = 4096; bytes <= largest; bytes *= 4) {
            double best = 0, t = 0;
            while (t < limit) {
                double begin = now(), took;
                one_transfer(put, at, bytes);
                took = now() - begin;
                t += took;
                best = bytes / took > best ? bytes / took : best;
            }
            printf("%s/%s/%zu/GBps %.2f\n", put ? "put" : "get", nic_path_name(path), bytes,
                   best * 1e-9);
        }
    }
}

static void be_target(double limit)
{
    uint32_t key;
    open_nic(1);
    latency(1, limit);
    if (nic_register(nic, buffer, LARGEST, NIC_RIGHT_ALL, &key))
        exit(1);
    atomic_store(&common->stop, 0);
    atomic_store(&common->key, key);
    while (!atomic_load(&common->stop))
        nic_step(nic);
    if (nic_deregister(nic, key))
        exit(1);
    nic_leave(nic);
    nic_close(nic);
    exit(0);
}

int main(int argc, char **argv)
{
    double limit = (argc > 1 ? atof(argv[1]) : 50) * 1e-3;
    struct nic_job_config config = { .ranks = 2 };
    int status = 1;
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (common == MAP_FAILED || nic_job_create(&config, &job))
        return 1;
    alarm(LIMIT_S);
    pid_t child = fork();
    if (!child)
        be_target(limit);
    open_nic(0);
    latency(0, limit);
    while (!atomic_load(&common->key))
        ;
    struct nic_address memory = { 1, atomic_load(&common->key), 0 },
        pad = { 1, NIC_KEY_SCRATCHPAD, flag + 128 };
    bandwidth(NIC_PATH_DIRECT, pad, 256 << 10, limit);
    bandwidth(NIC_PATH_KERNEL, memory, LARGEST, limit);
    bandwidth(NIC_PATH_STAGED, memory, LARGEST, limit);
    atomic_store(&common->stop, 1);
    nic_leave(nic);
    waitpid(child, &status, 0);
    nic_close(nic);
    nic_job_close(job);
    return status != 0;
}
