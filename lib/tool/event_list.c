/* The table of event types. */
#include "tool/event_list.h"

#include <string.h>

#define HAS(element) (1u << MPI_TOOL_##element)
#define ENVELOPE (HAS(CONTEXT) | HAS(SOURCE) | HAS(TAG) | HAS(BYTES))

static const struct mpi_tool_event events[FW_NOTICES] = {
    [FW_NOTICE_KEPT] = { "unexpected_arrived",
                         "a message came before its receive, and waits for it",
                         "matching", ENVELOPE | HAS(QUEUE) },
    [FW_NOTICE_TAKEN] = { "unexpected_matched", "a message that had come before met its receive",
                          "matching", ENVELOPE | HAS(QUEUE) },
    [FW_NOTICE_RNDV_BEGUN] = { "rendezvous_begun",
                               "a long message is matched: its receiver has chosen how it travels",
                               "protocols", ENVELOPE | HAS(PEER) | HAS(PROTOCOL) },
    [FW_NOTICE_RNDV_ENDED] = { "rendezvous_ended", "all of a long message has come",
                               "protocols", ENVELOPE | HAS(PEER) | HAS(PROTOCOL) },
    [FW_NOTICE_TRUNCATED] = { "message_truncated",
                              "a receive has less room than its message has bytes: so many",
                              "protocols", ENVELOPE },
    [FW_NOTICE_DELAYED] = { "send_delayed", "a packet waits for room in its peer's inbox",
                            "sending", HAS(PEER) | HAS(BYTES) | HAS(QUEUE) },
};

/* Ranks: `source` in the communicator of the message, `peer` in MPI_COMM_WORLD. */
static const char *const names[MPI_TOOL_ELEMENTS] = {
    [MPI_TOOL_CONTEXT] = "context", [MPI_TOOL_SOURCE] = "source", [MPI_TOOL_TAG] = "tag",
    [MPI_TOOL_PEER] = "peer", [MPI_TOOL_PROTOCOL] = "protocol", [MPI_TOOL_BYTES] = "bytes",
    [MPI_TOOL_QUEUE] = "queue",
};

const struct mpi_tool_event *mpi_tool_event(int index)
{
    return index >= 0 && index < FW_NOTICES ? &events[index] : NULL;
}

int mpi_tool_event_which(const struct mpi_tool_event *e, unsigned item)
{
    for (int which = 0; which < MPI_TOOL_ELEMENTS; which++)
        if (e->elements >> which & 1 && item-- == 0)
            return which;
    return -1;
}

const char *mpi_tool_event_element(unsigned index, unsigned item)
{
    const struct mpi_tool_event *e = mpi_tool_event((int)index);
    int which = e ? mpi_tool_event_which(e, item) : -1;
    return which < 0 ? NULL : names[which];
}

/* -- values: small ones first, so that there are no gaps but one before the long ones */

static bool is_long(enum mpi_tool_element which) { return which >= MPI_TOOL_BYTES; }

MPI_Datatype mpi_tool_element_type(enum mpi_tool_element which)
{
    return is_long(which) ? MPI_UNSIGNED_LONG_LONG : MPI_INT;
}

size_t mpi_tool_element_bytes(enum mpi_tool_element which)
{
    return is_long(which) ? sizeof(unsigned long long) : sizeof(int);
}

size_t mpi_tool_event_place(const struct mpi_tool_event *e, unsigned item)
{
    size_t place = 0;
    for (unsigned i = 0; ; i++) {
        size_t bytes = mpi_tool_element_bytes((enum mpi_tool_element)mpi_tool_event_which(e, i));
        place = (place + bytes - 1) / bytes * bytes;
        if (i == item)
            return place;
        place += bytes;
    }
}

void mpi_tool_element_give(enum mpi_tool_element which, const struct fw_notice *n, void *place)
{
    const int small[] = {
        [MPI_TOOL_CONTEXT] = (int)fw_match_context(n->match),
        [MPI_TOOL_SOURCE] = fw_match_source(n->match), [MPI_TOOL_TAG] = fw_match_tag(n->match),
        [MPI_TOOL_PEER] = n->peer, [MPI_TOOL_PROTOCOL] = n->protocol,
    };
    const unsigned long long bytes = n->bytes, queue = n->queue;
    if (is_long(which))
        memcpy(place, which == MPI_TOOL_BYTES ? &bytes : &queue, sizeof bytes);
    else
        memcpy(place, &small[which], sizeof small[which]);
}
