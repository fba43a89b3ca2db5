/* Sleeping until the provider has something to do: in what the provider itself would sleep in
 * where that can be had (inner.c), else in the queue's descriptor.
 *
 * The inner one knows of sockets only.  What lies in the queue already is told by an eventfd
 * beside it: events that one poll has left there, because there were more than it takes; what
 * comes without a socket, when memory to receive in is given back; what has come while somebody
 * asked whether he may sleep.
 *
 *   L0 some_left, behind the eventfd is set -> L1 taken back by a look at the queue, before it
 *   reads the eventfd and then the queue: it stays set only with some_left, and not without events
 */
#include "ofi/sleep.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ofi/inner.h"
#include "ofi/provider.h"

static int add(int epoll, int fd)
{
    struct epoll_event e = { .events = EPOLLIN };
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

/* With a layer between it is another socket that listens. */
enum ofi_sleep ofi_sleep_first(const struct fi_info *info)
{
    return ofi_is_stream(info) ? OFI_SLEEP_INNER : OFI_SLEEP_QUEUE;
}

static int open_inner(struct nic_wire *w)
{
    struct ofi_sleeper *s = &w->sleeper;
    struct sockaddr_storage own;
    size_t bytes = sizeof own;
    int inner = -1;
    if (!fi_getname(&w->endpoint->fid, &own, &bytes) && bytes <= sizeof own)
        inner = ofi_inner_epoll((struct sockaddr *)&own, (socklen_t)bytes);
    if (inner < 0)
        return -ENOSYS;
    s->left = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->fd = epoll_create1(EPOLL_CLOEXEC);
    if (s->left >= 0 && s->fd >= 0 && !add(s->fd, inner) && !add(s->fd, s->left))
        return 0;
    int rc = -errno;
    ofi_sleep_close(w);
    return rc;
}

int ofi_sleep_open(struct nic_wire *w, enum ofi_sleep how)
{
    w->sleeper.how = how;
    w->sleeper.fd = w->sleeper.left = -1;
    switch (how) {
    case OFI_SLEEP_INNER: return open_inner(w);
    case OFI_SLEEP_QUEUE: return fi_control(&w->queue->fid, FI_GETWAIT, &w->sleeper.fd);
    default: return 0;
    }
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The queue's descriptor is the queue's. */
void ofi_sleep_close(struct nic_wire *w)
{
    if (w->sleeper.how == OFI_SLEEP_INNER)
        close_fd(&w->sleeper.fd);
    close_fd(&w->sleeper.left);
    w->sleeper.fd = -1;
}

void ofi_sleep_leave(struct nic_wire *w)
{
    struct ofi_sleeper *s = &w->sleeper;
    const uint64_t one = 1;
    if (s->left >= 0 && write(s->left, &one, sizeof one) == sizeof one)
        atomic_store(&s->some_left, true);                          /* L0 */
}

void ofi_sleep_look(struct nic_wire *w)
{
    struct ofi_sleeper *s = &w->sleeper;
    uint64_t count;
    if (atomic_load_explicit(&s->some_left, memory_order_relaxed)
        && atomic_exchange(&s->some_left, false)                    /* L1 */
        && read(s->left, &count, sizeof count) < 0)
        return;                         /* an earlier look has read what two have written */
}

int ofi_fd(const struct nic_wire *w) { return w->sleeper.fd; }

/* Asking the queue also has the provider read its sockets, of which the inner descriptor says
 * nothing any more; whoever counts on the watch, and was not the one who asked, has to hear. */
bool ofi_may_sleep(struct nic_wire *w)
{
    struct fid *queue = &w->queue->fid;
    if (w->sleeper.how != OFI_SLEEP_INNER)
        return fi_trywait(w->fabric, &queue, 1) == FI_SUCCESS;
    if (fi_cq_read(w->queue, NULL, 0) == -FI_EAGAIN)
        return true;
    ofi_sleep_leave(w);
    return false;
}
