/* The host's side of a command queue: it writes commands, waits for room and for the end. */
#include <errno.h>

#include "core/baton.h"
#include "offload/pgas.h"
#include "offload/pgas_state.h"

static const char *note(void *argument, char *text, size_t size)
{
    (void)argument, (void)text, (void)size;
    return "a one-sided command queue";
}

/* The NIC thread sleeps only after a look at the count of departures, which is moved here first:
 * one of us sees the other. */
static void wake_thread(struct nic *n)
{
    if (n->progress != NIC_PROGRESS_AUTO)
        return;
    atomic_fetch_add(&n->departures, 1);
    if (atomic_load(&n->thread_asleep))
        nic_doorbell_ring(n->own, NIC_BELL_THREAD);
}

/* Modelled, and the NIC's processor executes commands: in the host's calls and by turns. */
static bool is_by_processor(const struct nic_pgas *q)
{
    return unlikely(q->nic->clock != NULL) && !nic_pgas_unit_of(q->nic);
}

/* On the model clock older turns of this unit come before what the host writes now, and find
 * nothing of it.  Ended by written(). */
static void begin_writing(struct nic_pgas *q)
{
    if (is_by_processor(q))
        q->advancing = true;
}

/* The host's call ends, or waits, and what it wrote last has not been executed, or not all. */
static void keep_way(struct nic_pgas *q)
{
    if ((q->phase == NIC_PGAS_AT_OPERANDS || q->phase == NIC_PGAS_AT_START) && !q->current)
        q->current = q->nic->model_ops->keep_way(q->nic);
    if (q->counts.commands < q->commands && !*nic_pgas_way_of(q, q->commands - 1))
        *nic_pgas_way_of(q, q->commands - 1) = q->nic->model_ops->keep_way(q->nic);
}

/* Who writes to a modelled unit has the baton already. */
static void wait_for_room(struct nic_pgas *q)
{
    struct nic_wait w = { .note = note };
    const bool inside = nic_pgas_unit_of(q->nic);
    if (!inside)
        nic_enter(q->nic);
    if (is_by_processor(q)) {
        nic_catch_up(q->nic);
        q->advancing = false;
    }
    if (unlikely(q->nic->clock != NULL))
        keep_way(q);
    while (!nic_pgas_writer_room(&q->w))
        nic_wait_turn(q->nic, &w);
    begin_writing(q);
    if (!inside)
        nic_leave(q->nic);
}

static void append(struct nic_pgas *q, const void *bytes, size_t size, bool command)
{
    const unsigned char *p = bytes;
    for (size_t n; (n = nic_pgas_append(&q->w, p, size, command)) < size;) {
        p += n;
        size -= n;
        command &= !n;
        wait_for_room(q);
    }
}

/* What the writer did since `lines` and `reads` is charged;
 * on the live clock the NIC thread hears of it. */
static void written(struct nic_pgas *q, uint64_t lines, uint64_t reads, unsigned commands)
{
    struct nic *n = q->nic;
    if (likely(!n->clock)) {
        if (q->w.lines != lines)
            wake_thread(n);
        return;
    }
    nic_enter(n);
    if (is_by_processor(q)) {
        nic_clock_charge_host(n->clock, NIC_COST_PGAS_ISSUE, commands);
        nic_clock_charge_host(n->clock, NIC_COST_PGAS_SPACE, q->w.space_reads - reads);
        if (q->w.lines != lines || nic_pgas_pending(n))
            nic_catch_up(n);
        if (q->w.lines != lines)
            NIC_CHARGE(n, PGAS_LINE, q->w.lines - lines);
        q->advancing = false;
    }
    nic_pgas_advance(n);
    keep_way(q);
    nic_leave(n);
}

/* What a unit gets, in a visit of the host: a message after the other, each by itself in time, when
 * there is room. */
static void write_to_unit(struct nic_pgas *q, const unsigned char *head, size_t head_bytes,
                          const unsigned char *data, uint64_t bytes)
{
    static const unsigned char zeroes[8];
    struct nic *n = q->nic;
    q->commands++;
    nic_enter(n);
    do {
        uint64_t piece = bytes < NIC_PGAS_MESSAGE_BYTES ? bytes : NIC_PGAS_MESSAGE_BYTES;
        uint64_t fill = -piece & 7;
        nic_pgas_unit_of(n)->written(n, head_bytes != 0, piece, head_bytes + piece + fill);
        append(q, head, head_bytes, head_bytes != 0);
        if (piece)
            append(q, data, piece, false);
        append(q, zeroes, fill, false);
        nic_pgas_publish(&q->w);
        nic_pgas_advance(n);
        keep_way(q);
        head_bytes = 0;
        data += piece;
        bytes -= piece;
    } while (bytes);
    nic_leave(n);
}

static void write_raw_to_unit(struct nic_pgas *q, const void *bytes, size_t size, bool command)
{
    struct nic *n = q->nic;
    nic_enter(n);
    append(q, bytes, size, command);
    nic_pgas_unit_of(n)->written(n, command, 0, size);
    nic_pgas_advance(n);
    keep_way(q);
    nic_leave(n);
}

int nic_pgas_write(struct nic_pgas *q, const struct nic_pgas_command *c, const void *data)
{
    static const unsigned char zeroes[8];
    unsigned char head[NIC_PGAS_COMMAND_BYTES];
    size_t head_bytes = nic_pgas_encode(c, head);
    uint64_t lines = q->w.lines, reads = q->w.space_reads,
        bytes = head_bytes ? nic_pgas_plain_bytes(c) : 0;
    if (!head_bytes || (bytes && !data))
        return -EINVAL;
    if (unlikely(nic_pgas_unit_of(q->nic) != NULL)) {
        write_to_unit(q, head, head_bytes, data, bytes);
        return 0;
    }
    begin_writing(q);
    q->commands++;
    append(q, head, head_bytes, true);
    if (bytes)
        append(q, data, bytes, false);
    append(q, zeroes, nic_pgas_data_bytes(c) - bytes, false);
    written(q, lines, reads, 1);
    return 0;
}

int nic_pgas_write_raw(struct nic_pgas *q, const void *bytes, size_t size, int command)
{
    if (size % 8)
        return -EINVAL;
    uint64_t lines = q->w.lines, reads = q->w.space_reads;
    q->commands += command != 0;
    if (unlikely(nic_pgas_unit_of(q->nic) != NULL)) {
        write_raw_to_unit(q, bytes, size, command);
        return 0;
    }
    begin_writing(q);
    append(q, bytes, size, command);
    written(q, lines, reads, 0);
    return 0;
}

void nic_pgas_flush(struct nic_pgas *q)
{
    uint64_t lines = q->w.lines;
    begin_writing(q);
    nic_pgas_publish(&q->w);
    written(q, lines, q->w.space_reads, 0);
}

/* The code of an element's size, and one that is refused for what is no power of two. */
static unsigned size_code(unsigned bytes)
{
    return bytes && !(bytes & (bytes - 1)) ? (unsigned)__builtin_ctz(bytes) : UINT32_MAX;
}

int nic_pgas_put(struct nic_pgas *q, unsigned rank, uint64_t place, const void *data,
                 unsigned size, unsigned count)
{
    struct nic_pgas_command c = { .op = NIC_PGAS_PUT, .size = size_code(size), .count = count,
                                  .pid = rank, .address = place, .stride = 1 };
    return nic_pgas_write(q, &c, data);
}

int nic_pgas_get(struct nic_pgas *q, uint64_t local, unsigned rank, uint64_t place, unsigned size,
                 unsigned count)
{
    struct nic_pgas_command c = { .op = NIC_PGAS_GET, .size = size_code(size), .count = count,
                                  .pid = rank, .address = place, .stride = 1,
                                  .local = local };
    return nic_pgas_write(q, &c, NULL);
}

/* A command that is not complete, which only raw bytes can be, is not waited for. */
static bool is_quiet(const struct nic_pgas *q)
{
    return nic_pgas_drained(&q->w, &q->r) && !q->counts.outstanding
           && q->phase != NIC_PGAS_AT_START;
}

int nic_pgas_quiet(struct nic_pgas *q)
{
    struct nic_wait w = { .note = note };
    nic_pgas_flush(q);
    nic_enter(q->nic);
    while (!is_quiet(q))
        nic_wait_turn(q->nic, &w);
    if (is_by_processor(q))
        q->nic->model_ops->host_from(q->nic, q->answered);
    int error = q->error;
    q->error = 0;
    nic_leave(q->nic);
    return error;
}

void nic_pgas_close(struct nic_pgas *q)
{
    nic_pgas_quiet(q);
    nic_pgas_end(q);
}

size_t nic_pgas_room(const struct nic_pgas *q) { return nic_pgas_writer_room(&q->w); }

void nic_pgas_counted(struct nic_pgas *q, struct nic_pgas_counts *counts)
{
    nic_enter(q->nic);
    *counts = q->counts;
    counts->updates = q->r.updates;
    nic_leave(q->nic);
    counts->lines = q->w.lines;
    counts->space_reads = q->w.space_reads;
}

