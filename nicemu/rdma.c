/* The RDMA engine: what a pair of ranks may do is probed once. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

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

/* Who copied the bytes. */
static void count_copy(struct nic *n, unsigned peer, size_t bytes, enum nic_stat by_kernel)
{
    bool direct = peer == n->rank || n->link == &nic_link_loop;
    n->stats.value[direct ? NIC_STAT_bytes_direct : by_kernel] += bytes;
}

int nic_rdma_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    NIC_CHARGE(n, RDMA, 1);
    NIC_CHARGE(n, RDMA_BYTE, bytes);
    int rc = n->link->read(n, peer, from, to, bytes);
    NIC_COUNT(n, rdma_reads, 1);
    count_copy(n, peer, bytes, NIC_STAT_bytes_kernel_read);
    NIC_COUNT(n, rdma_failures, rc != 0);
    return rc;
}

int nic_rdma_write(struct nic *n, unsigned peer, const void *from, uint64_t to, size_t bytes)
{
    NIC_CHARGE(n, RDMA, 1);
    NIC_CHARGE(n, RDMA_BYTE, bytes);
    int rc = n->link->write(n, peer, from, to, bytes);
    NIC_COUNT(n, rdma_writes, 1);
    count_copy(n, peer, bytes, NIC_STAT_bytes_kernel_written);
    NIC_COUNT(n, rdma_failures, rc != 0);
    return rc;
}

enum { MEASURE_ROUNDS = 4 };

uint64_t nic_kernel_copy_ns(size_t bytes)
{
    unsigned char *buffer = malloc(2 * bytes);
    uint64_t best = UINT64_MAX;
    if (!buffer)
        return 0;
    memset(buffer, 1, 2 * bytes);
    struct iovec to = { buffer, bytes }, from = { buffer + bytes, bytes };
    for (unsigned i = 0; i < MEASURE_ROUNDS && best; i++) {
        uint64_t t = nic_now();
        bool copied = process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)bytes;
        t = nic_now() - t;
        best = copied ? (t < best ? t : best) : 0;
    }
    free(buffer);
    return best;
}
