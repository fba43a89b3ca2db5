/* All NICs of the job live in this process: for tests.  Packets go through the same inbox rings;
 * RDMA is a copy. */
#include <stdlib.h>
#include <string.h>

#include "core/nic.h"
#include "link/links.h"
#include "link/receive.h"
#include "link/send.h"

static int loop_open(struct nic *n) { (void)n; return 0; }
static void loop_close(struct nic *n) { (void)n; }

static unsigned loop_probe(struct nic *n, unsigned peer)
{
    const char *path = getenv("NICEMU_RDMA");
    (void)n, (void)peer;
    return path && !strcmp(path, "staged") ? 0 : NIC_RDMA_READ | NIC_RDMA_WRITE;
}

static int loop_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    (void)n, (void)peer;
    memmove(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}

static int loop_write(struct nic *n, unsigned peer, const void *from, uint64_t to, size_t bytes)
{
    (void)n, (void)peer;
    memmove((void *)(uintptr_t)to, from, bytes);
    return 0;
}

/* Byte ranges of two lists, side by side. */
static int loop_list(struct nic *n, unsigned peer, const struct iovec *from, unsigned froms,
                     const struct iovec *to, unsigned tos, size_t bytes)
{
    size_t from_done = 0, to_done = 0;
    (void)n, (void)peer, (void)bytes;
    while (froms && tos) {
        size_t a = from->iov_len - from_done, b = to->iov_len - to_done, run = a < b ? a : b;
        memmove((char *)to->iov_base + to_done, (const char *)from->iov_base + from_done, run);
        from_done = run == a ? from++, froms--, 0 : from_done + run;
        to_done = run == b ? to++, tos--, 0 : to_done + run;
    }
    return 0;
}

const struct nic_link_ops nic_link_loop = {
    .name = "loop", .flags = NIC_LINK_INBOX | NIC_LINK_ONE_PROCESS,
    .open = loop_open, .send = nic_inbox_send, .poll = nic_inbox_poll, .ready = nic_inbox_ready,
        .coming = nic_inbox_coming,
    .probe = loop_probe, .read = loop_read, .write = loop_write, .read_list = loop_list,
        .write_list = loop_list,
    .close = loop_close,
};
