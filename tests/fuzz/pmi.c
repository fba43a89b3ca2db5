/* Fuzzes what a launcher says: the input is all that its server sends, whatever it was asked; the
 * first byte chooses the protocol.  Whatever comes, each call returns, an error has words that
 * steer no terminal, and data stay within their room. */
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "pmi/letters.h"
#include "pmi/mapping.h"
#include "pmi/pmi.h"
#include "pmi/why.h"

enum { ROOM = 700, RANKS_OF_MAP = 50 };

static void check_why(void)
{
    const char *why = mpi_pmi_why();
    must(*why);
    for (; *why; why++)
        must((unsigned char)*why >= 0x20 && *why != 0x7f);
}

static void check_nodes(const struct mpi_pmi *p)
{
    unsigned nodes = mpi_pmi_nodes(p);
    must(nodes >= 1 && nodes <= mpi_pmi_size(p));
    for (unsigned r = 0; r < mpi_pmi_size(p); r++)
        must(mpi_pmi_node_of(p, r) < nodes && mpi_pmi_leader(p, mpi_pmi_node_of(p, r)) <= r);
}

/* All that a rank asks; false: its connection is open still. */
static bool live(void)
{
    struct mpi_pmi *p;
    unsigned char *room = guarded_new(ROOM);
    bool closed = false;
    ssize_t n = mpi_pmi_open(&p);
    if (!n) {
        check_nodes(p);
        n = mpi_pmi_put(p, "name", room, ROOM);
        if (!n)
            n = mpi_pmi_fence(p);
        for (unsigned r = 0; n >= 0 && r < 3; r++)
            n = mpi_pmi_get(p, r, "name", room, ROOM);
        must(n <= ROOM);
        if (n < 0)
            check_why();
        n = mpi_pmi_close(p);
        closed = true;
    }
    if (n < 0)
        check_why();
    guarded_free(room, ROOM);
    return closed;
}

static void talk(bool second, const uint8_t *data, size_t size)
{
    int ends[2];
    char fd[16];
    must(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    for (ssize_t n; size && (n = send(ends[1], data, size, MSG_DONTWAIT)) > 0; size -= (size_t)n)
        data += n;
    shutdown(ends[1], SHUT_WR);
    snprintf(fd, sizeof fd, "%d", ends[0]);
    setenv("PMI_FD", fd, 1);
    setenv("PMI_RANK", "1", 1);
    setenv("PMI_SIZE", "4", 1);
    second ? setenv("PMI_JOBID", "7.0", 1) : unsetenv("PMI_JOBID");
    if (!live())
        close(ends[0]);
    close(ends[1]);
}

/* The texts by themselves. */
static void read_texts(const uint8_t *data, size_t size)
{
    uint32_t node[RANKS_OF_MAP], leader[RANKS_OF_MAP];
    unsigned char *room = guarded_new(ROOM);
    char *text = malloc(size + 1);
    must(text);
    memcpy(text, data, size);
    text[size] = 0;
    must(mpi_pmi_letters_read(text, room, ROOM) <= ROOM);
    if (!mpi_pmi_mapping_read(text, node, RANKS_OF_MAP))
        must(mpi_pmi_mapping_number(node, leader, RANKS_OF_MAP) >= 1);
    free(text);
    guarded_free(room, ROOM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    if (data[0] % 4 == 3)
        read_texts(data + 1, size - 1);
    else
        talk(data[0] & 1, data + 1, size - 1);
    return 0;
}
