/* Joining: the first rank of each machine makes the memory for its ranks and tells the others,
 * through the launcher, where it is. */
#define _GNU_SOURCE
#include "pmi/join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nicemu/job.h"
#include "nicemu/sizes.h"
#include "pmi/kin.h"
#include "pmi/lonely.h"
#include "pmi/machines.h"
#include "pmi/offer.h"
#include "pmi/patrol.h"
#include "pmi/pmi.h"
#include "pmi/why.h"

/* Written by mpi_join and mpi_join_leave, which the program orders with all else but aborts. */
static struct mpi_pmi *_Atomic joined;
static struct nic_job *segment;

bool mpi_joined(void) { return atomic_load(&joined); }

const struct nic_directory *mpi_join_directory(void)
{
    struct mpi_pmi *p = atomic_load(&joined);
    return p ? mpi_pmi_directory(p) : NULL;
}

int mpi_join_appnum(void)
{
    struct mpi_pmi *p = atomic_load(&joined);
    return p ? mpi_pmi_appnum(p) : 0;
}

/* -- the memory of this machine */

static int create_with(struct mpi_pmi *p, struct nic_job_config *config)
{
    struct nic_machines machines = { .here = mpi_pmi_node_of(p, mpi_pmi_rank(p)) };
    uint16_t *of = mpi_pmi_machines(p);
    if (!of)
        return -ENOMEM;
    machines.of = of;
    config->machines = &machines;
    int rc = nic_job_create(config, &segment);
    config->machines = NULL;
    free(of);
    return rc;
}

static int create(struct mpi_pmi *p, struct pmi_offer **offer)
{
    struct nic_job_config config = { .ranks = mpi_pmi_size(p) };
    struct pmi_address address;
    char why[256];
    if (config.ranks > NIC_MAX_RANKS)
        return mpi_pmi_failed(-EINVAL, "%u ranks are too many: at most %d", config.ranks,
                              NIC_MAX_RANKS);
    if (nic_job_config_environment(&config, why, sizeof why))
        return mpi_pmi_failed(-EINVAL, "%s", why);
    int rc = create_with(p, &config);
    if (rc)
        return mpi_pmi_failed(rc, "no memory for a job of %u ranks: %s", config.ranks,
                              nic_job_step());
    rc = mpi_pmi_offer_begin(segment, &address, offer);
    return rc ? mpi_pmi_failed(rc, "the job's memory cannot be offered to the other ranks")
           : mpi_pmi_put(p, "memory", &address, sizeof address);
}

/* -ENOENT would say that this rank is alone. */
static int reach(struct mpi_pmi *p, unsigned leader)
{
    struct pmi_address address;
    ssize_t n = mpi_pmi_get(p, leader, "memory", &address, sizeof address);
    if (n < 0)
        return n == -ENOENT ? -EPROTO : (int)n;
    if (n != sizeof address)
        return mpi_pmi_failed(-EPROTO, "rank %u has left no address", leader);
    int rc = mpi_pmi_offer_reach(&address, &segment);
    if (rc == -EHOSTUNREACH)
        return mpi_pmi_failed(rc, "rank %u cannot reach the memory of rank %u, though the launcher "
                              "says that both are on one machine (containers of their own?)",
                              mpi_pmi_rank(p), leader);
    if (!rc && nic_job_ranks(segment) != mpi_pmi_size(p))
        rc = -EPROTO;
    return rc ? mpi_pmi_failed(rc, "rank %u cannot use the memory of rank %u: %s", mpi_pmi_rank(p),
                               leader, rc == -EPROTO ? "it is of another version of this library"
                               : *nic_job_step() ? nic_job_step() : strerror(-rc)) : 0;
}

/* Everybody's processors are known behind the second fence, and nobody needs the offer any more. */
static int meet(struct mpi_pmi *p)
{
    unsigned rank = mpi_pmi_rank(p), leader = mpi_pmi_leader(p, mpi_pmi_node_of(p, rank));
    struct pmi_offer *offer = NULL;
    int rc = rank == leader ? create(p, &offer) : 0;
    if (!rc)
        rc = mpi_pmi_fence(p);
    if (!rc && rank != leader)
        rc = reach(p, leader);
    if (rc)
        return rc;
    nic_job_add_cpus(segment);
    nic_job_hold(segment, rank);
    fcntl(nic_job_fd(segment), F_SETFD, FD_CLOEXEC);
    rc = mpi_pmi_fence(p);
    if (offer)
        mpi_pmi_offer_end(offer);
    nic_job_count_cpus(segment);
    return rc;
}

/* A program that ends without MPI_Finalize: some launchers take that for a good end, while others
 * wait for it.  What the program has registered for its exit may still end a session, so the first
 * only notes how it ends, and the second, behind all of that, judges. */
static struct { bool exits; int code; pid_t process; } ending;

static void note_exit(int code, void *argument)
{
    (void)argument;
    ending.exits = true;
    ending.code = code & 255;           /* what is left of it for whoever waits */
}

__attribute__((destructor)) static void end_unfinished(void)
{
    const char *check = getenv("MPILITE_FINALIZE");
    struct mpi_pmi *p = atomic_load(&joined);
    int code = ending.code;
    if (!p || !ending.exits || ending.process != getpid() || (check && !strcmp(check, "off")))
        return;
    if (!code && nic_job_set_abort(segment, mpi_pmi_rank(p), 1))
        fprintf(stderr, "Fatal error: rank %u has ended without MPI_Finalize\n",
                mpi_pmi_rank(p));
    fflush(stdout);
    mpi_pmi_abort(p, code ? code : 1, "no MPI_Finalize");
    _exit(code ? code : 1);
}

/* What this process starts is not to take itself for a rank, nor for one that could not join. */
static void consume_environment(void)
{
    setenv("MPILITE_JOINED", "1", 1);
    unsetenv("PMI_FD");
    unsetenv("PMIX_NAMESPACE");
}

int mpi_join(struct nic_job **job, unsigned *rank)
{
    struct mpi_pmi *p;
    bool launched = getenv("PMI_FD") || getenv("PMIX_NAMESPACE");
    if (launched && mpi_pmi_is_helper())
        return -ENOENT;
    int rc = launched ? mpi_pmi_open(&p) : -ENOENT;
    if (rc == -ENOENT || rc == -EBADF) {
        /* else a rank has started this */
        if (!getenv("MPILITE_LAUNCHED") && !getenv("MPILITE_JOINED"))
            mpi_pmi_warn_lonely();
        return -ENOENT;
    }
    if (rc)
        return rc;
    atomic_store(&joined, p);
    consume_environment();
    ending.process = getpid();
    on_exit(note_exit, NULL);
    rc = meet(p);
    *job = segment;
    *rank = mpi_pmi_rank(p);
    return rc;
}

/* -- afterwards */

void mpi_join_patrol(struct nic *nic)
{
    struct mpi_pmi *p = atomic_load(&joined);
    if (p)
        mpi_pmi_patrol_begin(nic, segment, p);
}

void mpi_join_leave(void)
{
    struct mpi_pmi *p = atomic_exchange(&joined, NULL);
    if (p)
        mpi_pmi_close(p);       /* a launcher that has gone needs no answer */
}

void mpi_join_abort(int code)
{
    struct mpi_pmi *p = atomic_load(&joined);
    if (p)
        mpi_pmi_abort(p, code, "MPI_Abort");
}
