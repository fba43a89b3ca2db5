/* The data of a request: in one piece at its buffer, or with gaps, as its layout says. */
#ifndef FW_DATA_H
#define FW_DATA_H

#include <string.h>

#include "fw/packets.h"
#include "fw/state.h"

/* NULL: the data are in one piece. */
static inline struct fw_layout *fw_layout(const struct fw_req *r)
{
    return __builtin_expect(r->host.gaps == FW_GAPS_LAYOUT, 0) ? r->layout : NULL;
}

/* `bytes` bytes of a receive's data, from a place in them on, have come; the same of a send's are
 * wanted. */
static inline void fw_data_in(const struct fw_req *recv, size_t place, const void *from,
                              size_t bytes)
{
    struct fw_layout *l = fw_layout(recv);
    if (l)
        l->unpack(l, place, from, bytes);
    else
        memcpy((char *)recv->buffer + place, from, bytes);
}

static inline void fw_data_out(const struct fw_req *send, size_t place, void *to, size_t bytes)
{
    struct fw_layout *l = fw_layout(send);
    if (l)
        l->pack(l, place, to, bytes);
    else
        memcpy(to, (const char *)send->buffer + place, bytes);
}

/* A receive's message is known: it gets so many bytes. */
static inline void fw_data_expect(const struct fw_req *recv, size_t bytes)
{
    struct fw_layout *l = fw_layout(recv);
    if (l)
        l->bytes = bytes;
}

/* What the peer is told of where the data lie. */
static inline uint64_t fw_address(const struct fw_req *r)
{
    const struct fw_layout *l = fw_layout(r);
    if (!l)
        return (uint64_t)(uintptr_t)r->buffer;
    return l->list ? (uint64_t)(uintptr_t)l->list | FW_LIST_ADDRESS : FW_NO_ADDRESS;
}

/* What a message's data are: the send's from a place on (that of a DATA packet stands in its
 * head). */
static inline void fw_data_of(struct nic_tx *m, const struct fw_req *send, size_t place)
{
    m->gathered = fw_layout(send) != NULL;
    m->data = m->gathered ? (const void *)send : (const char *)send->buffer + place;
}

/* What the NIC asks for where a message's data have gaps. */
void mpi_fw_gather(const struct nic_tx *message, size_t from, void *to, size_t bytes);
void mpi_fw_scatter(struct fw_object *object, size_t place, const void *from, size_t bytes);

/* The rest of a packet, which the handler has looked at, goes to a place in a receive's data. */
void mpi_fw_sink(struct fw *fw, struct fw_req *recv, size_t place, size_t bytes);

#endif
