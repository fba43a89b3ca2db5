/* For tests of what NICs do by themselves: NICs on link "loop" or in processes of their own, either
 * way to a peer's scratchpad, and a program that keeps account. */
#ifndef OFFLOAD_H
#define OFFLOAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "core/nic.h"
#include "loop.h"
#include "modelled.h"
#include "remote/packets.h"

/* MIXED: every other rank goes by packet; MODEL: on the model clock, by packet, where each rank
 * needs a thread or process of its own. */
enum way { DIRECT, PACKET, MIXED, IN_TURN, MODEL = IN_TURN, WAYS };

struct program {
    struct nic *nic;
    _Atomic unsigned long calls, messages;
    void *cookie;                               /* of the last call */
    struct nic_words words;                     /* the last message */
    void (*called)(struct program *program, void *cookie);
};

static inline void program_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic, (void)context, (void)p;
    must(!"a packet for the program");
}
static inline void program_command(struct nic *nic, void *context, const struct nic_command *c)
{
    (void)nic, (void)context, (void)c;
}
static inline bool program_advance(struct nic *nic, void *context)
{
    (void)nic, (void)context;
    return false;
}

static inline void program_counter(struct nic *nic, void *context, void *cookie)
{
    (void)nic;
    struct program *p = context;
    p->cookie = cookie;
    atomic_fetch_add(&p->calls, 1);
    if (p->called)
        p->called(p, cookie);
}

static inline void program_message(struct nic *nic, void *context, const struct nic_words *words)
{
    (void)nic;
    struct program *p = context;
    p->words = *words;
    atomic_fetch_add(&p->messages, 1);
}

static const struct nic_program offload_program = { .name = "offload", .packet = program_packet,
                                                    .command = program_command,
        .advance = program_advance,
                                                    .counter = program_counter,
                                                        .message = program_message };

static inline void go_by(struct nic *nic, enum way way)
{
    if (way == MODEL)
        return;
    nic_enter(nic);
    nic_remote_allow(nic, way == PACKET || (way == MIXED && nic_rank(nic) % 2)
                     ? 1u << NIC_PATH_STAGED : (1u << NIC_PATH_COUNT) - 1);
    nic_leave(nic);
}

/* -- all in this process */

struct offload { struct nic_job *job; unsigned ranks; struct nic *nic[LOOP_MAX];
                 struct program program[LOOP_MAX]; };

static inline struct nic_job *offload_job(unsigned ranks, enum way way)
{
    return way == MODEL ? model_job(ranks, false, NULL) : loop_job(ranks);
}

static inline void offload_open(struct offload *o, unsigned ranks, enum nic_progress progress,
                                enum way way)
{
    memset(o, 0, sizeof *o);
    o->job = offload_job(ranks, way);
    o->ranks = ranks;
    for (unsigned r = 0; r < ranks; r++) {
        o->nic[r] = o->program[r].nic = loop_nic(o->job, r, progress, &offload_program,
                                                 &o->program[r]);
        go_by(o->nic[r], way);
    }
}

static inline void offload_close(struct offload *o)
{
    for (unsigned r = 0; r < o->ranks; r++)
        if (o->program[r].nic)
            nic_close(o->nic[r]);
    nic_job_close(o->job);
}

/* Everybody in turn until nothing moves. */
static inline void settle(struct offload *o)
{
    for (unsigned idle = 0, turns = 0; idle < 2; turns++) {
        bool moved = false;
        must(turns < 1000000);
        for (unsigned r = 0; r < o->ranks; r++) {
            nic_enter(o->nic[r]);
            moved |= nic_step(o->nic[r]);
            nic_leave(o->nic[r]);
        }
        idle = moved ? 0 : idle + 1;
    }
}

/* Room in a rank's scratchpad, each byte of it `fill`. */
static inline uint64_t offload_space(struct offload *o, unsigned rank, size_t bytes, int fill)
{
    uint64_t at = nic_spad_alloc(o->nic[rank], NIC_SPAD_USER, bytes, 64);
    must(at != NIC_SPAD_NONE);
    memset(nic_spad_at(o->nic[rank], rank, at, bytes), fill, bytes);
    return at;
}

/* Calls made with the baton of a NIC. */
#define AT(nic, call) \
    __extension__ ({ nic_enter(nic); int at_result = (call); nic_leave(nic); at_result; })

/* Runs `run` for all ranks at once, each in a thread. */
struct runner { struct program *program; void (*run)(struct program *program); };

static inline void *runner_main(void *argument)
{
    struct runner *r = argument;
    r->run(r->program);
    /* where who is outside of any call holds the others up */
    if (nic_modelled(r->program->nic)) {
        nic_close(r->program->nic);
        r->program->nic = NULL;
    }
    return NULL;
}

static inline void run_all(struct offload *o, void (*run)(struct program *program))
{
    pthread_t thread[LOOP_MAX];
    struct runner runner[LOOP_MAX];
    for (unsigned r = 0; r < o->ranks; r++) {
        runner[r] = (struct runner){ &o->program[r], run };
        must(!pthread_create(&thread[r], NULL, runner_main, &runner[r]));
    }
    for (unsigned r = 0; r < o->ranks; r++)
        must(!pthread_join(thread[r], NULL));
}

/* -- work of many: prepared in each rank in the same order, so that what it allocates is at the
 * same offsets everywhere; then done by all at once */

struct work { enum nic_progress progress; void (*prepare)(struct program *program);
              void (*run)(struct program *program); };

static inline void work_in_threads(unsigned ranks, enum way way, const struct work *work)
{
    struct offload o;
    offload_open(&o, ranks, work->progress, way);
    for (unsigned r = 0; r < ranks; r++)
        /* short enough that on the model clock nobody waits for the others */
        work->prepare(&o.program[r]);
    run_all(&o, work->run);
    offload_close(&o);
}

static inline void work_in_processes(unsigned ranks, enum way way, const struct work *work)
{
    struct nic_job *job = offload_job(ranks, way);
    pid_t child[LOOP_MAX];
    fflush(NULL);
    for (unsigned r = 0; r < ranks; r++) {
        must((child[r] = fork()) >= 0);
        if (child[r])
            continue;
        struct program program = { .nic = NULL };
        struct nic_config config = { .job = job, .rank = r, .link = "shm",
                                     .progress = work->progress, .program = &offload_program,
                                         .context = &program };
        suite_limit();
        must(nic_open(&config, &program.nic) == 0);
        go_by(program.nic, way);
        work->prepare(&program);
        work->run(&program);
        nic_close(program.nic);
        _exit(0);
    }
    for (unsigned r = 0; r < ranks; r++) {
        int status;
        must(waitpid(child[r], &status, 0) == child[r]);
        must(WIFEXITED(status) && !WEXITSTATUS(status));
    }
    nic_job_close(job);
}

/* Everybody has come so far; the count is the word at `offset` in the scratchpad of rank 0.  Takes
 * turns meanwhile, so that packets are served. */
static inline void meet(struct nic *nic, uint64_t offset, unsigned long times)
{
    _Atomic uint64_t *count = nic_spad_at(nic, 0, offset, 8);
    unsigned long want = times * nic_ranks(nic);
    atomic_fetch_add(count, 1);
    for (unsigned r = 0; r < nic_ranks(nic); r++)
        nic_notify(nic, r);
    nic_enter(nic);
    while (atomic_load(count) < want) {
        nic_step(nic);
        nic_leave(nic);
        sched_yield();
        nic_enter(nic);
    }
    nic_leave(nic);
}

#endif
