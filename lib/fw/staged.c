/* Staged: through buffers in the sender's scratchpad, both ends copying at the same time.  Works everywhere;
 * slower than one copy by the kernel where that is allowed, since the copy out fetches every line from the sender's cache.
 *
 * RTS, CTS, then per chunk: the sender copies into a free buffer and sends DATA, the receiver copies out and returns the buffer with CREDIT. */
#include <string.h>

#include "inside.h"

enum { CHUNK_MIN = 8 * 1024, CHUNKS = 8 };

static bool have_buffers(struct fw *fw)
{
    if (fw->stage_area != NIC_SPAD_NONE)
        return true;
    fw->stage_area = nic_spad_alloc(fw->nic, FW_STAGE_BUFFERS * FW_STAGE_BYTES, FW_STAGE_BYTES);
    if (fw->stage_area == NIC_SPAD_NONE)
        return false;
    for (unsigned i = 0; i < FW_STAGE_BUFFERS; i++)
        fw->stage_free[fw->stages++] = (uint16_t)(fw->stage_area / FW_STAGE_BYTES + FW_STAGE_BUFFERS - 1 - i);
    return true;
}

/* -- sender */

static void cleared(struct fw *fw, struct fw_req *send)
{
    if (have_buffers(fw)) {
        mpi_fw_activate(fw, send);
        return;
    }
    send->error = FW_NO_MEMORY;
    mpi_fw_send_fin(fw, send);
    mpi_fw_finish_send(fw, send);
}

static void starve(struct fw *fw, struct fw_req *send)
{
    send->next = NULL;
    *fw->starved_end = send;
    fw->starved_end = &send->next;
}

/* Small pieces first and last keep both processors busy. */
static size_t piece_of(const struct fw_req *send)
{
    size_t n = send->bytes / CHUNKS, left = send->bytes - send->offset;
    n = n < CHUNK_MIN ? CHUNK_MIN : n > FW_STAGE_BYTES ? FW_STAGE_BYTES : n;
    return n < left ? n : left;
}

static bool advance(struct fw *fw, struct fw_req *send)
{
    if (!fw->stages) {
        starve(fw, send);
        return false;
    }
    struct fw_data d = { .offset = send->offset, .bytes = (uint32_t)piece_of(send), .buffer = fw->stage_free[--fw->stages] };
    fw->stages_out |= 1u << (d.buffer - fw->stage_area / FW_STAGE_BYTES);
    memcpy(nic_spad_at(fw->nic, fw->rank, (uint64_t)d.buffer * FW_STAGE_BYTES, d.bytes), (const char *)send->buffer + d.offset, d.bytes);
    mpi_fw_post_control(fw, send->peer, FW_PACKET_DATA, send->remote, &d, sizeof d);
    send->offset += d.bytes;
    if (send->offset < send->bytes)
        mpi_fw_reactivate(fw, send);
    else
        mpi_fw_finish_send(fw, send);
    return true;
}

void mpi_fw_credit_arrived(struct fw *fw, const struct nic_packet *p)
{
    uint64_t first = fw->stage_area / FW_STAGE_BYTES;
    if (fw->stage_area == NIC_SPAD_NONE || p->match < first || p->match >= first + FW_STAGE_BUFFERS || !(fw->stages_out >> (p->match - first) & 1)) {
        fw->strays++;
        return;
    }
    fw->stages_out &= ~(1u << (p->match - first));
    fw->stage_free[fw->stages++] = (uint16_t)p->match;
    struct fw_req *send = fw->starved;
    if (!send)
        return;
    fw->starved = send->next;
    if (!fw->starved)
        fw->starved_end = &fw->starved;
    mpi_fw_activate(fw, send);
}

/* -- receiver */

static void matched(struct fw *fw, struct fw_req *recv) { mpi_fw_send_cts(fw, recv); }

void mpi_fw_data_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_req *recv = mpi_fw_req_by_id(fw, p->match, FW_RECV);
    struct fw_data d;
    if (!recv || (recv->protocol != &mpi_fw_protocol_staged && recv->protocol != &mpi_fw_protocol_put) || p->length != sizeof d) {
        fw->strays++;
        return;
    }
    memcpy(&d, p->head, sizeof d);
    const void *from = nic_spad_at(fw->nic, recv->peer, (uint64_t)d.buffer * FW_STAGE_BYTES, d.bytes);
    if (!from || d.offset != recv->offset || d.bytes > recv->bytes - recv->offset) {
        fw->strays++;
        return;
    }
    memcpy((char *)recv->buffer + d.offset, from, d.bytes);
    mpi_fw_post_control(fw, recv->peer, FW_PACKET_CREDIT, d.buffer, NULL, 0);
    recv->offset += d.bytes;
    if (recv->offset == recv->bytes)
        mpi_fw_complete(fw, recv);
}

const struct fw_protocol mpi_fw_protocol_staged = { .name = "staged", .matched = matched, .cleared = cleared, .advance = advance };
