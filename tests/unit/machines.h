/* Several machines in one process: a job's memory for each, NICs that are linked over libfabric's
 * loopback, and a directory in memory. */
#ifndef MACHINES_H
#define MACHINES_H

#include <errno.h>
#include <pthread.h>

#include "loop.h"
#include "nicemu/machines.h"
#include "wire/load.h"

struct machines {
    unsigned ranks, count;
    uint16_t of[LOOP_MAX];
    struct nic_job *job[LOOP_MAX];      /* of each machine */
    struct nic *nic[LOOP_MAX];
    struct catcher *catcher[LOOP_MAX];
    struct place { struct machines *all; unsigned rank; struct nic_directory directory; }
        place[LOOP_MAX];
    unsigned char address[LOOP_MAX][NIC_ADDRESS_MAX];
    size_t bytes[LOOP_MAX];
};

static inline int machines_put(void *context, const void *address, size_t bytes)
{
    struct place *p = context;
    memcpy(p->all->address[p->rank], address, bytes);
    p->all->bytes[p->rank] = bytes;
    return 0;
}

static inline int machines_fence(void *context) { return context ? 0 : -EINVAL; }

static inline int machines_get(void *context, unsigned rank, void *address, size_t room,
                               size_t *bytes)
{
    struct machines *m = ((struct place *)context)->all;
    *bytes = m->bytes[rank];
    must(*bytes && *bytes <= room);
    memcpy(address, m->address[rank], *bytes);
    return 0;
}

static inline void machines_jobs(struct machines *m)
{
    for (unsigned i = 0; i < m->count; i++) {
        struct nic_machines table = { m->of, i };
        struct nic_job_config c = { .ranks = m->ranks, .cores = 64, .machines = &table };
        must(nic_job_create(&c, &m->job[i]) == 0);
    }
}

static inline void machines_open_rank(struct machines *m, unsigned r, enum nic_progress progress,
                                      const struct nic_program *program)
{
    struct nic_config c = { .job = m->job[m->of[r]], .rank = r, .link = "loop",
                            .progress = progress, .program = program,
                            .directory = &m->place[r].directory };
    must(c.context = m->catcher[r] = calloc(1, sizeof *m->catcher[r]));
    m->place[r] = (struct place){ m, r, { &m->place[r], machines_put, machines_fence,
                                          machines_get } };
    must(nic_open(&c, &m->nic[r]) == 0);
    m->catcher[r]->nic = m->nic[r];
}

/* Ranks in turn to the machines. */
static inline void machines_deal(struct machines *m, unsigned ranks, unsigned count)
{
    *m = (struct machines){ .ranks = ranks, .count = count };
    must(ranks <= LOOP_MAX);
    for (unsigned r = 0; r < ranks; r++)
        m->of[r] = (uint16_t)(r % count);
}

static inline void machines_open_as(struct machines *m, unsigned ranks, unsigned count,
                                    enum nic_progress progress, const struct nic_program *program)
{
    machines_deal(m, ranks, count);
    machines_jobs(m);
    for (unsigned r = 0; r < ranks; r++)
        machines_open_rank(m, r, progress, program);
}

static inline void machines_open(struct machines *m, unsigned ranks, unsigned count,
                                 enum nic_progress progress)
{
    machines_open_as(m, ranks, count, progress, &catcher_program);
}

static inline void machines_step(struct nic *nic)
{
    nic_enter(nic);
    nic_step(nic);
    nic_leave(nic);
}

/* When there is room. */
static inline void machines_send(struct machines *m, unsigned from, unsigned to,
                                 const struct nic_tx *t)
{
    int rc;
    while ((rc = loop_send(m->nic[from], to, t)) == -EAGAIN) {
        machines_step(m->nic[from]);
        machines_step(m->nic[to]);
    }
    must(rc == 0);
}

static inline void machines_await(struct machines *m, unsigned rank, unsigned long packets)
{
    while (m->catcher[rank]->packets < packets)
        for (unsigned r = 0; r < m->ranks; r++)
            machines_step(m->nic[r]);
}

/* In one process nobody can wait for another: all that is under way arrives first. */
static inline void machines_settle(struct machines *m)
{
    for (unsigned quiet = 0; quiet < 2000; quiet++)
        for (unsigned r = 0; r < m->ranks; r++) {
            nic_enter(m->nic[r]);
            if (nic_step(m->nic[r]))
                quiet = 0;
            nic_leave(m->nic[r]);
        }
}

static void *machines_close_one(void *nic) { nic_close(nic); return NULL; }

/* All at once: each waits for the others' good-bye. */
static inline void machines_close(struct machines *m)
{
    pthread_t closer[LOOP_MAX];
    for (unsigned r = 0; r < m->ranks; r++)
        must(!pthread_create(&closer[r], NULL, machines_close_one, m->nic[r]));
    for (unsigned r = 0; r < m->ranks; r++) {
        pthread_join(closer[r], NULL);
        free(m->catcher[r]);
    }
    for (unsigned i = 0; i < m->count; i++)
        nic_job_close(m->job[i]);
}

/* The first of two, which has sent so many packets, closes, and so late the second begins to read;
 * it gets all of them. */
static inline void machines_close_in_turn(struct machines *m, unsigned long sent, unsigned late_us)
{
    pthread_t closer;
    must(!pthread_create(&closer, NULL, machines_close_one, m->nic[0]));
    usleep(late_us);
    while (m->catcher[1]->packets < sent)
        machines_step(m->nic[1]);
    nic_close(m->nic[1]);
    pthread_join(closer, NULL);
    for (unsigned r = 0; r < 2; r++) {
        free(m->catcher[r]);
        nic_job_close(m->job[r]);
    }
}

/* 77 for a build or a machine without libfabric: said once. */
static inline bool machines_possible(void)
{
    char why[256];
    setenv("FI_TCP_IFACE", "lo", 0);
    setenv("FI_NET_IFACE", "lo", 0);
    bool possible = nic_wire_load(why, sizeof why);
    if (!possible)
        printf("without other machines: %s\n", why);
    return possible;
}

#endif
