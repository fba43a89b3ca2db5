/* Choosing how to talk to the launcher, and what is the same with all of them. */
#define _GNU_SOURCE
#include "pmi/pmi.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmi/last_words.h"
#include "pmi/letters.h"
#include "pmi/mapping.h"
#include "pmi/server.h"
#include "pmi/why.h"

/* Bytes of one value, as letters; the first has the length of all in front. */
enum { PART = 378, LENGTH_ROOM = 8 };
_Static_assert((PART * 4 + 2) / 3 + LENGTH_ROOM <= PMI_VALUE_MAX, "a part is a value");

/* -- who we are */

/* A decimal number in the environment, -1: none. */
static int number(const char *variable, int most)
{
    char *end;
    const char *text = getenv(variable);
    errno = 0;
    long n = text ? strtol(text, &end, 10) : -1;
    return !text || errno || end == text || *end || n < 0 || n > most ? -1 : (int)n;
}

static int wrong(const char *variable)
{
    const char *text = getenv(variable);
    return mpi_pmi_failed(-EINVAL, "%s is '%.40s', which makes no sense", variable,
                          text ? text : "");
}

/* The variables that PMI-1 and PMI-2 share. */
static int read_environment(struct mpi_pmi *p)
{
    int fd = number("PMI_FD", 1 << 20), size = number("PMI_SIZE", PMI_RANKS_MAX),
        rank = number("PMI_RANK", PMI_RANKS_MAX);
    if (fd < 0)
        return wrong("PMI_FD");
    if (size < 1)
        return wrong("PMI_SIZE");
    if (rank < 0 || rank >= size)
        return wrong("PMI_RANK");
    if (fcntl(fd, F_GETFD) < 0)
        return mpi_pmi_failed(-EBADF, "descriptor %d of PMI_FD is not open", fd);
    fcntl(fd, F_SETFD, FD_CLOEXEC);     /* what this rank starts is no rank */
    p->channel.fd = fd;
    p->rank = (unsigned)rank;
    p->size = (unsigned)size;
    return 0;
}

/* A number without its descriptor comes from a job around this one. */
static bool is_stale(void)
{
    int fd = number("PMI_FD", 1 << 20);
    return fd >= 0 && fcntl(fd, F_GETFD) < 0;
}

/* Only Slurm's plugin, which speaks both, names the job; mpiexec.hydra's PMI-2 cannot abort.  Both
 * is said where mpiexec.hydra runs in a step of Slurm's. */
static const struct pmi_server *server_wanted(void)
{
    bool pmix = mpi_pmix_wanted();
    if (getenv("PMI_FD") && !(pmix && is_stale()))
        return getenv("PMI_JOBID") && !getenv("HYDI_CONTROL_FD") ? &mpi_pmi2 : &mpi_pmi1;
    return pmix ? &mpi_pmix : NULL;
}

/* Where the launcher does not say, all are on one node: that their memory is there is seen when
 * they join. */
static int find_nodes(struct mpi_pmi *p)
{
    p->node = calloc(p->size, sizeof *p->node);
    p->leader = calloc(p->size, sizeof *p->leader);
    if (!p->node || !p->leader)
        return mpi_pmi_failed(-ENOMEM, "no memory for %u ranks", p->size);
    int rc = p->server->map(p);
    if (rc && rc != -ENOENT)
        return rc;
    p->nodes = mpi_pmi_mapping_number(p->node, p->leader, p->size);
    return p->nodes ? 0 : mpi_pmi_failed(-ENOMEM, "no memory for %u ranks", p->size);
}

static void release(struct mpi_pmi *p)
{
    free(p->node);
    free(p->leader);
    free(p);
}

int mpi_pmi_open(struct mpi_pmi **pmi)
{
    const struct pmi_server *server = server_wanted();
    struct mpi_pmi *p;
    if (!server)
        return mpi_pmi_failed(-ENOENT, "no launcher");
    if (!(p = calloc(1, sizeof *p)))
        return mpi_pmi_failed(-ENOMEM, "no memory");
    p->server = server;
    int rc = server == &mpi_pmix ? 0 : read_environment(p);
    bool reached = !rc && server != &mpi_pmix;
    if (!rc && !(rc = server->open(p))) {
        reached = true;
        rc = find_nodes(p);
    }
    if (rc && rc != -EBADF && reached)
        server->abort(p, 1, mpi_pmi_why());     /* the others would wait */
    if (rc) {
        release(p);
        return rc == -ENOENT ? -EPROTO : rc;
    }
    *pmi = p;
    return 0;
}

const char *mpi_pmi_name(const struct mpi_pmi *p) { return p->server->name; }
unsigned mpi_pmi_rank(const struct mpi_pmi *p) { return p->rank; }
unsigned mpi_pmi_size(const struct mpi_pmi *p) { return p->size; }
int mpi_pmi_appnum(const struct mpi_pmi *p) { return p->appnum; }
unsigned mpi_pmi_nodes(const struct mpi_pmi *p) { return p->nodes; }
unsigned mpi_pmi_node_of(const struct mpi_pmi *p, unsigned rank) { return p->node[rank]; }
unsigned mpi_pmi_leader(const struct mpi_pmi *p, unsigned node) { return p->leader[node]; }

/* -- data: a chain of values, the first of which begins with the length of all */

static void key_of(char key[PMI_KEY_MAX], const char *name, unsigned rank, unsigned part)
{
    snprintf(key, PMI_KEY_MAX, "%.*s-%u-%u", MPI_PMI_NAME_MAX, name, rank, part);
}

int mpi_pmi_put(struct mpi_pmi *p, const char *name, const void *data, size_t bytes)
{
    char key[PMI_KEY_MAX], value[PMI_VALUE_MAX + LENGTH_ROOM + 2];
    const char *from = data;
    size_t left = bytes;
    if (bytes > MPI_PMI_DATA_MAX)
        return mpi_pmi_failed(-EMSGSIZE, "%zu bytes are too many for the launcher", bytes);
    for (unsigned part = 0; left || !part; part++) {
        size_t n = left < PART ? left : PART;
        int head = part ? 0 : snprintf(value, sizeof value, "%zu.", bytes);
        mpi_pmi_letters_write(value + head, from, n);
        key_of(key, name, p->rank, part);
        int rc = p->server->put(p, key, value);
        if (rc)
            return rc;
        from += n;
        left -= n;
    }
    return 0;
}

int mpi_pmi_fence(struct mpi_pmi *p) { return p->server->fence(p); }

/* The length in front of the first value; *text goes past it.  -1: there is none. */
static long length_of(const char **text)
{
    char *end;
    errno = 0;
    long n = **text >= '0' && **text <= '9' ? strtol(*text, &end, 10) : -1;
    if (n < 0 || errno || *end != '.' || n > MPI_PMI_DATA_MAX)
        return -1;
    *text = end + 1;
    return n;
}

static int bad(const char *key) { return mpi_pmi_failed(-EPROTO, "what was put as %s came back as "
                                                        "something else", key); }

ssize_t mpi_pmi_get(struct mpi_pmi *p, unsigned rank, const char *name, void *data, size_t room)
{
    char key[PMI_KEY_MAX], value[PMI_MESSAGE_MAX];
    long bytes = -1;
    size_t have = 0;
    for (unsigned part = 0; bytes < 0 || have < (size_t)bytes; part++) {
        const char *text = value;
        key_of(key, name, rank, part);
        int rc = p->server->get(p, rank, key, value, sizeof value);
        if (rc)
            return rc == -ENOENT && part ? bad(key) : rc;
        if (!part && (bytes = length_of(&text)) < 0)
            return bad(key);
        if ((size_t)bytes > room)
            return mpi_pmi_failed(-EMSGSIZE, "%s has %ld bytes", key, bytes);
        ssize_t n = mpi_pmi_letters_read(text, (char *)data + have, (size_t)bytes - have);
        if (n < 0 || (!n && bytes))
            return bad(key);
        have += (size_t)n;
    }
    return bytes;
}

/* -- the end */

bool mpi_pmi_gone(const struct mpi_pmi *p)
{
    struct pollfd fd = { .fd = p->channel.fd, .events = POLLRDHUP };
    return p->server != &mpi_pmix && poll(&fd, 1, 0) == 1
           && fd.revents & (POLLHUP | POLLERR | POLLRDHUP);
}

/* Launchers end with the low eight bits of it: a failure must not become 0 for want of more. */
void mpi_pmi_abort(struct mpi_pmi *p, int code, const char *text)
{
    mpi_pmi_last_words();
    p->server->abort(p, code && !(code & 255) ? 1 : code, text);
}

int mpi_pmi_close(struct mpi_pmi *p)
{
    int rc = p->server->close(p);
    release(p);
    return rc;
}
