/* Whoever asks libfabric's provider for TCP (net, or tcp from 1.18 on) for a descriptor to sleep in
 * gets a thread of the provider's besides, which wakes for every packet and takes it before the NIC
 * does.  But all that the provider waits for is in an epoll of its own, and to sleep in that is
 * enough.  The kernel tells which one it is: the one that watches the socket at which this endpoint
 * listens. */
#include "ofi/inner.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool listens_there(int fd, const struct sockaddr *at, socklen_t bytes)
{
    struct sockaddr_storage own;
    socklen_t room = sizeof own, one = sizeof(int);
    int listens = 0;
    return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &one) && listens
           && !getsockname(fd, (struct sockaddr *)&own, &room) && room == bytes
           && !memcmp(&own, at, bytes);
}

static bool is_epoll(int fd)
{
    char path[40], to[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, to, sizeof to - 1);
    to[n < 0 ? 0 : n] = '\0';
    return !strcmp(to, "anon_inode:[eventpoll]");
}

static bool watches(int epoll, int fd)
{
    char path[40], line[160];
    int watched;
    bool found = false;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", epoll);
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f))
        found = sscanf(line, "tfd: %d", &watched) == 1 && watched == fd;
    if (f)
        fclose(f);
    return found;
}

struct search { const struct sockaddr *at; socklen_t bytes; int socket; };

static bool is_listener(int fd, const struct search *s)
{
    return listens_there(fd, s->at, s->bytes);
}

static bool is_inner(int fd, const struct search *s)
{
    return is_epoll(fd) && watches(fd, s->socket);
}

/* The first descriptor of this process of which that holds; -1: none. */
static int find(bool (*holds)(int fd, const struct search *s), const struct search *s)
{
    DIR *all = opendir("/proc/self/fd");
    int found = -1;
    for (struct dirent *e; all && found < 0 && (e = readdir(all));)
        if (*e->d_name != '.' && holds(atoi(e->d_name), s))
            found = atoi(e->d_name);
    if (all)
        closedir(all);
    return found;
}

int ofi_inner_epoll(const struct sockaddr *listens, socklen_t bytes)
{
    struct search s = { .at = listens, .bytes = bytes };
    s.socket = find(is_listener, &s);
    return s.socket < 0 ? -1 : find(is_inner, &s);
}
