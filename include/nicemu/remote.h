/* nicemu: memory that other ranks may name, and the RDMA engine that reads and writes it.  Part of
 * nicemu.h.
 *
 * Every function here needs the baton unless it says otherwise.  Sizes and offsets are bytes. */
#ifndef NICEMU_REMOTE_H
#define NICEMU_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic;

/* Packet types from here up are the hardware's: a program that sends one gets -EINVAL, and its
 * packet handler never sees one. */
enum { NIC_HW_FIRST = 0xc0 };

/* -- names of memory.  The scratchpad and the heap of a rank are open to all ranks of its job;
 * other memory is named by the key that nic_register gave it, and the offset counts from its
 * start. */
struct nic_address { uint32_t rank, key; uint64_t offset; };
/* registered keys are NIC_KEY_FIRST or more */
enum { NIC_KEY_SCRATCHPAD = 0, NIC_KEY_HEAP = 1, NIC_KEY_FIRST = 1024 };

enum { NIC_RIGHT_READ = 1, NIC_RIGHT_WRITE = 2, NIC_RIGHT_ATOMIC = 4, NIC_RIGHT_ALL = 7 };
/* registered at a time, per rank */
enum { NIC_REGIONS_MAX = 1024 };

/* Opens [base, base + bytes) to the ranks of the job.  The memory must stay mapped until
 * nic_deregister.  While anything is registered the NIC thread serves peers when the host is away.
 * 0 and the key; -EINVAL (no bytes, no or unknown rights, a range that wraps), -ENOSPC, -ENOMEM. */
int nic_register(struct nic *nic, void *base, size_t bytes, unsigned rights, uint32_t *key);

/* Ends that.  When it returns nobody touches the memory any more, also no peer that was copying
 * just then (it waits for the end of that piece, giving the baton up meanwhile; a peer that has
 * died is not waited for).  The key is not given out again for the next million registrations.
 * From a host's call only, never from a handler.  -ENOKEY. */
int nic_deregister(struct nic *nic, uint32_t key);

/* Whether a byte of [base, base + bytes) is in memory that is registered now. */
bool nic_registered(const struct nic *nic, const void *base, size_t bytes);

/* Where [address, address + bytes) is in this process: one's own scratchpad, heap or registered
 * memory (with these rights), or the scratchpad or heap of a peer, which lie in the job's segment.
 * NULL: out of reach, or not such a range, key or right.  Registered memory stays valid until
 * nic_deregister. */
void *nic_resolve(struct nic *nic, const struct nic_address *address, uint64_t bytes,
                  unsigned rights);

/* -- RDMA (Katsamani, 3.1.2, RDMA Write/Read, with a counter for the completion; strides and the
 * check of segment and range at the target: Underwood, tables 1 and 2 and figure 2).  A transfer
 * moves the bytes of one list of blocks, in order, into another list of blocks with the same sum of
 * bytes. */

/* The blocks of one side, from its base.  Without a list: `count` blocks of `block` bytes, `stride`
 * bytes from the start of one to the start of the next (it may be negative, or 0).  With a list:
 * `count` blocks as listed; the list is the caller's and must stay until the transfer has ended. */
struct nic_block { uint64_t offset, bytes; };
struct nic_shape { uint64_t block; int64_t stride; uint64_t count; const struct nic_block *list; };

static inline struct nic_shape nic_contiguous(uint64_t bytes)
{
    struct nic_shape s = { bytes, 0, 1, NULL };
    return s;
}

/* What happens to a transfer in the end.  The caller's, zeroed at first, valid until then.  `done`,
 * unless NULL, is called with the baton held, possibly before nic_put or nic_get return; it must
 * not block, and may start transfers. */
struct nic_outcome {
    /* -EINPROGRESS, then 0 or the error; read it with nic_outcome_status */
    int status;
    void (*done)(void *context, int status);
    void *context;
};

struct nic_transfer {
    void *local;                            /* this process' memory; needs no registration */
    struct nic_shape local_shape;
    struct nic_address remote;
    struct nic_shape remote_shape;
    /* added to this counter of one's own when the transfer has ended well; NIC_SPAD_NONE: none */
    uint64_t local_counter, local_amount;
    /* the same at remote.rank; whoever sees it there sees the data too */
    uint64_t remote_counter, remote_amount;
    /* live: of a put, nobody sleeps until the bytes are there, so no host is woken for them */
    bool quiet;
};

/* So many bytes side by side, no counters. */
static inline struct nic_transfer nic_transfer_of(void *local, struct nic_address remote,
                                                  uint64_t bytes)
{
    struct nic_transfer t = { local, nic_contiguous(bytes), remote, nic_contiguous(bytes),
                              UINT64_MAX, 0, UINT64_MAX, 0, false };
    return t;
}

/* Starts a transfer into (put) or out of (get) remote memory.  0: under way, or at its end already;
 * -EINVAL: a transfer that makes no sense (rank, shapes, sums that differ, counters that cannot
 * be); -ENOMEM.  What only the target can tell comes as the outcome's status, and then nothing has
 * been touched and no counter moves:
 *   -ENOKEY no such key (never, or no longer)   -EACCES the key does not give this right   -ERANGE
 *   a block outside the memory of the key
 * -EFAULT, -EPERM, -ESRCH: the kernel refused a copy, or the peer has closed; -ENOKEY in the middle
 * of a transfer, because the region was deregistered: a part may have been done.  outcome may be
 * NULL.
 *
 * Transfers are not ordered among each other: wait for one before starting another that needs it.
 * No bytes: no key is looked at, counters move. Where source and destination overlap, contiguous
 * transfers within this process and its job's segment are as by memmove, others have unspecified
 * bytes.  A piece of 1, 2, 4 or 8 aligned bytes in the segment is read and written at once, so that
 * its target may poll for it, and store it (nic_copy). */
int nic_put(struct nic *nic, const struct nic_transfer *transfer, struct nic_outcome *outcome);
int nic_get(struct nic *nic, const struct nic_transfer *transfer, struct nic_outcome *outcome);

/* Copies as the engine does where both ends are in reach: 1, 2, 4 or 8 bytes are loaded at once
 * (acquire) from where they are aligned to their number, and stored at once (release) where they
 * are: others may poll for them there, or store them.  Other ranges are as by memmove.  Any thread,
 * without the baton. */
static inline void nic_copy(void *to, const void *from, size_t bytes)
{
#define NIC_COPY_WORD(type) \
    case sizeof(type): { \
        type word; \
        if ((uintptr_t)from % sizeof word == 0) \
            word = __atomic_load_n((const type *)from, __ATOMIC_ACQUIRE); \
        else \
            memcpy(&word, from, sizeof word); \
        if ((uintptr_t)to % sizeof word == 0) \
            __atomic_store_n((type *)to, word, __ATOMIC_RELEASE); \
        else \
            memcpy(to, &word, sizeof word); \
        return; \
    }
    switch (bytes) {
    NIC_COPY_WORD(uint64_t)
    NIC_COPY_WORD(uint32_t)
    NIC_COPY_WORD(uint16_t)
    NIC_COPY_WORD(uint8_t)
    case 0: return;
    default: memmove(to, from, bytes);
    }
#undef NIC_COPY_WORD
}

/* Any thread, without the baton.  Who sees the end sees what came before it. */
static inline int nic_outcome_status(const struct nic_outcome *outcome)
{
    return __atomic_load_n(&outcome->status, __ATOMIC_ACQUIRE);
}

/* Takes turns until the transfer has ended; from a host's call only.  Returns its status. */
int nic_outcome_wait(struct nic *nic, struct nic_outcome *outcome);

/* What a call of the host had this NIC do at once, within this process's reach, it has done: on the
 * model clock the host waits that long, as who polls its own memory through the NIC must, lest the
 * NIC fall behind for ever. */
void nic_finish(struct nic *nic);

/* Transfers under way. */
unsigned long nic_outstanding(const struct nic *nic);

/* How bytes travel.  direct: both ends are in this process or the job's segment; kernel: the kernel
 * copies between the processes; staged: packets, and the target's NIC checks and copies.  The first
 * that is possible is taken; the model clock stages everything but a rank's transfers with
 * itself. */
#define NIC_PATHS(X) X(DIRECT, "direct") X(KERNEL, "kernel") X(STAGED, "staged")
#define NIC_PATH_ENUM(name, text) NIC_PATH_##name,
enum nic_path { NIC_PATHS(NIC_PATH_ENUM) NIC_PATH_COUNT };
const char *nic_path_name(enum nic_path path);

/* Set of 1 << enum nic_path: those that lead to this memory
 * for reading (NIC_RIGHT_READ) or writing. */
unsigned nic_remote_paths(struct nic *nic, const struct nic_address *address, unsigned right);
/* Only paths in `allowed` will be taken, and staged where none of them leads there.  Where staged
 * is the only one, counters, stores, queues and atomics go by packet too.  At first: all; with
 * NICEMU_REMOTE=packet in the environment: staged. */
void nic_remote_allow(struct nic *nic, unsigned allowed);
unsigned nic_remote_allowed(const struct nic *nic);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
