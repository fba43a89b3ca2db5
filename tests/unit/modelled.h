/* For tests of the model clock: a profile whose costs are all
 * different, jobs with it, and how they came out. */
#ifndef MODELLED_H
#define MODELLED_H

#include "loop.h"

static inline const struct nic_profile *test_profile(void)
{
    static struct nic_profile p;

    if (p.link.latency)
        return &p;
    nic_profile_default(&p);
    p.call.enter = 20000;
    p.call.completion = 10000;
    p.call.test = 11000;
    p.call.wtime = 12000;
    p.call.command = 13000;
    p.bus.latency = 50000;
    p.bus.byte = 10 * 1024;
    p.nic.packet = 21000;
    p.nic.command = 22000;
    p.nic.advance = 23000;
    p.nic.complete = 5000;
    p.nic.entry_hit = 2000;
    p.nic.control = 9000;
    p.tx.start = 17000;
    p.tx.byte = 100 * 1024;
    p.rx.start = 15000;
    p.rx.byte = 90 * 1024;
    p.link.byte = 80 * 1024;
    p.rdma.start = 100000;
    p.rdma.byte = 100 * 1024;
    p.link.latency = 200000;
    return &p;
}

static inline struct nic_job *model_job_on(unsigned cores, unsigned ranks, bool serial,
                                           const char *log)
{
    struct nic_model_config model = { .profile = test_profile(), .serial = serial, .log = log };
    struct nic_job_config config = { .ranks = ranks, .cores = cores, .model = &model };
    struct nic_job *job = NULL;

    must(nic_job_create(&config, &job) == 0);
    return job;
}

static inline struct nic_job *model_job(unsigned ranks, bool serial, const char *log)
{
    return model_job_on(1, ranks, serial, log);
}

/* What a run came to: no two of the same program may differ in it. */
struct came { struct nic_model_result result; uint64_t sum; };

static inline void expect_same(uint64_t seed, const struct came *a, const struct came *b)
{
    if (a->sum != b->sum || a->result.hash != b->result.hash
        || a->result.events != b->result.events || a->result.time != b->result.time)
        ck_abort_msg("seed %lu: %lu events, hash %016lx; then %lu events, hash %016lx",
                     (unsigned long)seed, (unsigned long)a->result.events,
                     (unsigned long)a->result.hash, (unsigned long)b->result.events,
                         (unsigned long)b->result.hash);
}

/* A program without a control program's work: tests of the hardware alone. */
static inline void idle_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic, (void)context, (void)p;
}
static inline void idle_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic, (void)context, (void)cookie;
}
static inline void idle_command(struct nic *nic, void *context, const struct nic_command *c)
{
    (void)nic, (void)context, (void)c;
}
static inline bool idle_advance(struct nic *nic, void *context)
{
    (void)nic, (void)context;
    return false;
}
#define IDLE_PROGRAM \
    .packet = idle_packet, .landed = idle_landed, .command = idle_command, .advance = idle_advance

#endif
