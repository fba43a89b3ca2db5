/* Proxy copies: see model/proxy_copy.h.
 *
 * Edges:
 *   E0 release of `asked` = 1, behind the box's other words, and the governor's lock behind that
 *   -> the lock of the one that takes the list
 *   E1 release of `asked` = 0, behind the bytes or the result
 *   -> E2 acquire of it by the one that asked
 *   E3 release of `left`, behind the bytes
 *   -> E4 acquire of it by rank 0,
 * at the end of the job
 *
 * Who waits for a proxy copy does those of others meanwhile, and who sleeps in the governor is
 * woken for one, so two that ask each other go on.  A host that is outside of any call comes to it
 * with its next one. */
#define _GNU_SOURCE
#include "model/proxy_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "job/proxy_box.h"
#include "model/state.h"

enum { YIELDS = 50, NAP_NS = 50 * 1000 };

static struct nic_governed_rank *own(const struct nic *n)
{
    return nic_governor_rank(n->model->governor, n->rank);
}

/* -- the one that was asked */

bool nic_proxy_copies_asked(const struct nic *n)
{
    return atomic_load_explicit(&own(n)->proxy_copies, memory_order_relaxed);
}

/* Through a pipe: the kernel then says so where an address is nobody's.  A pipe takes a page at
 * least, and often more. */
static int copy(int in, int out, uint64_t from, uint64_t to, uint32_t bytes)
{
    while (bytes) {
        ssize_t sent = write(in, (const void *)(uintptr_t)from, bytes);
        if (sent <= 0)
            return sent ? -errno : -EFAULT;
        for (ssize_t left = sent; left;) {
            ssize_t got = read(out, (void *)(uintptr_t)to, (size_t)left);
            if (got <= 0)
                return got ? -errno : -EFAULT;
            left -= got;
            to += (uint64_t)got;
        }
        from += (uint64_t)sent;
        bytes -= (uint32_t)sent;
    }
    return 0;
}

/* Nothing in a peer's box is believed but by the kernel. */
static int execute(struct nic_proxy_copy *e)
{
    uint64_t box = (uint64_t)(uintptr_t)e->data, address = e->address;
    uint32_t bytes = e->bytes;
    int end[2];
    if (bytes > NIC_PROXY_BYTES)
        return -EINVAL;
    if (pipe2(end, O_CLOEXEC | O_NONBLOCK))
        return -errno;
    int rc = e->write ? copy(end[1], end[0], box, address, bytes)
             : copy(end[1], end[0], address, box, bytes);
    close(end[0]);
    close(end[1]);
    return rc;
}

static uint32_t take_list(struct nic *n)
{
    nic_governor_lock(n->model->governor);
    uint32_t first = atomic_load_explicit(&own(n)->proxy_copies, memory_order_relaxed);
    atomic_store_explicit(&own(n)->proxy_copies, 0, memory_order_relaxed);
    nic_governor_unlock(n->model->governor);
    return first;
}

void nic_proxy_copies_do(struct nic *n)
{
    for (uint32_t next = nic_proxy_copies_asked(n) ? take_list(n) : 0; next && next <= n->ranks;) {
        struct nic_proxy_copy *e = nic_proxy_box(n->model->governor, next - 1);
        if (!atomic_load_explicit(&e->asked, memory_order_acquire))
            return;             /* no list of ours */
        next = e->next;
        e->result = execute(e);
        atomic_store_explicit(&e->asked, 0, memory_order_release);      /* E1 */
    }
}

/* -- the one that asks */

static int hand_over(struct nic *n, unsigned peer, struct nic_proxy_copy *e)
{
    struct nic_governor *g = n->model->governor;
    struct nic_governed_rank *r = nic_governor_rank(g, peer);
    nic_governor_lock(g);
    bool gone = r->state == NIC_GOVERNED_GONE;
    if (!gone) {
        atomic_store_explicit(&e->asked, 1, memory_order_release);      /* E0 */
        e->next = atomic_load_explicit(&r->proxy_copies, memory_order_relaxed);
        atomic_store_explicit(&r->proxy_copies, n->rank + 1, memory_order_relaxed);
        nic_governor_wake(g, peer);
    }
    nic_governor_unlock(g);
    return gone ? -ESRCH : 0;
}

static void pause_a_little(unsigned looks)
{
    const struct timespec nap = { .tv_nsec = NAP_NS };
    if (looks < YIELDS)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

static void await(struct nic *n, struct nic_proxy_copy *e)
{
    /* E2 */
    for (unsigned looks = 0; atomic_load_explicit(&e->asked, memory_order_acquire); looks++) {
        nic_proxy_copies_do(n);
        pause_a_little(looks);
    }
}

static int ask(struct nic *n, unsigned peer, uint64_t address, size_t bytes, bool write,
               struct nic_proxy_copy *e)
{
    e->address = address;
    e->bytes = (uint32_t)bytes;
    e->write = write;
    int rc = hand_over(n, peer, e);
    if (rc)
        return rc;
    await(n, e);
    return e->result;
}

int nic_proxy_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    struct nic_proxy_copy *e = nic_proxy_box(n->model->governor, n->rank);
    for (size_t done = 0, piece; done < bytes; done += piece) {
        piece = bytes - done < sizeof e->data ? bytes - done : sizeof e->data;
        int rc = ask(n, peer, from + done, piece, false, e);
        if (rc)
            return rc;
        memcpy((char *)to + done, e->data, piece);
    }
    return 0;
}

int nic_proxy_write(struct nic *n, unsigned peer, const void *from, uint64_t to, size_t bytes)
{
    struct nic_proxy_copy *e = nic_proxy_box(n->model->governor, n->rank);
    for (size_t done = 0, piece; done < bytes; done += piece) {
        piece = bytes - done < sizeof e->data ? bytes - done : sizeof e->data;
        memcpy(e->data, (const char *)from + done, piece);
        int rc = ask(n, peer, to + done, piece, true, e);
        if (rc)
            return rc;
    }
    return 0;
}

/* -- at the end */

static_assert((int)NIC_MODEL_GATHER == (int)NIC_PROXY_BYTES, "what may be left fits the box");

static void await_left(const struct nic_proxy_copy *e)
{
    /* E4 */
    for (unsigned looks = 0; !atomic_load_explicit(&e->left, memory_order_acquire); looks++)
        pause_a_little(looks);
}

int nic_proxy_gather(struct nic *n, const void *own_bytes, size_t bytes, void *all)
{
    struct nic_governor *g = n->model->governor;
    struct nic_proxy_copy *mine = nic_proxy_box(g, n->rank);
    if (bytes > sizeof mine->data)
        return -EMSGSIZE;
    memcpy(mine->data, own_bytes, bytes);
    atomic_store_explicit(&mine->left, 1, memory_order_release);       /* E3 */
    for (unsigned r = 0; all && r < n->ranks; r++) {
        await_left(nic_proxy_box(g, r));
        memcpy((char *)all + r * bytes, nic_proxy_box(g, r)->data, bytes);
    }
    return 0;
}
