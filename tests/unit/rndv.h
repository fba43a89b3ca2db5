/* Rendezvous: messages of all lengths between two ranks, and the ways to bring them. */
#ifndef RNDV_H
#define RNDV_H

#include "fw/rndv.h"
#include "ranks.h"

enum { LONGEST = (1 << 20) + 5, AREA = LONGEST + LOOP_SEEDS };

static unsigned char source[AREA], sink[AREA];

static inline void fill_source(void)
{
    uint64_t random = 77;

    for (size_t i = 0; i + 8 <= sizeof source; i += 8) {
        uint64_t word = loop_random(&random);
        memcpy(source + i, &word, 8);
    }
}

/* Another content for each seed. */
static inline const unsigned char *from_source(unsigned seed)
{
    return source + seed * 8 % LOOP_SEEDS;
}

/* -- one message, by each protocol that can be forced, the staged one as where the kernel refuses,
 * and as the firmware chooses */

static const struct { const char *protocol, *rdma; } ways[] = {
    { "get", NULL }, { "put", NULL }, { "both", NULL }, { "staged", NULL }, { NULL, NULL },
    { NULL, "staged" }, { "put", "staged" },
    { "both", "staged" }, { NULL, "buffers" }, { NULL, "inbox" },
};
enum { WAYS = sizeof ways / sizeof *ways };

static const size_t sizes[] = { EAGER_MAX + 1, 8 * 1024, 32 * 1024 + 1, 64 * 1024 - 1, 64 * 1024,
                                64 * 1024 + 1, 256 * 1024, 500001, LONGEST };
enum { SIZES = sizeof sizes / sizeof *sizes };

static inline void one_message(size_t bytes, size_t room, unsigned seed, bool posted_first)
{
    const unsigned char *data = from_source(seed);
    struct fw_req *recv = NULL;

    memset(sink + room, 0xee, 64);
    if (posted_first)
        recv = start_recv(1, 0, 5, sink, room);
    struct fw_req *send = start_send_as(0, 1, 5, data, bytes, seed % 2);
    if (!posted_first) {
        uint64_t found;
        size_t announced = 0;
        settle();
        /* a long one is never out before it is matched */
        must(!fw_req_done(send) && !mpi_fw_quiet(at[0].fw));
        nic_enter(at[1].nic);
        must(mpi_fw_probe(at[1].fw, match_of(0, 5), 0, &found, &announced) && announced == bytes);
        nic_leave(at[1].nic);
        recv = start_recv(1, ANY, ANY, sink, room);
    }
    finish_recv(1, recv, room, 0, 5, data, bytes);
    for (unsigned i = 0; i < 64; i++)
        must(sink[room + i] == 0xee);
    finish_send(0, send);
}

#endif
