/* The RDMA engine: what a pair of ranks may do is probed once. */
#include "link/copy.h"

#include <errno.h>
#include <string.h>

#include "core/nic.h"

static unsigned probed_paths(struct nic *n, unsigned peer)
{
    struct nic_peer *p = &n->peer[peer];
    if (unlikely(!p->probed)) {
        p->rdma = (uint8_t)n->link->probe(n, peer);
        p->probed = true;
    }
    return p->rdma;
}

unsigned nic_rdma_paths(struct nic *n, unsigned peer)
{
    /* what this machine allows must not decide anything: see left_to_peer */
    if (unlikely(n->model != NULL))
        return NIC_RDMA_READ | NIC_RDMA_WRITE;
    return probed_paths(n, peer);
}

/* Where the kernel does not copy, or might do it with another
 * process, the peer does on the model clock. */
static bool kernel_copies(struct nic *n, unsigned peer, unsigned path)
{
    return likely(!n->model) || (probed_paths(n, peer) & path);
}
static bool left_to_peer(const struct nic *n, int rc)
{
    return unlikely(n->model != NULL) && (rc == -EPERM || rc == -ENOSYS);
}

/* Direct: what lies in the peer's heap is mapped here too.  NULL: it does not lie there. */
static void *direct(struct nic *n, unsigned peer, uint64_t address, size_t bytes)
{
    uint64_t heap = atomic_load_explicit(&n->publics[peer].heap_address, memory_order_relaxed);
    return heap && address >= heap ? nic_heap_at(n, peer, address - heap, bytes) : NULL;
}

bool nic_rdma_mapped(struct nic *n, unsigned peer, uint64_t address, size_t bytes)
{
    return direct(n, peer, address, bytes);
}

unsigned nic_rdma_reach(struct nic *n, unsigned peer, uint64_t address, size_t bytes)
{
    return direct(n, peer, address, bytes) ? NIC_RDMA_READ | NIC_RDMA_WRITE
           : nic_rdma_paths(n, peer);
}

/* Counts a copy by who made it, or as one that has failed; returns what the caller is told. */
static int note(struct nic *n, unsigned peer, bool mapped, size_t bytes, enum nic_stat by, int rc)
{
    bool one_process = peer == n->rank || n->link->flags & NIC_LINK_ONE_PROCESS,
        by_processor = mapped || (one_process && by != NIC_STAT_bytes_by_peer);
    n->stats.value[by_processor ? NIC_STAT_bytes_direct : by] += rc ? 0 : bytes;
    NIC_COUNT(n, rdma_failures, rc != 0);
    return rc;
}

static int copy_from(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    const void *here = direct(n, peer, from, bytes);
    enum nic_stat by = NIC_STAT_bytes_kernel_read;
    int rc = 0;
    if (here)
        memcpy(to, here, bytes);
    else
        rc = kernel_copies(n, peer, NIC_RDMA_READ) ? n->link->read(n, peer, from, to, bytes)
             : -EPERM;
    if (left_to_peer(n, rc)) {
        rc = n->model_ops->peer_read(n, peer, from, to, bytes);
        by = NIC_STAT_bytes_by_peer;
    }
    NIC_COUNT(n, rdma_reads, 1);
    return note(n, peer, here != NULL, bytes, by, rc);
}

static int copy_to(struct nic *n, unsigned peer, const void *from, uint64_t to, size_t bytes)
{
    void *there = direct(n, peer, to, bytes);
    enum nic_stat by = NIC_STAT_bytes_kernel_written;
    int rc = 0;
    if (there)
        memcpy(there, from, bytes);
    else
        rc = kernel_copies(n, peer, NIC_RDMA_WRITE) ? n->link->write(n, peer, from, to, bytes)
             : -EPERM;
    if (left_to_peer(n, rc)) {
        rc = n->model_ops->peer_write(n, peer, from, to, bytes);
        by = NIC_STAT_bytes_by_peer;
    }
    NIC_COUNT(n, rdma_writes, 1);
    return note(n, peer, there != NULL, bytes, by, rc);
}

/* Reads and writes, and what they cost: on the model clock a read is not complete before the last
 * byte is here. */
int nic_rdma_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    if (unlikely(n->model != NULL))
        n->model_ops->charge_read(n, peer, bytes);
    return copy_from(n, peer, from, to, bytes);
}

int nic_rdma_write(struct nic *n, unsigned peer, const void *from, uint64_t to, size_t bytes)
{
    if (unlikely(n->clock != NULL)) {
        nic_clock_rdma_start(n->clock, bytes);
        nic_clock_rdma_piece(n->clock, 0, bytes);
        n->model_ops->has_written(n, peer, bytes);
    }
    return copy_to(n, peer, from, to, bytes);
}

_Static_assert((int)NIC_RDMA_PIECES == (int)NIC_LINK_PIECES, "what every link can do");

int nic_rdma_read_list(struct nic *n, unsigned peer, const struct iovec *from, unsigned froms,
                       const struct iovec *to, unsigned tos, size_t bytes)
{
    if (n->model)
        return -EPERM;
    int rc = n->link->read_list(n, peer, from, froms, to, tos, bytes);
    NIC_COUNT(n, rdma_reads, 1);
    return note(n, peer, false, bytes, NIC_STAT_bytes_kernel_read, rc);
}

int nic_rdma_write_list(struct nic *n, unsigned peer, const struct iovec *from, unsigned froms,
                        const struct iovec *to, unsigned tos, size_t bytes)
{
    if (n->model)
        return -EPERM;
    int rc = n->link->write_list(n, peer, from, froms, to, tos, bytes);
    NIC_COUNT(n, rdma_writes, 1);
    return note(n, peer, false, bytes, NIC_STAT_bytes_kernel_written, rc);
}

/* As above, and a counter tells of the end: see model/notified_rdma.c,
 * which knows what that costs. */
int nic_rdma_copy(struct nic *n, unsigned peer, const struct nic_transfer_mode *c)
{
    if (!c->data_bytes)
        return 0;
    return c->to ? copy_from(n, peer, c->remote, c->to, c->data_bytes)
           : copy_to(n, peer, c->from, c->remote, c->data_bytes);
}
