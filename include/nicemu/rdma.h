/* nicemu/rdma.h: copies between this process and a peer's memory, by address; the peer does
 * nothing.  The engine under nicemu/remote.h, without its keys, rights and counters.  Baton held.
 *
 * What a pair of ranks may do is probed once: kernel copy may be forbidden (containers, seccomp,
 * other users). */
#ifndef NICEMU_RDMA_H
#define NICEMU_RDMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic;

enum { NIC_RDMA_READ = 1, NIC_RDMA_WRITE = 2 };
unsigned nic_rdma_paths(struct nic *nic, unsigned peer);

/* The same for a certain piece of the peer's memory: one in its heap can always be read and
 * written, since it is mapped here. */
unsigned nic_rdma_reach(struct nic *nic, unsigned peer, uint64_t address, size_t bytes);

/* True: that lies in memory of the job that is mapped here too, so a transfer is a plain copy. */
bool nic_rdma_mapped(struct nic *nic, unsigned peer, uint64_t address, size_t bytes);

/* 0, -EFAULT, -EPERM, -ESRCH.  Large transfers: the caller cuts them in pieces to stay
 * responsive. */
int nic_rdma_read(struct nic *nic, unsigned peer, uint64_t from, void *to, size_t bytes);
int nic_rdma_write(struct nic *nic, unsigned peer, const void *from, uint64_t to, size_t bytes);

/* The same between lists of pieces with the same sum of bytes, by the kernel.  -EPERM on the model
 * clock. */
enum { NIC_RDMA_PIECES = 256 };         /* at most, on each side */
int nic_rdma_read_list(struct nic *nic, unsigned peer, const struct iovec *from, unsigned froms,
                       const struct iovec *to, unsigned tos, size_t bytes);
int nic_rdma_write_list(struct nic *nic, unsigned peer, const struct iovec *from, unsigned froms,
                        const struct iovec *to, unsigned tos, size_t bytes);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
