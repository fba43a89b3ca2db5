/* What the kernel's copy takes on this machine. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/time.h"
#include "nicemu/rdma.h"

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
