/* See wire/local.h. */
#define _GNU_SOURCE
#include "wire/local.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    LOOKS = 8,                  /* datagrams of one poll */
    SENT_BYTES = 4 << 20,       /* of datagrams that nobody has read, if the system lets us */
};

/* Of a frame that is sent, or that has come. */
struct buffer {
    struct nic_wire_frame frame;
    struct buffer *next;        /* free */
    unsigned char data[] __attribute__((aligned(8)));
};

struct nic_wire {
    uint64_t job;
    uint32_t rank, frame_bytes;
    int fd;
    struct buffer *free;
};

static struct buffer *new_buffer(struct nic_wire *w)
{
    struct buffer *b = w->free;
    if (b)
        w->free = b->next;
    else
        b = malloc(sizeof *b + w->frame_bytes);
    return b;
}

static void free_buffer(struct nic_wire *w, struct buffer *b)
{
    b->next = w->free;
    w->free = b;
}

/* In the abstract name space: nothing is left behind, and no folder is needed. */
static socklen_t name(struct sockaddr_un *to, uint64_t job, uint32_t rank)
{
    *to = (struct sockaddr_un){ .sun_family = AF_UNIX };
    int length = snprintf(to->sun_path + 1, sizeof to->sun_path - 1, "nicemu/%016llx/%u",
                          (unsigned long long)job, rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* -- sending */

static struct nic_wire_frame *local_frame(struct nic_wire *w)
{
    struct buffer *b = new_buffer(w);
    if (!b)
        return NULL;
    b->frame = (struct nic_wire_frame){ .data = b->data };
    return &b->frame;
}

static void local_drop(struct nic_wire *w, struct nic_wire_frame *f)
{
    free_buffer(w, (struct buffer *)((char *)f - offsetof(struct buffer, frame)));
}

/* Nobody there, or not any more: lost, as on a wire. */
static int local_send(struct nic_wire *w, uint64_t peer, struct nic_wire_frame *f)
{
    struct sockaddr_un to;
    socklen_t length = name(&to, w->job, (uint32_t)peer);
    if (sendto(w->fd, f->data, f->bytes, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to,
               length) < 0 && (errno == EAGAIN || errno == ENOBUFS))
        return -EAGAIN;
    local_drop(w, f);
    return 1;
}

/* -- receiving */

static unsigned local_poll(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    unsigned n = 0;
    while (n < most && n < LOOKS) {
        struct buffer *b = new_buffer(w);
        ssize_t bytes = b ? recv(w->fd, b->data, w->frame_bytes, MSG_DONTWAIT | MSG_TRUNC) : -1;
        if (bytes < 0 || (size_t)bytes > w->frame_bytes) {      /* too long: somebody else's */
            if (b)
                free_buffer(w, b);
            if (bytes < 0)
                break;
            continue;
        }
        events[n++] = (struct nic_wire_event){ .kind = NIC_WIRE_CAME, .bytes = (uint32_t)bytes,
                                               .data = b->data, .buffer = b };
    }
    return n;
}

static void local_give_back(struct nic_wire *w, void *buffer) { free_buffer(w, buffer); }

static int local_fd(const struct nic_wire *w) { return w->fd; }

static bool local_may_sleep(struct nic_wire *w)
{
    (void)w;
    return true;
}

/* -- addresses */

static int local_address(struct nic_wire *w, void *address, size_t room, size_t *bytes)
{
    if (room < NIC_LOCAL_ADDRESS)
        return -ENOSPC;
    memcpy(address, &w->rank, NIC_LOCAL_ADDRESS);
    *bytes = NIC_LOCAL_ADDRESS;
    return 0;
}

static int local_insert(struct nic_wire *w, const void *address, uint64_t *peer)
{
    uint32_t rank;
    (void)w;
    memcpy(&rank, address, sizeof rank);
    *peer = rank;
    return 0;
}

static const char *local_provider(const struct nic_wire *w)
{
    (void)w;
    return "local";
}

static struct nic_wire_limits local_limits(const struct nic_wire *w)
{
    return (struct nic_wire_limits){ .frame_bytes = w->frame_bytes, .loses = true };
}

/* -- opening and closing */

static void local_close(struct nic_wire *w)
{
    for (struct buffer *b; (b = w->free); free(b))
        w->free = b->next;
    close(w->fd);
    free(w);
}

/* What a peer has not read counts as the sender's: with the system's usual room one peer that is
 * stopped, with as many datagrams as its socket takes, is enough that none to others leaves. */
static void make_room(int fd)
{
    const int bytes = SENT_BYTES;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

int nic_local_open(uint64_t job, uint32_t rank, uint32_t frame_bytes, struct nic_wire **wire)
{
    struct sockaddr_un own;
    socklen_t length = name(&own, job, rank);
    struct nic_wire *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    *w = (struct nic_wire){ .job = job, .rank = rank, .frame_bytes = frame_bytes };
    w->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (w->fd < 0 || bind(w->fd, (struct sockaddr *)&own, length)) {
        int rc = -errno;
        if (w->fd >= 0)
            close(w->fd);
        free(w);
        return rc;
    }
    make_room(w->fd);
    *wire = w;
    return 0;
}

static int no_open(const struct nic_wire_config *config, struct nic_wire **wire, char *why,
                   size_t room)
{
    (void)config, (void)wire;
    snprintf(why, room, "it is opened by a job's number");
    return -ENOSYS;
}

const struct nic_wire_ops nic_wire_local = {
    .version = NIC_WIRE_VERSION, .open = no_open, .provider = local_provider,
    .limits = local_limits, .address = local_address, .insert = local_insert,
    .frame = local_frame, .send = local_send, .drop = local_drop, .poll = local_poll,
    .give_back = local_give_back, .fd = local_fd, .may_sleep = local_may_sleep,
    .close = local_close,
};
