/* The staged path: packets carry the bytes, and the target's NIC checks key, right and range and
 * copies.  It works wherever packets do.
 *
 * Put.  The pieces are sent as fast as the target's inbox takes them.  None but the last is
 * answered: each names the range that the whole transfer spans, and is checked against that as well
 * as the last, and packets arrive in order.  A key only ever turns from good to bad, so if the last
 * piece is found good all before it were, and nothing has been left out; and if the key was bad
 * from the start, nothing has been touched.
 *
 * Get.  Up to WINDOW requests wait for their bytes; each names the range of the whole too. */
#include "remote/staged.h"

#include <errno.h>
#include <string.h>

#include "core/baton.h"
#include "remote/counters.h"
#include "remote/packets.h"
#include "remote/reach.h"
#include "nicemu/counter.h"

enum {
    /* what a packet carries besides its head: what stands in front of the bytes, a list's blocks,
     * the bytes */
    PIECE_BYTES = NIC_MESSAGE_BYTES_MAX - 16,
    WINDOW = 4,                                     /* requests of a get in flight: 64 KiB */
    /* remote runs from here on travel alone, straight to their place */
    LONG_RUN = 1024,
    BLOCKS_MAX = 512,
};

/* `what`: bytes of a get, and flags. */
enum { WHAT_BYTES = 0x3fff, WHAT_LAST = 0x4000, WHAT_LIST = 0x8000 };

/* Head of PUT and GET.  A list has its number of blocks at `offset`, and the blocks (struct
 * nic_block, offsets from the key's memory's start) in front of the bytes; the last piece of a put
 * has a struct nic_wire_end in front of everything. */
struct nic_wire_piece {
    uint16_t source, what;
    uint32_t key;
    uint64_t offset;
    uint64_t hull_offset, hull_bytes;       /* of the whole transfer */
};
static_assert(sizeof(struct nic_wire_piece) == NIC_HW_HEAD_MAX, "wire layout");
static_assert((int)PIECE_BYTES <= (int)WHAT_BYTES && NIC_MAX_RANKS <= 65535,
              "the fields hold what they must");

struct nic_wire_end { uint64_t counter, amount; };
static_assert(sizeof(struct nic_wire_end) == 16, "wire layout");
static_assert(sizeof(struct nic_block) == 16, "wire layout");

/* Head of both replies; the bytes of a get follow if the
 * status is 0.  match: the pending request. */
struct nic_wire_reply { uint32_t source; int32_t status; };
static_assert(sizeof(struct nic_wire_reply) == 8, "wire layout");

/* -- the initiator: pieces */

/* A piece being put together: the cursors behind it, and what it has. */
struct piece {
    struct nic_cursor local, remote;
    uint64_t bytes, offset;
    unsigned blocks;                        /* 0: one run at offset */
    struct nic_block block[BLOCKS_MAX];     /* in front of the bytes of a list */
};

/* Remote runs for the next piece, from the cursor on.  room: for blocks and bytes together. */
static void collect(const struct nic_op *op, struct piece *p, uint64_t room)
{
    const struct nic_shape *s = &op->t.remote_shape;
    uint64_t offset, limit = op->left < room ? op->left : room;
    p->remote = op->remote;
    p->bytes = p->blocks = 0;
    while (p->bytes < limit && p->blocks < BLOCKS_MAX && room > sizeof *p->block) {
        struct nic_cursor at = p->remote;
        uint64_t run = nic_cursor_run(s, &at, &offset);
        run = run < limit - p->bytes ? run : limit - p->bytes;
        if (run >= LONG_RUN && p->blocks)
            break;                          /* travels alone, next time */
        if (run < LONG_RUN)
            run = run < room - sizeof *p->block ? run : room - sizeof *p->block;
        p->block[p->blocks++] = (struct nic_block){ op->t.remote.offset + offset, run };
        nic_cursor_step(s, &at, run);
        p->remote = at;
        p->bytes += run;
        if (run >= LONG_RUN)
            break;
        room -= run + sizeof *p->block;
    }
    p->offset = p->blocks == 1 ? p->block[0].offset : p->blocks;
    p->blocks = p->blocks == 1 ? 0 : p->blocks;
}

static struct nic_wire_piece head_of(const struct nic *n, const struct nic_op *op,
                                     const struct piece *p, unsigned what)
{
    return (struct nic_wire_piece){ .source = (uint16_t)n->rank,
                                    .what = (uint16_t)(what | (p->blocks ? WHAT_LIST : 0)),
                                        .key = op->t.remote.key,
                                    .offset = p->offset, .hull_offset = op->hull_offset,
                                        .hull_bytes = op->hull_bytes };
}

/* The blocks of a list, if it is one. */
static unsigned char *write_blocks(unsigned char *to, const struct piece *p)
{
    memcpy(to, p->block, p->blocks * sizeof *p->block);
    return to + p->blocks * sizeof *p->block;
}

/* So many local bytes from the cursor on, which moves. */
static void gather_local(const struct nic_op *op, struct nic_cursor *c, unsigned char *to,
                         uint64_t bytes)
{
    uint64_t offset;
    while (bytes) {
        uint64_t run = nic_cursor_run(&op->t.local_shape, c, &offset);
        run = run < bytes ? run : bytes;
        memcpy(to, nic_op_local(op, offset), run);
        nic_cursor_step(&op->t.local_shape, c, run);
        to += run;
        bytes -= run;
    }
}

static void scatter_local(const struct nic_op *op, struct nic_cursor *c, const unsigned char *from,
                          uint64_t bytes)
{
    uint64_t offset;
    while (bytes) {
        uint64_t run = nic_cursor_run(&op->t.local_shape, c, &offset);
        run = run < bytes ? run : bytes;
        memcpy(nic_op_local(op, offset), from, run);
        nic_cursor_step(&op->t.local_shape, c, run);
        from += run;
        bytes -= run;
    }
}

static void skip_local(const struct nic_op *op, struct nic_cursor *c, uint64_t bytes)
{
    uint64_t offset;
    while (bytes) {
        uint64_t run = nic_cursor_run(&op->t.local_shape, c, &offset);
        run = run < bytes ? run : bytes;
        nic_cursor_step(&op->t.local_shape, c, run);
        bytes -= run;
    }
}

/* The piece is on its way. */
static void sent(struct nic *n, struct nic_op *op, const struct piece *p)
{
    op->local = p->local;
    op->remote = p->remote;
    op->left -= p->bytes;
    n->counts.path_bytes[NIC_PATH_STAGED] += p->bytes;
    NIC_CHARGE(n, RDMA_BLOCK, p->blocks ? p->blocks : 1);
}

/* What goes behind the head: straight from its place if
 * it lies there in one piece, else gathered. */
static const unsigned char *put_data(struct nic *n, const struct nic_op *op, struct piece *p,
                                     bool last, size_t *bytes)
{
    unsigned char *to = n->remote->out;
    uint64_t offset;
    p->local = op->local;
    *bytes = p->bytes;
    if (!last && !p->blocks && nic_cursor_run(&op->t.local_shape, &p->local, &offset) >= p->bytes) {
        nic_cursor_step(&op->t.local_shape, &p->local, p->bytes);
        return nic_op_local(op, offset);
    }
    if (last) {
        struct nic_wire_end end = { op->t.remote_counter, op->t.remote_amount };
        memcpy(to, &end, sizeof end);
        to += sizeof end;
    }
    to = write_blocks(to, p);
    gather_local(op, &p->local, to, p->bytes);
    *bytes = (size_t)(to - n->remote->out) + p->bytes;
    return n->remote->out;
}

static bool put_piece(struct nic *n, struct nic_op *op)
{
    struct piece p;
    struct nic_pending *pending = NULL;
    size_t bytes;
    collect(op, &p, PIECE_BYTES - sizeof(struct nic_wire_end));
    bool last = p.bytes == op->left;
    if (last && !(pending = nic_pending_new(n, op->t.remote.rank, NIC_HW_PUT_REPLY)))
        return false;
    const unsigned char *data = put_data(n, op, &p, last, &bytes);
    struct nic_wire_piece head = head_of(n, op, &p, last ? WHAT_LAST : 0);
    if (!nic_hw_try_send(n, op->t.remote.rank, NIC_HW_PUT, last ? nic_pending_id(pending) : 0,
                         &head, sizeof head, data, bytes)) {
        if (last)
            nic_pending_free(n, pending);
        return false;
    }
    if (last) {
        pending->owner = op;
        op->in_flight++;
        op->counted = true;
    }
    sent(n, op, &p);
    return true;
}

static bool get_piece(struct nic *n, struct nic_op *op)
{
    struct piece p;
    struct nic_pending *pending = nic_pending_new(n, op->t.remote.rank, NIC_HW_GET_REPLY);
    if (!pending)
        return false;
    collect(op, &p, PIECE_BYTES);
    struct nic_wire_piece head = head_of(n, op, &p, (unsigned)p.bytes);
    if (!nic_hw_try_send(n, op->t.remote.rank, NIC_HW_GET, nic_pending_id(pending), &head,
                         sizeof head, p.block, p.blocks * sizeof *p.block)) {
        nic_pending_free(n, pending);
        return false;
    }
    pending->owner = op;
    pending->word[0] = op->local.block;
    pending->word[1] = op->local.done;
    pending->word[2] = p.bytes;
    p.local = op->local;
    skip_local(op, &p.local, p.bytes);
    op->in_flight++;
    sent(n, op, &p);
    return true;
}

bool nic_staged_advance(struct nic *n, struct nic_op *op)
{
    if (!op->left) {            /* it failed while it stood in the list */
        if (!op->in_flight)
            nic_op_end(n, op);
        return true;
    }
    bool moved = op->put ? put_piece(n, op) : get_piece(n, op);
    if (op->left && (op->put || op->in_flight < WINDOW))
        nic_op_list(n, op);     /* else a reply goes on with it */
    return moved;
}

/* -- the initiator: replies */

/* The request that a reply answers; NULL: dropped. */
static struct nic_pending *answered(struct nic *n, const struct nic_packet *p,
                                    enum nic_hw_type type, struct nic_wire_reply *reply)
{
    struct nic_pending *pending = NULL;
    if (p->head_bytes >= sizeof *reply) {
        memcpy(reply, p->head, sizeof *reply);
        pending = nic_pending_find(n, p->match, reply->source, type);
    }
    if (!pending)
        nic_hw_drop(n);
    return pending;
}

static void request_done(struct nic *n, struct nic_pending *pending, int status)
{
    struct nic_op *op = pending->owner;
    nic_pending_free(n, pending);
    op->in_flight--;
    if (status && !op->status)
        op->status = status;
    if (op->status)
        op->left = 0;           /* the rest of it is not asked for */
    if (op->left)
        nic_op_list(n, op);
    else if (!op->in_flight && !op->listed)
        nic_op_end(n, op);
}

void nic_staged_put_replied(struct nic *n, const struct nic_packet *p)
{
    struct nic_wire_reply reply;
    struct nic_pending *pending = answered(n, p, NIC_HW_PUT_REPLY, &reply);
    if (pending)
        request_done(n, pending, nic_hw_status(reply.status));
}

static void get_landed(struct nic *n, void *cookie) { request_done(n, cookie, 0); }

void nic_staged_get_replied(struct nic *n, const struct nic_packet *p)
{
    struct nic_wire_reply reply;
    struct nic_pending *pending = answered(n, p, NIC_HW_GET_REPLY, &reply);
    if (!pending)
        return;
    uint64_t bytes = pending->word[2], offset;
    if (reply.status || p->length != sizeof reply + bytes) {
        request_done(n, pending, reply.status ? nic_hw_status(reply.status) : -EPROTO);
        return;
    }
    struct nic_op *op = pending->owner;
    struct nic_cursor at = { pending->word[0], pending->word[1] };
    if (nic_cursor_run(&op->t.local_shape, &at, &offset) >= bytes) {
        nic_hw_land(n, p, sizeof reply, nic_op_local(op, offset), get_landed, pending);
    } else if (nic_hw_whole(n, p, nic_staged_get_replied)) {
        scatter_local(op, &at, (const unsigned char *)p->head + sizeof reply, bytes);
        request_done(n, pending, 0);
    }
}

/* -- the target.  Nothing in these packets is believed. */

static bool read_piece(struct nic *n, const struct nic_packet *p, struct nic_wire_piece *w)
{
    if (p->head_bytes < sizeof *w)
        return false;
    memcpy(w, p->head, sizeof *w);
    return w->source < n->ranks;
}

/* Is [offset, + bytes) inside what the transfer spans? */
static bool inside(const struct nic_wire_piece *w, uint64_t offset, uint64_t bytes)
{
    uint64_t from = offset - w->hull_offset;
    return offset >= w->hull_offset && from <= w->hull_bytes && bytes <= w->hull_bytes - from;
}

/* The whole of the transfer is in order; *base: where offset 0 of the key's memory would be. */
static int check_hull(struct nic *n, const struct nic_wire_piece *w, unsigned right,
                      unsigned char **base)
{
    struct nic_address hull = { n->rank, w->key, w->hull_offset };
    void *at;
    NIC_CHARGE(n, TRANSLATE, 1);
    int rc = nic_reach(n, &hull, w->hull_bytes, right, &at);
    if (!rc)
        *base = (unsigned char *)at - w->hull_offset;
    return rc;
}

/* `count` blocks at `from`: inside the transfer's range, and *sum of their bytes. */
static bool blocks_inside(const struct nic_wire_piece *w, const unsigned char *from,
                          uint64_t count, uint64_t *sum)
{
    struct nic_block b;
    *sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(&b, from + i * sizeof b, sizeof b);
        if (!inside(w, b.offset, b.bytes) || (*sum += b.bytes) > NIC_MESSAGE_BYTES_MAX)
            return false;
    }
    return true;
}

/* The bytes of a put, all here: checked, and only then moved. */
static int place(const struct nic_wire_piece *w, unsigned char *base, const unsigned char *from,
                 uint64_t bytes)
{
    struct nic_block b;
    uint64_t sum, table = w->offset * sizeof b;
    if (!(w->what & WHAT_LIST)) {
        if (!inside(w, w->offset, bytes))
            return -ERANGE;
        nic_copy(base + w->offset, from, bytes);
        return 0;
    }
    if (w->offset > BLOCKS_MAX || table > bytes || !blocks_inside(w, from, w->offset, &sum)
        || sum != bytes - table)
        return -ERANGE;
    const unsigned char *data = from + table;
    for (uint64_t i = 0; i < w->offset; i++, data += b.bytes) {
        memcpy(&b, from + i * sizeof b, sizeof b);
        nic_copy(base + b.offset, data, b.bytes);
    }
    return 0;
}

/* A put's last piece: its counter moves behind the bytes, and its initiator is told. */
static void put_last(struct nic *n, const struct nic_packet *p, const struct nic_wire_piece *w,
                     const unsigned char *data, uint64_t bytes)
{
    struct nic_wire_end end;
    struct nic_wire_reply reply = { .source = n->rank, .status = -EPROTO };
    unsigned char *base;
    if (bytes >= sizeof end) {
        memcpy(&end, data, sizeof end);
        reply.status = end.counter == NIC_SPAD_NONE || nic_counter_at(n, n->rank, end.counter)
                       ? check_hull(n, w, NIC_RIGHT_WRITE, &base) : -EINVAL;
        if (!reply.status)
            reply.status = place(w, base, data + sizeof end, bytes - sizeof end);
        if (!reply.status)
            reply.status = nic_counter_add(n, n->rank, end.counter, end.amount);
    }
    if (reply.status)
        nic_hw_drop(n);
    nic_hw_send(n, w->source, NIC_HW_PUT_REPLY, p->match, &reply, sizeof reply, NULL, 0);
}

/* A run of its own goes to its place without a stop. */
static void put_straight(struct nic *n, const struct nic_packet *p, const struct nic_wire_piece *w)
{
    unsigned char *base;
    if (inside(w, w->offset, p->length - sizeof *w) && !check_hull(n, w, NIC_RIGHT_WRITE, &base))
        nic_hw_land(n, p, sizeof *w, base + w->offset, NULL, NULL);
    else
        nic_hw_drop(n);
}

void nic_staged_put_arrived(struct nic *n, const struct nic_packet *p)
{
    struct nic_wire_piece w;
    unsigned char *base;
    if (!read_piece(n, p, &w)) {
        nic_hw_drop(n);
        return;
    }
    if (!(w.what & (WHAT_LIST | WHAT_LAST))) {
        put_straight(n, p, &w);
        return;
    }
    if (!nic_hw_whole(n, p, nic_staged_put_arrived))
        return;
    const unsigned char *data = (const unsigned char *)p->head + sizeof w;
    if (w.what & WHAT_LAST)
        put_last(n, p, &w, data, p->length - sizeof w);
    else if (check_hull(n, &w, NIC_RIGHT_WRITE, &base)
             || place(&w, base, data, p->length - sizeof w))
        nic_hw_drop(n);
}

static void gather_blocks(const unsigned char *base, const unsigned char *blocks, uint64_t count,
                          unsigned char *to)
{
    struct nic_block b;
    for (uint64_t i = 0; i < count; i++, to += b.bytes) {
        memcpy(&b, blocks + i * sizeof b, sizeof b);
        nic_copy(to, base + b.offset, b.bytes);
    }
}

/* Where the bytes of a get are, gathered if they lie apart. */
static int fetch(struct nic *n, const struct nic_packet *p, const struct nic_wire_piece *w,
                 const unsigned char **data)
{
    const unsigned char *blocks = (const unsigned char *)p->head + sizeof *w;
    uint64_t sum, bytes = w->what & WHAT_BYTES;
    unsigned char *base;
    int rc = check_hull(n, w, NIC_RIGHT_READ, &base);
    if (rc)
        return rc;
    if (!(w->what & WHAT_LIST)) {
        if (!inside(w, w->offset, bytes))
            return -ERANGE;
        *data = base + w->offset;
        return 0;
    }
    if (w->offset > BLOCKS_MAX || p->length - sizeof *w != w->offset * sizeof(struct nic_block)
        || !blocks_inside(w, blocks, w->offset, &sum) || sum != bytes)
        return -ERANGE;
    gather_blocks(base, blocks, w->offset, n->remote->out);
    *data = n->remote->out;
    return 0;
}

void nic_staged_get_arrived(struct nic *n, const struct nic_packet *p)
{
    struct nic_wire_piece w;
    const unsigned char *data = NULL;
    if (!read_piece(n, p, &w)) {
        nic_hw_drop(n);
        return;
    }
    if (!nic_hw_whole(n, p, nic_staged_get_arrived))
        return;
    struct nic_wire_reply reply = { .source = n->rank, .status = fetch(n, p, &w, &data) };
    if (reply.status)
        nic_hw_drop(n);
    nic_hw_send(n, w.source, NIC_HW_GET_REPLY, p->match, &reply, sizeof reply, data,
                reply.status ? 0 : w.what & WHAT_BYTES);
}
