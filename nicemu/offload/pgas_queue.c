/* The command queue's ring, and the commands' bits. */
#include "offload/pgas_ring.h"

#include <errno.h>
#include <string.h>

/* -- writer */

void nic_pgas_ring_init(struct nic_pgas_writer *w, struct nic_pgas_reader *r,
                        struct nic_pgas_line *ring)
{
    for (unsigned i = 0; i < NIC_PGAS_LINES; i++)
        atomic_store_explicit(&ring[i].stamp, 0, memory_order_relaxed);
    memset(r, 0, sizeof *r);
    *w = (struct nic_pgas_writer){ .ring = ring, .space = &r->space, .first = NIC_PGAS_NO_COMMAND };
    r->ring = ring;
}

/* A new line may be written if the line before it in its place is free.  The word is read only when
 * what is known is used up. */
static bool may_begin(struct nic_pgas_writer *w)
{
    if (w->line - w->freed < NIC_PGAS_LINES)
        return true;
    uint64_t space = atomic_load_explicit(w->space, memory_order_acquire);      /* P3 */
    if (w->one_update && space == w->freed)
        return false;       /* the wait is what takes time there, not the looks */
    w->freed = w->one_update ? w->freed + NIC_PGAS_UPDATE_LINES : space;
    w->space_reads++;
    return w->line - w->freed < NIC_PGAS_LINES;
}

void nic_pgas_publish(struct nic_pgas_writer *w)
{
    struct nic_pgas_line *l = &w->ring[w->line % NIC_PGAS_LINES];
    if (w->published == w->filled)
        return;
    memcpy(l->data + w->published, w->data + w->published, w->filled - w->published);
    /* P0 */
    atomic_store_explicit(&l->stamp, (w->line + 1) << 16 | w->first << 8 | w->filled,
                          memory_order_release);
    w->published = w->filled;
    w->lines++;
}

static void next_line(struct nic_pgas_writer *w)
{
    nic_pgas_publish(w);
    w->line++;
    w->filled = w->published = 0;
    w->first = NIC_PGAS_NO_COMMAND;
}

size_t nic_pgas_append(struct nic_pgas_writer *w, const void *bytes, size_t size, bool command)
{
    size_t done = 0;
    while (done < size && (w->filled || may_begin(w))) {
        size_t room = NIC_PGAS_LINE_DATA - w->filled, n = size - done < room ? size - done : room;
        if (command && w->first == NIC_PGAS_NO_COMMAND)
            w->first = w->filled;
        command = false;
        memcpy(w->data + w->filled, (const unsigned char *)bytes + done, n);
        w->filled += (unsigned)n;
        done += n;
        if (w->filled == NIC_PGAS_LINE_DATA)
            next_line(w);
    }
    return done;
}

size_t nic_pgas_writer_room(const struct nic_pgas_writer *w)
{
    uint64_t freed = atomic_load_explicit(w->space, memory_order_acquire);      /* P3 */
    return (size_t)(NIC_PGAS_LINES - (w->line - freed)) * NIC_PGAS_LINE_DATA - w->filled;
}

/* -- reader */

static uint64_t stamp_of(const struct nic_pgas_reader *r)
{
    /* P1 */
    uint64_t stamp = atomic_load_explicit(&r->ring[r->line % NIC_PGAS_LINES].stamp,
                                          memory_order_acquire);
    return stamp >> 16 == r->line + 1 ? stamp : 0;
}

/* What a damaged stamp claims beyond the line is not there. */
static unsigned filled_of(uint64_t stamp)
{
    return (stamp & 255) <= NIC_PGAS_LINE_DATA ? stamp & 255 : NIC_PGAS_LINE_DATA;
}

size_t nic_pgas_peek(struct nic_pgas_reader *r, const unsigned char **bytes)
{
    unsigned filled = filled_of(stamp_of(r));
    *bytes = r->ring[r->line % NIC_PGAS_LINES].data + r->used;
    return filled > r->used ? filled - r->used : 0;
}

bool nic_pgas_consume(struct nic_pgas_reader *r, size_t bytes)
{
    r->used += (unsigned)bytes;
    if (r->used < NIC_PGAS_LINE_DATA)
        return false;
    r->used = 0;
    r->line++;
    if (r->line % NIC_PGAS_UPDATE_LINES)
        return false;
    atomic_store_explicit(&r->space, r->line, memory_order_release);    /* P2 */
    r->updates++;
    return true;
}

bool nic_pgas_seek_command(struct nic_pgas_reader *r)
{
    const unsigned char *bytes;
    for (size_t n; (n = nic_pgas_peek(r, &bytes));) {
        unsigned first = stamp_of(r) >> 8 & 255;
        if (first >= r->used && first < r->used + n) {
            nic_pgas_consume(r, first - r->used);
            return true;
        }
        nic_pgas_consume(r, n);
    }
    return false;
}

/* -- commands: two words of 64 bits, of which the first has 7 and the second 4 bits to spare, which
 * are 0, and half a word for commands of 20 bytes; the upper 6 bits of the local place stand in the
 * second word */

enum { SIZES = 8, COMMAND_LONG = 20 };

static const unsigned char bytes_of_op[32] = {
#define OP_BYTES(name, bytes, operands, integer) [NIC_PGAS_##name] = bytes,
    NIC_PGAS_OPS(OP_BYTES)
};
static const bool integers_only[32] = {
#define OP_INTEGER(name, bytes, operands, integer) [NIC_PGAS_##name] = integer,
    NIC_PGAS_OPS(OP_INTEGER)
};
static_assert(NIC_PGAS_OP_COUNT <= 32, "5 bits");

static bool is_sound(const struct nic_pgas_command *c)
{
    return c->op < 32 && bytes_of_op[c->op] && c->size < SIZES && c->count
           && c->count <= UINT16_MAX && c->nid <= UINT16_MAX && c->pid <= UINT16_MAX
           && c->address < NIC_PGAS_PLACES && c->stride <= UINT16_MAX
               && (!integers_only[c->op] || c->size == 2 || c->size == 3)
           && c->local < NIC_PGAS_PLACES && (bytes_of_op[c->op] == COMMAND_LONG || !c->local);
}

size_t nic_pgas_encode(const struct nic_pgas_command *c, unsigned char *bytes)
{
    if (!is_sound(c))
        return 0;
    uint64_t word[3] = {
        (uint64_t)c->op | (uint64_t)c->size << 5 | (uint64_t)c->count << 9 | (uint64_t)c->nid << 25
            | (uint64_t)c->pid << 41,
        c->address | (uint64_t)c->stride << 38 | c->local >> 32 << 54,
        c->local & UINT32_MAX,
    };
    size_t n = bytes_of_op[c->op] == COMMAND_LONG ? 24 : 16;
    memcpy(bytes, word, n);
    return n;
}

static void unpack(const uint64_t *word, struct nic_pgas_command *c)
{
    *c = (struct nic_pgas_command){
        .op = word[0] & 31, .size = word[0] >> 5 & 15, .count = word[0] >> 9 & 0xffff,
            .nid = word[0] >> 25 & 0xffff, .pid = word[0] >> 41 & 0xffff,
        .address = word[1] & (NIC_PGAS_PLACES - 1), .stride = word[1] >> 38 & 0xffff,
            .local = (word[1] >> 54 & 63) << 32,
    };
}

size_t nic_pgas_command_bytes(const unsigned char *bytes)
{
    struct nic_pgas_command c;
    uint64_t word[2];
    memcpy(word, bytes, sizeof word);
    unpack(word, &c);
    if (!is_sound(&c) || word[0] >> 57 || word[1] >> 60)
        return 0;
    return bytes_of_op[c.op] == COMMAND_LONG ? 24 : 16;
}

int nic_pgas_decode(const unsigned char *bytes, struct nic_pgas_command *c)
{
    uint64_t word[3] = { 0 };
    size_t n = nic_pgas_command_bytes(bytes);
    if (!n)
        return -EINVAL;
    memcpy(word, bytes, n);
    if (word[2] >> 32)
        return -EINVAL;
    unpack(word, c);
    c->local |= word[2];
    return 0;
}
