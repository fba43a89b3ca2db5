/* Offering the memory of a job, and reaching it. */
#define _GNU_SOURCE
#include "pmi/offer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "nicemu/job.h"

/* How long who comes by the socket may take; between two tries to take him; of the thread, which
 * needs little, but the C library takes its own from it. */
enum { PATIENCE_S = 10, PAUSE_NS = 10 * 1000 * 1000, STACK_BYTES = 256 << 10 };

struct pmi_offer {
    int listener, stop;         /* -1: there is no socket, or no thread */
    int job_fd;
    uint64_t token;
    pthread_t thread;
    bool serves;
};

/* -- a socket without a name in a file system: nothing is left of it */

static socklen_t name_socket(struct sockaddr_un *name, uint64_t token)
{
    *name = (struct sockaddr_un){ .sun_family = AF_UNIX };
    int n = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "mpilite-%016" PRIx64, token);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static bool same_user(int fd)
{
    struct ucred who;
    socklen_t size = sizeof who;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) && who.uid == geteuid();
}

static void be_patient(int fd)
{
    struct timeval limit = { .tv_sec = PATIENCE_S };
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

/* Space for one descriptor beside a message. */
union pass { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; };

static bool pass_fd(int to, int fd)
{
    char byte = 0;
    union pass pass = { .room = "" };
    struct iovec v = { .iov_base = &byte, .iov_len = 1 };
    struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = pass.room,
                        .msg_controllen = sizeof pass.room };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    return sendmsg(to, &m, MSG_NOSIGNAL) == 1;
}

static int take_fd(int from)
{
    char byte;
    int fd = -1;
    union pass pass = { .room = "" };
    struct iovec v = { .iov_base = &byte, .iov_len = 1 };
    struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = pass.room,
                        .msg_controllen = sizeof pass.room };
    if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS
        && c->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
    return fd;
}

/* -- offering */

static void serve_one(const struct pmi_offer *o)
{
    int fd = accept4(o->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) {               /* no descriptor is free, say: whoever comes is still there */
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
        return;
    }
    if (same_user(fd)) {
        be_patient(fd);
        pass_fd(fd, o->job_fd);
    }
    close(fd);
}

static void *serve(void *offer)
{
    const struct pmi_offer *o = offer;
    for (;;) {
        struct pollfd polls[] = { { .fd = o->stop, .events = POLLIN },
                                  { .fd = o->listener, .events = POLLIN } };
        if (poll(polls, 2, -1) < 0 && errno != EINTR)
            return NULL;
        if (polls[0].revents)
            return NULL;
        if (polls[1].revents)
            serve_one(o);
    }
}

/* Signals are for the program's threads. */
static bool start_serving(struct pmi_offer *o)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes))
        return false;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = !pthread_create(&o->thread, &attributes, serve, o);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

static int listen_as(uint64_t token)
{
    struct sockaddr_un name;
    socklen_t size = name_socket(&name, token);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&name, size) < 0 || listen(fd, SOMAXCONN) < 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Without the kernel's help another number than a neighbour's will do. */
static uint64_t new_token(void)
{
    uint64_t token = 0;
    struct timespec now;
    if (getrandom(&token, sizeof token, GRND_NONBLOCK) == sizeof token && token)
        return token;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 44) | 1;
}

/* Where there can be no socket, the way through /proc is left. */
int mpi_pmi_offer_begin(struct nic_job *job, struct pmi_address *address, struct pmi_offer **offer)
{
    struct pmi_offer *o = malloc(sizeof *o);
    if (!o)
        return -ENOMEM;
    *o = (struct pmi_offer){ .job_fd = nic_job_fd(job), .token = new_token() };
    nic_job_set_token(job, o->token);
    o->listener = listen_as(o->token);
    o->stop = o->listener < 0 ? -1 : eventfd(0, EFD_CLOEXEC);
    o->serves = o->stop >= 0 && start_serving(o);
    if (!o->serves && o->listener >= 0) {   /* nobody would answer there */
        close(o->listener);
        o->listener = -1;
    }
    *address = (struct pmi_address){ .token = o->token, .process = (int32_t)getpid(),
                                     .fd = o->job_fd };
    *offer = o;
    return 0;
}

void mpi_pmi_offer_end(struct pmi_offer *o)
{
    if (o->serves && eventfd_write(o->stop, 1) == 0)
        pthread_join(o->thread, NULL);
    if (o->stop >= 0)
        close(o->stop);
    if (o->listener >= 0)
        close(o->listener);
    free(o);
}

/* -- reaching */

/* Takes over fd. */
static int attach(int fd, uint64_t token, struct nic_job **job)
{
    int rc = fd < 0 ? -EHOSTUNREACH : nic_job_attach(fd, job);
    if (!rc && nic_job_token(*job) != token) {
        nic_job_close(*job);        /* the descriptor too */
        *job = NULL;
        return -EHOSTUNREACH;
    }
    if (rc && fd >= 0)
        close(fd);
    return rc;
}

/* What another process has open, if it is a file: to open anything else may have an effect. */
static int open_of_process(const struct pmi_address *a)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)a->process, (int)a->fd);
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int opened = fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ? -1 : open(path, O_RDWR | O_CLOEXEC);
    close(fd);
    return opened;
}

static int fetch(const struct pmi_address *a)
{
    struct sockaddr_un name;
    socklen_t size = name_socket(&name, a->token);
    int from = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), fd = -1;
    if (from < 0)
        return -1;
    be_patient(from);
    if (!connect(from, (struct sockaddr *)&name, size) && same_user(from))
        fd = take_fd(from);
    close(from);
    return fd;
}

/* NICEMU's own errors, such as too little address space, are told as they are. */
int mpi_pmi_offer_reach(const struct pmi_address *a, struct nic_job **job)
{
    int rc = attach(open_of_process(a), a->token, job);
    if (rc == -EHOSTUNREACH || rc == -EPROTO)
        rc = attach(fetch(a), a->token, job);
    return rc;
}
