/* nicemu: memory that other ranks may name, and the RDMA engine that reads and writes it.  Part of nicemu.h.
 *
 * Every function here needs the baton unless it says otherwise.  Sizes and offsets are bytes. */
#ifndef NICEMU_REMOTE_H
#define NICEMU_REMOTE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nic;

/* Packet types from here up are the hardware's: a program that sends one gets -EINVAL, and its packet handler never sees one. */
enum { NIC_HW_FIRST = 0xc0 };

/* -- names of memory.  The scratchpad and the heap of a rank are open to all ranks of its job; other memory is named by the key that nic_register
 * gave it, and the offset counts from its start. */
struct nic_address { uint32_t rank, key; uint64_t offset; };
enum { NIC_KEY_SCRATCHPAD = 0, NIC_KEY_HEAP = 1, NIC_KEY_FIRST = 1024 };    /* registered keys are NIC_KEY_FIRST or more */

enum { NIC_RIGHT_READ = 1, NIC_RIGHT_WRITE = 2, NIC_RIGHT_ATOMIC = 4, NIC_RIGHT_ALL = 7 };
enum { NIC_REGIONS_MAX = 1024 };                                            /* registered at a time, per rank */

/* Opens [base, base + bytes) to the ranks of the job.  The memory must stay mapped until nic_deregister.  While anything is registered the NIC thread
 * serves peers when the host is away.  0 and the key; -EINVAL (no bytes, no or unknown rights, a range that wraps), -ENOSPC, -ENOMEM. */
int nic_register(struct nic *nic, void *base, size_t bytes, unsigned rights, uint32_t *key);

/* Ends that.  When it returns nobody touches the memory any more, also no peer that was copying just then (it waits for the end of that piece, giving the
 * baton up meanwhile; a peer that has died is not waited for).  The key is not given out again for the next million registrations.  From a host's
 * call only, never from a handler.  -ENOKEY. */
int nic_deregister(struct nic *nic, uint32_t key);

/* Where [address, address + bytes) is in this process: one's own scratchpad, heap or registered memory (with these rights), or the scratchpad or heap of
 * a peer, which lie in the job's segment.  NULL: out of reach, or not such a range, key or right.  Registered memory stays valid until nic_deregister. */
void *nic_resolve(struct nic *nic, const struct nic_address *address, uint64_t bytes, unsigned rights);

/* How bytes travel.  direct: both ends are in this process or the job's segment; kernel: the kernel copies between the processes; staged: packets, and
 * the target's NIC checks and copies.  The first that is possible is taken; the model clock stages everything but a rank's transfers with itself. */
#define NIC_PATHS(X) X(DIRECT, "direct") X(KERNEL, "kernel") X(STAGED, "staged")
#define NIC_PATH_ENUM(name, text) NIC_PATH_##name,
enum nic_path { NIC_PATHS(NIC_PATH_ENUM) NIC_PATH_COUNT };


#ifdef __cplusplus
}
#endif
#endif
