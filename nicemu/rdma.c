/* The RDMA engine: what a pair of ranks may do is probed once, how fast the machine does it is measured once. */
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

enum { MEASURE_BYTES = 64 * 1024, MEASURE_ROUNDS = 5 };

static int copy_by_kernel(void *to, void *from)
{
    struct iovec l = { to, MEASURE_BYTES }, r = { from, MEASURE_BYTES };
    return process_vm_readv(getpid(), &l, 1, &r, 1, 0) == MEASURE_BYTES ? 0 : -1;
}

static int copy_by_cpu(void *to, void *from)
{
    memcpy(to, from, MEASURE_BYTES);
    __asm__ volatile("" : : "r"(to) : "memory");
    return 0;
}

/* Bytes per microsecond, the best of a few: what the hardware does when nobody interrupts.  0: it cannot be done. */
static unsigned measure(int (*copy)(void *, void *), void *to, void *from)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < MEASURE_ROUNDS; i++) {
        uint64_t t = nic_now();
        if (copy(to, from))
            return 0;
        t = nic_now() - t;
        best = t < best ? t : best;
    }
    return (unsigned)(UINT64_C(1000) * MEASURE_BYTES / (best ? best : 1));
}

void nic_rdma_rates(struct nic *n, unsigned *kernel, unsigned *copy)
{
    if (!n->rate_copy) {
        unsigned char *buffer = malloc(2 * MEASURE_BYTES);
        if (buffer) {
            memset(buffer, 1, 2 * MEASURE_BYTES);
            n->rate_kernel = measure(copy_by_kernel, buffer, buffer + MEASURE_BYTES);
            n->rate_copy = measure(copy_by_cpu, buffer, buffer + MEASURE_BYTES);
        }
        free(buffer);
        n->rate_copy += !n->rate_copy;
    }
    *kernel = n->rate_kernel;
    *copy = n->rate_copy;
}
