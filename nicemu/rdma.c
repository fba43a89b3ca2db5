/* The RDMA engine: what a pair of ranks may do is probed once. */

#include "engine.h"

unsigned nic_rdma_paths(struct nic *n, unsigned peer)
{
    struct nic_peer *p = &n->peer[peer];
    if (unlikely(!p->probed)) {
        p->rdma = (uint8_t)n->link->probe(n, peer);
        p->probed = true;
    }
    return p->rdma;
}

int nic_rdma_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    NIC_CHARGE(n, RDMA, 1);
    NIC_CHARGE(n, RDMA_BYTE, bytes);
    return n->link->read(n, peer, from, to, bytes);
}

int nic_rdma_write(struct nic *n, unsigned peer, const void *from, uint64_t to, size_t bytes)
{
    NIC_CHARGE(n, RDMA, 1);
    NIC_CHARGE(n, RDMA_BYTE, bytes);
    return n->link->write(n, peer, from, to, bytes);
}
