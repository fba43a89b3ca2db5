/* Two ranks with a control program that counts, for each way of progress. */
#ifndef COUNTING_H
#define COUNTING_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include "core/nic.h"
#include "loop.h"

/* Each test for each way of progress, with membarrier and without. */
static const struct { enum nic_progress progress; bool fenced; } modes[] = {
    { NIC_PROGRESS_HOST, false }, { NIC_PROGRESS_AUTO, false }, { NIC_PROGRESS_THREAD, false },
    { NIC_PROGRESS_HOST, true }, { NIC_PROGRESS_AUTO, true }, { NIC_PROGRESS_THREAD, true },
};
enum { MODES = sizeof modes / sizeof *modes };

static inline void set_mode(int mode)
{
    if (modes[mode].fenced)
        setenv("NICEMU_MEMBARRIER", "off", 1);
    else
        unsetenv("NICEMU_MEMBARRIER");
}

/* -- a control program that counts; `inside` shows a second handler at the same time, the plain
 * counters lost updates */

enum { THREADS = 4, CHANNELS = 4 };

struct counter {
    struct nic *nic;
    _Atomic int inside;
    unsigned long packets, advances;
    unsigned next[THREADS];                 /* command expected of each thread */
    unsigned long commands;
    int to_do;                              /* turns of work under way */
    _Atomic unsigned long handled;          /* as packets, for threads without the baton */
    _Atomic unsigned long worked;
    unsigned long channel[CHANNELS];        /* packets by match bits */
};

static inline void come_in(struct counter *c) { must(!atomic_fetch_add(&c->inside, 1)); }
static inline void go_out(struct counter *c) { atomic_fetch_sub(&c->inside, 1); }

static inline void count_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic;
    struct counter *c = context;

    come_in(c);
    c->packets++;
    c->channel[p->match % CHANNELS]++;
    atomic_fetch_add(&c->handled, 1);
    go_out(c);
}

static inline void count_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic, (void)context, (void)cookie;
}

static inline void count_command(struct nic *nic, void *context, const struct nic_command *command)
{
    (void)nic;
    struct counter *c = context;

    come_in(c);
    must(command->op < THREADS);
    must(command->arg == c->next[command->op]);
    must(command->object == (void *)&c->next[command->op]);
    c->next[command->op]++;
    c->commands++;
    go_out(c);
}

static inline bool count_advance(struct nic *nic, void *context)
{
    (void)nic;
    struct counter *c = context;

    come_in(c);
    c->advances++;
    if (c->to_do && !--c->to_do)
        nic_hold_polling(c->nic, -1);
    atomic_fetch_add(&c->worked, 1);
    go_out(c);
    return true;
}

static const struct nic_program counting = { .name = "counter", .packet = count_packet,
                                             .landed = count_landed, .command = count_command,
                                             .advance = count_advance };

/* Rank 0 sends, rank 1 is looked at. */
static struct nic_job *job;
static struct counter sender, looked_at;

static inline void open_both(int mode)
{
    set_mode(mode);
    memset(&sender, 0, sizeof sender);
    memset(&looked_at, 0, sizeof looked_at);
    job = loop_job(2);
    sender.nic = loop_nic(job, 0, NIC_PROGRESS_HOST, &counting, &sender);
    looked_at.nic = loop_nic(job, 1, modes[mode].progress, &counting, &looked_at);
}

static inline void share(struct nic *nic)
{
    nic_enter(nic);
    nic_share(nic);
    nic_leave(nic);
}

static inline void close_both(void)
{
    nic_close(sender.nic);
    nic_close(looked_at.nic);
    nic_job_close(job);
    unsetenv("NICEMU_MEMBARRIER");
}

static inline int send_empty(uint64_t match, bool service)
{
    struct nic_tx m = { .type = 1, .match = match };

    nic_enter(sender.nic);
    int rc = service ? nic_send_service(sender.nic, 1, &m) : nic_send(sender.nic, 1, &m);
    nic_leave(sender.nic);
    return rc;
}

static inline void run_threads(void *(*body)(void *), unsigned n, pthread_t *thread)
{
    for (uintptr_t i = 0; i < n; i++)
        must(!pthread_create(&thread[i], NULL, body, (void *)i));
}

static inline void join_threads(unsigned n, pthread_t *thread)
{
    for (unsigned i = 0; i < n; i++)
        must(!pthread_join(thread[i], NULL));
}

static inline void wait_for(const _Atomic unsigned long *value, unsigned long at_least)
{
    while (atomic_load(value) < at_least)
        usleep(100);
}

/* -- suite: which modes a test runs in */

static inline void add_modes(TCase *tcase, const TTest *test, bool host, bool automatic,
                             bool thread)
{
    for (int i = 0; i < MODES; i++)
        if (modes[i].progress == NIC_PROGRESS_HOST ? host : modes[i].progress == NIC_PROGRESS_AUTO
            ? automatic : thread)
            tcase_add_loop_test(tcase, test, i, i + 1);
}

#endif
