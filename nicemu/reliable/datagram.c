/* See reliable/datagram.h. */
#include "reliable/datagram.h"

#include <string.h>

#include "reliable/crc32.h"

static uint32_t crc_of(const void *frame, size_t bytes)
{
    size_t skip = sizeof(uint32_t);
    return nic_crc32(0, (const char *)frame + skip, bytes - skip);
}

void nic_datagram_seal(struct nic_datagram_head *f) { f->crc = crc_of(f, sizeof *f + f->bytes); }

bool nic_datagram_is_sound(const void *data, size_t bytes, uint32_t token, uint32_t ranks)
{
    struct nic_datagram_head h;
    if (bytes < sizeof h)
        return false;
    memcpy(&h, data, sizeof h);
    return h.bytes == bytes - sizeof h && h.crc == crc_of(data, bytes) && h.token == token
           && h.source < ranks
           && (h.kind == NIC_DATAGRAM_DATA || (h.kind == NIC_DATAGRAM_ANSWER && !h.bytes));
}
