/* What a remote store of 8 bytes, a fetch&add and a counter cost between two ranks, beside the bare
 * hand-off of a cache line between the same two processes.  Nanoseconds, half of a round trip, the
 * least of some short rounds that alternate. usage: make bench/atomic && bench/atomic [rounds,
 * default 20] */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nicemu/atomic.h"
#include "nicemu/job.h"
#include "nicemu/counter.h"
#include "nicemu/queue.h"
#include "nicemu/spad.h"

/* each way has a word of its own, which goes up by 1 with every turn */
enum { TURNS = 5000, WORD_BYTES = 128 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void pin(unsigned nth)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && nth-- == 0)
            CPU_SET(cpu, &one);
    if (CPU_COUNT(&one))
        sched_setaffinity(0, sizeof one, &one);
}

/* -- the program of both NICs: nothing */

static void packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic, (void)context, (void)p;
}
static void command(struct nic *nic, void *context, const struct nic_command *c)
{
    (void)nic, (void)context, (void)c;
}
static bool advance(struct nic *nic, void *context) { (void)nic, (void)context; return false; }
static const struct nic_program program = { .name = "none", .packet = packet, .command = command,
                                            .advance = advance };

/* -- ways to tell the peer, and to be told */

static struct nic *nic;
static unsigned rank, peer;
static uint64_t words_at, word_at, counter;

static _Atomic uint64_t *word(unsigned of) { return nic_spad_at(nic, of, word_at, 8); }

static void bare_tell(uint64_t i) { atomic_store_explicit(word(peer), i, memory_order_release); }

static void bare_wait(uint64_t i)
{
    _Atomic uint64_t *w = word(rank);
    while (atomic_load_explicit(w, memory_order_acquire) != i)
        ;
}

static void store_tell(uint64_t i)
{
    nic_enter(nic);
    nic_store(nic, peer, word_at, i, 8);
    nic_leave(nic);
}

static void add_tell(uint64_t i)
{
    uint64_t old;
    struct nic_atomic a = { .op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_UINT64,
                            .target = { .rank = peer, .offset = word_at },
            .operand = 1, .result = &old,
                            .counter = NIC_SPAD_NONE };
    (void)i;
    nic_enter(nic);
    nic_atomic(nic, &a, NULL);
    nic_leave(nic);
}

static void word_wait(uint64_t i)
{
    uint64_t value;
    nic_enter(nic);
    nic_word_wait(nic, word_at, 8, i - 1, &value);
    nic_leave(nic);
}

static void count_tell(uint64_t i)
{
    (void)i;
    nic_enter(nic);
    nic_counter_add(nic, peer, counter, 1);
    nic_leave(nic);
}

static void count_wait(uint64_t i)
{
    (void)i;
    nic_enter(nic);
    nic_counter_wait(nic, counter);
    nic_counter_expect(nic, counter, 1);
    nic_leave(nic);
}

static const struct way { const char *name; void (*tell)(uint64_t i), (*wait)(uint64_t i);
                          } ways[] = {
    { "hand-off", bare_tell, bare_wait },
    { "store", store_tell, word_wait },
    { "fetch&add", add_tell, word_wait },
    { "counter", count_tell, count_wait },
};
enum { WAYS = sizeof ways / sizeof *ways };

static double round_trip(unsigned which, unsigned round)
{
    const struct way *w = &ways[which];
    double begin = 0;
    word_at = words_at + which * WORD_BYTES;
    for (uint64_t t = 1, i = (uint64_t)round * TURNS + 1; t <= TURNS; t++, i++) {
        if (t == TURNS / 10)
            begin = now();
        if (rank) {
            w->wait(i);
            w->tell(i);
        } else {
            w->tell(i);
            w->wait(i);
        }
    }
    return (now() - begin) / (TURNS - TURNS / 10 + 1) / 2;
}

static void run(struct nic_job *job, unsigned rounds)
{
    struct nic_config config = { .job = job, .rank = rank, .link = "shm",
                                 .progress = NIC_PROGRESS_HOST, .program = &program };
    struct nic_counter_config c = { .bits = 64, .size = 1 };
    double best[WAYS];
    pin(rank);
    if (nic_open(&config, &nic))
        exit(1);
    nic_enter(nic);
    words_at = nic_spad_alloc(nic, NIC_SPAD_USER, (WAYS + 1) * WORD_BYTES, WORD_BYTES);
    if (words_at == NIC_SPAD_NONE || nic_counter_create(nic, &c, &counter))
        exit(1);
    nic_leave(nic);
    word_at = words_at + WAYS * WORD_BYTES;        /* the same at both, as they allocate alike */
    bare_tell(1);
    bare_wait(1);
    for (unsigned r = 0; r < rounds; r++)
        for (unsigned w = 0; w < WAYS; w++) {
            double t = round_trip(w, r);
            if (!r || t < best[w])
                best[w] = t;
        }
    for (unsigned w = 0; w < WAYS && !rank; w++)
        printf("%s/one-way/ns %.1f\n", ways[w].name, best[w]);
    nic_close(nic);
}

int main(int argc, char **argv)
{
    struct nic_job_config config = { .ranks = 2 };
    struct nic_job *job;
    unsigned rounds = argc > 1 && atoi(argv[1]) > 0 ? (unsigned)atoi(argv[1]) : 20;
    if (nic_job_create(&config, &job))
        return 1;
    pid_t child = fork();
    if (child < 0)
        return 1;
    rank = child == 0;
    peer = !rank;
    run(job, rounds);
    if (child > 0)
        waitpid(child, NULL, 0);
    nic_job_close(job);
    return 0;
}
