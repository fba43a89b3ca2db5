/* Jobs of several machines: who is where, and how their NICs find each other.  Part of nicemu.h.
 *
 * Each machine has memory of its own for the ranks that are there: the first of them makes it
 * (nic_job_create with the same table on each machine), the others open it (nic_job_attach).  Ranks
 * are numbers of the whole job everywhere.  What a rank does to one on another machine goes by
 * packets, over libfabric; such a job is live, with no model clock. */
#ifndef NICEMU_MACHINES_H
#define NICEMU_MACHINES_H

#include "../nicemu.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* struct nic_job_config.machines. */
struct nic_machines {
    const uint16_t *of;         /* of each rank: the number of its machine, from 0 without gaps */
    unsigned here;              /* the machine on which the memory is made */
};

/* How NICs learn each other's addresses: struct nic_config.directory, needed where the job has
 * several machines.  Each returns 0 or a negative errno. */
enum { NIC_ADDRESS_MAX = 256 };
struct nic_directory {
    void *context;
    /* This rank's address, bytes of any value: once, in nic_open. */
    int (*put)(void *context, const void *address, size_t bytes);
    /* Returns when all ranks have put theirs: once, in nic_open, behind put. */
    int (*fence)(void *context);
    /* A peer's, when something is sent to it for the first time; baton held.  -ENOENT: it has
     * none. */
    int (*get)(void *context, unsigned rank, void *address, size_t room, size_t *bytes);
};

/* How many machines the job has, and the number of the one that a rank is on.  Any thread. */
unsigned nic_job_machines(const struct nic_job *job);
unsigned nic_job_machine(const struct nic_job *job, unsigned rank);
/* The rank is on this machine: its memory is part of this job's.  False: by packets only. */
bool nic_job_is_here(const struct nic_job *job, unsigned rank);
bool nic_is_here(const struct nic *nic, unsigned rank);
unsigned nic_machine(const struct nic *nic, unsigned rank);
/* Some rank of the job is not. */
bool nic_has_far_ranks(const struct nic *nic);
/* The most data of one message to such a rank: NIC_MESSAGE_BYTES_MAX, or more where the wire takes
 * them at one go. */
uint32_t nic_far_bytes_max(const struct nic *nic);

/* Ranks on other machines can be lost: the wire gives up on one, or nothing comes from it for
 * NICEMU_WIRE_PATIENCE.  Without a patrol that ends this process.  Else the patrol is called, baton
 * held, a few times a second while the NIC is polled, and soon after a loss.  It says whom it waits
 * for (nic_await): they are looked after, also where nothing is sent to them; and it ends what
 * waits for a rank that is lost.  True: it ended something.  What comes from a lost rank is
 * dropped, and so is what is sent to it. */
void nic_on_patrol(struct nic *nic, bool (*patrol)(struct nic *nic, void *context), void *context);
void nic_await(struct nic *nic, unsigned rank);         /* only in a patrol */
/* Baton held.  NULL: it is not; else who that was, on which host, and why, in words. */
const char *nic_lost(const struct nic *nic, unsigned rank);
unsigned nic_losses(const struct nic *nic);             /* how many are */
/* It is lost, or on this machine and has ended (nic_job_rank_gone).  Baton held. */
bool nic_gone(const struct nic *nic, unsigned rank);

/* Reading memory on other machines, where the wire can do that by itself, with no copy on the way
 * but the kernel's.  Baton held. */
struct nic_far_memory { uint64_t address; uint32_t key; };
bool nic_far_reads(const struct nic *nic);              /* it can */
/* Peers may read that memory, as `name` names it to them, until it is let go by the number that
 * this returns.  0: not possible. */
uint32_t nic_far_offer(struct nic *nic, const void *memory, size_t bytes,
                       struct nic_far_memory *name);
void nic_far_let_go(struct nic *nic, uint32_t number);
/* 0: `ended` will be told, with rc 0 or -EHOSTDOWN, even if the peer is lost, and until then the
 * bytes may arrive at any time.  -EAGAIN: too many are under way; one ends first.
 * -ENOMEM: there is no memory for it, or none that the wire can read into: perhaps when others have
 * ended.  -EHOSTUNREACH: the peer is lost. */
int nic_far_read(struct nic *nic, unsigned peer, const struct nic_far_memory *from, size_t offset,
                 void *to, size_t bytes, uint64_t cookie);
void nic_on_far_read(struct nic *nic,
                     void (*ended)(struct nic *nic, void *context, uint64_t cookie, int rc),
                     void *context);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
