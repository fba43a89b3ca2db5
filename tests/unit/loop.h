/* Many NICs in one process: jobs and NICs on link "loop", a control program that catches packets
 * whole, and payload to check. */
#ifndef LOOP_H
#define LOOP_H

#include <string.h>
#include "nicemu/alpu_unit.h"
#include "nicemu/atomic.h"
#include "nicemu/counter.h"
#include "nicemu/explain.h"
#include "nicemu/heap.h"
#include "nicemu/threads.h"
#include "nicemu/job.h"
#include "nicemu/list.h"
#include "nicemu/match.h"
#include "nicemu/model.h"
#include "nicemu/pgas_queue.h"
#include "nicemu/place.h"
#include "nicemu/profile.h"
#include "nicemu/queue.h"
#include "nicemu/rdma.h"
#include "nicemu/remote.h"
#include "nicemu/sizes.h"
#include "nicemu/spad.h"
#include "nicemu/stats.h"
#include "nicemu/trigger.h"
#include "nicemu_fast.h"
#include "suite.h"

enum { LOOP_MAX = 8, LOOP_BYTES = NIC_MESSAGE_BYTES_MAX + 64, LOOP_SEEDS = 4096 };

/* Random programs may be shorter under a sanitizer. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LOOP_SANITIZED = 1 };
#else
enum { LOOP_SANITIZED = 0 };
#endif

/* As ck_assert, for loops and for other threads: check notes the place of each assertion with a
 * system call, and only in its own thread. */
#define must(condition) ((condition) ? (void)0 : loop_fail(__FILE__, __LINE__, #condition))

_Noreturn static inline void loop_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, condition);
    abort();
}

/* -- random numbers, the same in each run */

static inline uint64_t loop_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static inline uint32_t loop_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(loop_random(state) >> 16) % limit;
}

/* -- payload: each seed is another window into one table, no two of which are alike */

static union { uint64_t word[(LOOP_BYTES + LOOP_SEEDS) / 8 + 1];
               unsigned char byte[LOOP_BYTES + LOOP_SEEDS]; } loop_table;

/* Before main, that is, before there is a thread that could look into it. */
__attribute__((constructor)) static void loop_fill_table(void)
{
    uint64_t state = 88172645463325252u;

    for (size_t i = 0; i < sizeof loop_table.word / sizeof *loop_table.word; i++)
        loop_table.word[i] = loop_random(&state);
}

static inline const unsigned char *loop_payload(unsigned seed)
{
    return loop_table.byte + seed % LOOP_SEEDS;
}

static inline bool loop_is_payload(const void *data, size_t bytes, unsigned seed)
{
    return !memcmp(data, loop_payload(seed), bytes);
}

/* -- jobs and NICs */

static inline struct nic_job *loop_job_sized(unsigned ranks, size_t scratchpad, size_t heap)
{
    struct nic_job_config config = { .ranks = ranks, .cores = 64, .scratchpad = scratchpad,
                                     .heap = heap };
    struct nic_job *job = NULL;

    must(nic_job_create(&config, &job) == 0);
    return job;
}

static inline struct nic_job *loop_job(unsigned ranks) { return loop_job_sized(ranks, 0, 0); }

static inline struct nic *loop_nic(struct nic_job *job, unsigned rank, enum nic_progress progress,
                                   const struct nic_program *program,
                                   void *context)
{
    struct nic_config config = { .job = job, .rank = rank, .link = "loop", .progress = progress,
                                 .program = program, .context = context };
    struct nic *nic = NULL;

    must(nic_open(&config, &nic) == 0);
    return nic;
}

/* -- catcher: a control program that hands over each packet with all of its payload */

struct catcher {
    struct nic *nic;
    /* head: the whole payload, head_bytes: how much of it; NULL: packets are only counted */
    void (*caught)(struct catcher *catcher, const struct nic_packet *packet);
    _Atomic unsigned long packets;      /* who sleeps looks without the baton */
    struct nic_packet packet;           /* being received, and the last one */
    unsigned char data[LOOP_BYTES];
};

static inline void catcher_deliver(struct catcher *c)
{
    c->packets++;
    c->packet.head = c->data;
    c->packet.head_bytes = c->packet.length;
    if (c->caught)
        c->caught(c, &c->packet);
}

static inline void catcher_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic;
    struct catcher *c = context;

    must(p->length <= LOOP_BYTES);
    must(p->head_bytes <= NIC_HEAD_BYTES);
    must(p->head_bytes <= p->length);
    c->packet = *p;
    memcpy(c->data, p->head, p->head_bytes);
    if (p->length > p->head_bytes)
        nic_receive_body(c->nic, c->data + p->head_bytes, sizeof c->data - p->head_bytes, c);
    else
        catcher_deliver(c);
}

static inline void catcher_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic;
    must(context == cookie);
    catcher_deliver(context);
}

static inline void catcher_command(struct nic *nic, void *context,
                                   const struct nic_command *command)
{
    (void)nic, (void)context, (void)command;
}
static inline bool catcher_advance(struct nic *nic, void *context)
{
    (void)nic, (void)context;
    return false;
}

static const struct nic_program catcher_program = { .name = "catcher", .packet = catcher_packet,
                                                    .landed = catcher_landed,
                                                    .command = catcher_command,
                                                        .advance = catcher_advance };

/* A job whose ranks all catch. */
struct loop {
    struct nic_job *job;
    unsigned ranks;
    struct nic *nic[LOOP_MAX];
    struct catcher *catcher[LOOP_MAX];
};

static inline void loop_open_in(struct loop *l, struct nic_job *job, enum nic_progress progress)
{
    *l = (struct loop){ .job = job, .ranks = nic_job_ranks(job) };
    must(l->ranks <= LOOP_MAX);
    for (unsigned r = 0; r < l->ranks; r++) {
        must(l->catcher[r] = calloc(1, sizeof *l->catcher[r]));
        l->nic[r] = l->catcher[r]->nic = loop_nic(job, r, progress, &catcher_program,
                                                  l->catcher[r]);
    }
}

static inline void loop_open(struct loop *l, unsigned ranks)
{
    loop_open_in(l, loop_job(ranks), NIC_PROGRESS_HOST);
}

static inline void loop_close(struct loop *l)
{
    for (unsigned r = 0; r < l->ranks; r++) {
        nic_close(l->nic[r]);
        free(l->catcher[r]);
    }
    nic_job_close(l->job);
}

/* Takes turns until nothing moves. */
static inline void loop_drain(struct nic *nic)
{
    nic_enter(nic);
    while (nic_step(nic))
        ;
    nic_leave(nic);
}

static inline int loop_send(struct nic *nic, unsigned peer, const struct nic_tx *message)
{
    nic_enter(nic);
    int rc = nic_send(nic, peer, message);
    nic_leave(nic);
    return rc;
}

/* The seed of random tests: TEST_SEED, or else the usual one.  Printed, for whoever wants to see
 * the same again. */
static inline uint64_t loop_seed(uint64_t usual)
{
    const char *given = getenv("TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : usual;

    printf("TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

static inline int loop_run(Suite *suite) { return suite_run(suite); }

#endif
