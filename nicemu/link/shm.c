/* Ranks are processes of one machine: packets through the inbox rings, RDMA through the kernel. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/nic.h"
#include "link/links.h"
#include "link/receive.h"
#include "link/send.h"

static int shm_open_link(struct nic *n)
{
#ifdef PR_SET_PTRACER
    /* Yama: let peers, which are no descendants, copy */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
#endif
    atomic_store(&n->own->probe_address, (uint64_t)(uintptr_t)&n->probe_token);
    return 0;
}

static int copied(ssize_t done, size_t want)
{
    return done == (ssize_t)want ? 0 : done < 0 ? -errno : -EFAULT;
}

static int kernel_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    struct iovec l = { to, bytes }, r = { (void *)(uintptr_t)from, bytes };
    if (peer == n->rank) {
        memcpy(to, (const void *)(uintptr_t)from, bytes);
        return 0;
    }
    return copied(process_vm_readv(atomic_load_explicit(&n->publics[peer].pid,
            memory_order_relaxed), &l, 1, &r, 1, 0), bytes);
}

static int kernel_write(struct nic *n, unsigned peer, const void *from, uint64_t to, size_t bytes)
{
    struct iovec l = { (void *)(uintptr_t)from, bytes }, r = { (void *)(uintptr_t)to, bytes };
    if (peer == n->rank) {
        memcpy((void *)(uintptr_t)to, from, bytes);
        return 0;
    }
    return copied(process_vm_writev(atomic_load_explicit(&n->publics[peer].pid,
            memory_order_relaxed), &l, 1, &r, 1, 0), bytes);
}

static int kernel_read_list(struct nic *n, unsigned peer, const struct iovec *from, unsigned froms,
                            const struct iovec *to, unsigned tos, size_t bytes)
{
    return copied(process_vm_readv(atomic_load_explicit(&n->publics[peer].pid,
            memory_order_relaxed), to, tos, from, froms, 0), bytes);
}

static int kernel_write_list(struct nic *n, unsigned peer, const struct iovec *from,
                             unsigned froms, const struct iovec *to, unsigned tos, size_t bytes)
{
    return copied(process_vm_writev(atomic_load_explicit(&n->publics[peer].pid,
            memory_order_relaxed), from, froms, to, tos, 0), bytes);
}

/* Nobody has that process number, or what has it is a corpse without memory. */
static bool process_gone(struct nic *n, unsigned peer)
{
    uint64_t token, at = atomic_load(&n->publics[peer].probe_address);
    return (kill(atomic_load(&n->publics[peer].pid), 0) && errno == ESRCH)
           || kernel_read(n, peer, at, &token, sizeof token) == -ESRCH;
}

/* The token tells that the pid means the same process here as there
 * (containers): writing waits for that proof. */
static unsigned shm_probe(struct nic *n, unsigned peer)
{
    /* "staged": as if the kernel refused; "read", "write": only that half */
    const char *path = getenv("NICEMU_RDMA");
    if (peer == n->rank)
        return NIC_RDMA_READ | NIC_RDMA_WRITE;
    if (path && !strcmp(path, "staged"))
        return 0;
    struct nic_public *p = &n->publics[peer];
    uint64_t want = atomic_load(&p->probe_token), got = 0, address = atomic_load(&p->probe_address);
    if (!address || kernel_read(n, peer, address, &got, sizeof got) || got != want)
        return 0;
    unsigned paths = path && !strcmp(path, "write") ? 0 : NIC_RDMA_READ;
    if (!(path && !strcmp(path, "read")) && !kernel_write(n, peer, &want, address, sizeof want))
        paths |= NIC_RDMA_WRITE;
    return paths;
}

static void shm_close_link(struct nic *n)
{
    atomic_store(&n->own->probe_address, 0);
}

const struct nic_link_ops nic_link_shm = {
    .name = "shm", .flags = NIC_LINK_INBOX,
    .open = shm_open_link, .send = nic_inbox_send, .poll = nic_inbox_poll,
        .ready = nic_inbox_ready, .coming = nic_inbox_coming,
    .probe = shm_probe, .read = kernel_read, .write = kernel_write, .read_list = kernel_read_list,
        .write_list = kernel_write_list, .gone = process_gone,
    .close = shm_close_link,
};
