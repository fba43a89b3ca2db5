/* The unit that executes command queues: it takes the stream apart, cuts data into messages and
 * starts them as remote operations.
 *
 * Receive side (Underwood, section 3.2 and figure 2): a place is looked up in a table of segments,
 * start and length, which gives the base; here there are two segments per process, its heap and its
 * scratchpad, and the operations of nicemu/remote.h check them.
 *
 * A message that cannot get a buffer stops its queue until another is acknowledged: the queue fills
 * up, and the host waits for free space. */
#include "offload/pgas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/baton.h"
#include "core/model_ops.h"
#include "offload/pgas_state.h"
#include "remote/packets.h"
#include "remote/transfer.h"
#include "nicemu/atomic.h"

enum { MESSAGES = 32, STEPS_PER_TURN = 256 };

/* A modelled unit keeps no message: there are as many as may be on the way. */
enum { UNIT_MESSAGES = 2048 };

typedef int start_fn(struct nic_pgas *q, struct nic_pgas_message *m, unsigned elements);
static start_fn start_put, start_get, start_atomic;

/* elements: most of them in a message, 0: no limit */
struct op { const char *name; start_fn *start; unsigned char bytes, operands, elements; };
static const struct op ops[NIC_PGAS_OP_COUNT] = {
#define START(op) \
    ((op) == NIC_PGAS_PUT ? start_put : (op) == NIC_PGAS_GET ? start_get : start_atomic)
#define OP_ENTRY(name, bytes, operands, elements) \
    [NIC_PGAS_##name] = { #name, START(NIC_PGAS_##name), bytes, operands, elements },
    NIC_PGAS_OPS(OP_ENTRY)
};

uint64_t nic_pgas_plain_bytes(const struct nic_pgas_command *c)
{
    return (uint64_t)c->count * ops[c->op].operands << c->size;
}

static const struct op *op_of(const struct nic_pgas *q) { return &ops[q->c.op]; }
static unsigned element_bytes(const struct nic_pgas *q) { return 1u << q->c.size; }

/* -- messages */

static void fail(struct nic_pgas *q, int status)
{
    q->counts.failures++;
    if (!q->error)
        q->error = status;
}

/* The acknowledgment. */
static void acknowledged(void *context, int status)
{
    struct nic_pgas_message *m = context;
    struct nic_pgas *q = m->queue;
    if (status)
        fail(q, status);
    else if (unlikely(q->nic->model_ops != NULL) && m->target != q->nic->rank)
        q->nic->model_ops->explain_answer(q->nic, m->target, m->bytes, m->how);
    if (unlikely(q->nic->model_ops != NULL))
        q->answered = nic_moment(q->nic);
    q->counts.outstanding--;
    m->next = q->free;
    q->free = m;
}

static struct nic_pgas_message *message_new(struct nic_pgas *q)
{
    struct nic_pgas_message *m = q->free;
    if (m) {
        q->free = m->next;
        m->filled = 0;
        m->outcome = (struct nic_outcome){ .done = acknowledged, .context = m };
    }
    return m;
}

static struct nic_address address_of(unsigned rank, uint64_t place)
{
    bool spad = place >= NIC_PGAS_SCRATCHPAD;
    return (struct nic_address){ rank, spad ? NIC_KEY_SCRATCHPAD : NIC_KEY_HEAP,
                                 spad ? place - NIC_PGAS_SCRATCHPAD : place };
}

static struct nic_transfer transfer_of(const struct nic_pgas *q, void *local, unsigned elements)
{
    uint64_t size = element_bytes(q);
    struct nic_transfer t = nic_transfer_of(local, q->target, elements * size);
    if (q->c.stride != 1)
        t.remote_shape = (struct nic_shape){ size, (int64_t)(q->c.stride * size), elements, NULL };
    return t;
}

static int start_put(struct nic_pgas *q, struct nic_pgas_message *m, unsigned elements)
{
    struct nic_transfer t = transfer_of(q, m->data, elements);
    return nic_put(q->nic, &t, &m->outcome);
}

static int start_get(struct nic_pgas *q, struct nic_pgas_message *m, unsigned elements)
{
    struct nic_transfer t = transfer_of(q, q->local, elements);
    return nic_get(q->nic, &t, &m->outcome);
}

static uint64_t operand(const struct nic_pgas *q, const struct nic_pgas_message *m, unsigned i)
{
    uint32_t half;
    uint64_t word;
    if (q->c.size == 3) {
        memcpy(&word, m->data + i * sizeof word, sizeof word);
        return word;
    }
    memcpy(&half, m->data + i * sizeof half, sizeof half);
    return half;
}

static int start_atomic(struct nic_pgas *q, struct nic_pgas_message *m, unsigned elements)
{
    static const enum nic_atomic_op atomic_ops[NIC_PGAS_OP_COUNT] = {
        [NIC_PGAS_ADD] = NIC_ATOMIC_ADD, [NIC_PGAS_AND] = NIC_ATOMIC_AND,
            [NIC_PGAS_OR] = NIC_ATOMIC_OR, [NIC_PGAS_XOR] = NIC_ATOMIC_XOR,
        [NIC_PGAS_FETCH_ADD] = NIC_ATOMIC_ADD, [NIC_PGAS_SWAP] = NIC_ATOMIC_WRITE,
            [NIC_PGAS_COMPARE_SWAP] = NIC_ATOMIC_COMPARE,
    };
    (void)elements;     /* one at a time */
    struct nic_atomic a = { .op = atomic_ops[q->c.op],
                            .type = q->c.size == 3 ? NIC_ATOMIC_UINT64 : NIC_ATOMIC_UINT32,
                            .target = q->target, .operand = operand(q, m, 0), .result = q->local,
                                .counter = NIC_SPAD_NONE };
    if (op_of(q)->operands > 1)
        a.compare = operand(q, m, 1);
    return nic_atomic(q->nic, &a, &m->outcome);
}

/* Goes on to what of the command is left behind these elements. */
static void advance_places(struct nic_pgas *q, unsigned elements)
{
    uint64_t size = element_bytes(q);
    q->left -= elements;
    q->target.offset += elements * q->c.stride * size;
    if (q->local)
        q->local += elements * size;
}

/* A unit starts it at once, and all that was listed before. */
static int start_by_unit(struct nic_pgas *q, struct nic_pgas_message *m, unsigned elements,
                         const struct nic_pgas_unit_ops *unit)
{
    struct nic *n = q->nic;
    uint64_t moves = op_of(q)->operands ? (uint64_t)elements << q->c.size : 0;
    uint64_t fill = elements == q->left ? q->data_left : 0;
    unit->begin(n, q->taken + fill, moves);
    q->taken = 0;
    int rc = op_of(q)->start(q, m, elements);
    while (n->remote->ops && nic_transfers_advance(n))
        ;
    unit->end(n);
    return rc;
}

static void describe(const struct nic_pgas *q, struct nic_pgas_message *m, unsigned elements)
{
    static const char *const names[NIC_PGAS_OP_COUNT] = {
        [NIC_PGAS_PUT] = "queue put", [NIC_PGAS_GET] = "queue get", [NIC_PGAS_ADD] = "queue add",
        [NIC_PGAS_AND] = "queue and", [NIC_PGAS_OR] = "queue or", [NIC_PGAS_XOR] = "queue xor",
        [NIC_PGAS_FETCH_ADD] = "queue fetch and add", [NIC_PGAS_SWAP] = "queue swap",
        [NIC_PGAS_COMPARE_SWAP] = "queue compare and swap",
    };
    m->how = names[q->c.op];
    m->target = q->target.rank;
    m->bytes = (uint64_t)elements << q->c.size;
}

static void join_way(struct nic_pgas *q)
{
    if (unlikely(q->current != 0))
        q->nic->model_ops->join_way(q->nic, &q->current);
}

/* What cannot be started is acknowledged at once. */
static void start(struct nic_pgas *q, struct nic_pgas_message *m, unsigned elements)
{
    const struct nic_pgas_unit_ops *unit = nic_pgas_unit_of(q->nic);
    const bool goes_on = q->current && elements < q->left;
    q->counts.messages++;
    q->counts.outstanding++;
    if (unlikely(q->nic->model_ops != NULL))
        describe(q, m, elements);
    join_way(q);
    int rc = unlikely(unit) ? start_by_unit(q, m, elements, unit)
             : op_of(q)->start(q, m, elements);
    if (rc)
        acknowledged(m, rc);
    advance_places(q, elements);
    if (unlikely(goes_on))
        q->current = q->nic->model_ops->keep_way(q->nic);
}

/* -- phases: each does one thing and returns true, or false if it has to wait */

static void begin_command(struct nic_pgas *q)
{
    q->phase = NIC_PGAS_AT_COMMAND;
    q->head_bytes = 0;
    q->taken = 0;
}

/* Commands to a process that does not exist, or with a place of
 * their own that does not, have their data skipped. */
static int check(struct nic_pgas *q)
{
    const struct nic_pgas_command *c = &q->c;
    q->local = NULL;
    if (c->nid || c->pid >= q->nic->ranks)
        return -EINVAL;
    if (op_of(q)->bytes == 16)
        return 0;
    struct nic_address own = address_of(q->nic->rank, c->local);
    q->local = nic_resolve(q->nic, &own, (uint64_t)c->count << c->size, NIC_RIGHT_WRITE);
    return q->local ? 0 : -ERANGE;
}

static void execute(struct nic_pgas *q)
{
    int rc = check(q);
    uint32_t *way = nic_pgas_way_of(q, q->counts.commands++);
    if (unlikely(q->nic->model_ops != NULL)) {
        q->current = *way;
        *way = 0;
    }
    if (!nic_pgas_unit_of(q->nic))
        NIC_CHARGE(q->nic, PGAS_COMMAND, 1);
    q->data_left = nic_pgas_data_bytes(&q->c);
    q->left = q->c.count;
    q->target = address_of(q->c.pid, q->c.address);
    q->refused = rc;
    if (rc) {
        fail(q, rc);
        join_way(q);
    }
    q->phase = rc ? NIC_PGAS_AT_SKIP
               : op_of(q)->operands ? NIC_PGAS_AT_OPERANDS : NIC_PGAS_AT_START;
}

/* No message is made of what has been taken. */
static void drop_taken(struct nic_pgas *q)
{
    const struct nic_pgas_unit_ops *unit = nic_pgas_unit_of(q->nic);
    if (unit)
        unit->dropped(q->nic, q->taken);
    q->taken = 0;
}

static void consume(struct nic_pgas *q, size_t bytes)
{
    bool told = nic_pgas_consume(&q->r, bytes);
    q->taken += bytes;
    if (told && !nic_pgas_unit_of(q->nic))
        NIC_CHARGE(q->nic, PGAS_UPDATE, 1);
}

/* Moves bytes of the queue to `to`, at most `want`. */
static size_t take(struct nic_pgas *q, void *to, size_t want)
{
    const unsigned char *bytes;
    size_t n = nic_pgas_peek(&q->r, &bytes);
    n = n < want ? n : want;
    memcpy(to, bytes, n);
    consume(q, n);
    return n;
}

static bool on_command(struct nic_pgas *q)
{
    size_t want = q->head_bytes < 16 ? 16 : NIC_PGAS_COMMAND_BYTES,
        n = take(q, q->head + q->head_bytes, want - q->head_bytes);
    if (!n)
        return false;
    q->head_bytes += (unsigned)n;
    if (q->head_bytes < 16)
        return true;
    size_t whole = nic_pgas_command_bytes(q->head);
    if (whole > q->head_bytes)
        return true;
    if (whole && !nic_pgas_decode(q->head, &q->c)) {
        execute(q);
        return true;
    }
    q->counts.garbage++;
    q->phase = NIC_PGAS_AT_LOST;
    return true;
}

static bool on_lost(struct nic_pgas *q)
{
    uint64_t updates = q->r.updates;
    bool found = nic_pgas_seek_command(&q->r);
    NIC_CHARGE(q->nic, PGAS_UPDATE, q->r.updates - updates);
    drop_taken(q);
    if (found)
        begin_command(q);
    return found;
}

static bool on_operands(struct nic_pgas *q)
{
    const struct op *op = op_of(q);
    unsigned each = op->operands << q->c.size, most = op->elements ? op->elements
                    : NIC_PGAS_MESSAGE_BYTES / each, n = q->left < most ? q->left : most;
    if (!q->filling && !(q->filling = message_new(q)))
        return false;
    struct nic_pgas_message *m = q->filling;
    size_t got = take(q, m->data + m->filled, n * each - m->filled);
    m->filled += (unsigned)got;
    q->data_left -= got;
    if (m->filled < n * each)
        return got;
    q->filling = NULL;
    start(q, m, n);
    if (!q->left)
        q->phase = NIC_PGAS_AT_SKIP;
    return true;
}

static bool on_start(struct nic_pgas *q)
{
    struct nic_pgas_message *m = message_new(q);
    if (!m)
        return false;
    start(q, m, q->left);
    begin_command(q);
    return true;
}

static bool on_skip(struct nic_pgas *q)
{
    const unsigned char *bytes;
    size_t n = nic_pgas_peek(&q->r, &bytes);
    n = n < q->data_left ? n : q->data_left;
    consume(q, n);
    if (q->data_left -= n)
        return n;
    if (q->refused)
        drop_taken(q);
    begin_command(q);
    return true;
}

static bool (*const phases[NIC_PGAS_PHASES])(struct nic_pgas *q) = {
    [NIC_PGAS_AT_COMMAND] = on_command, [NIC_PGAS_AT_OPERANDS] = on_operands,
    [NIC_PGAS_AT_START] = on_start, [NIC_PGAS_AT_SKIP] = on_skip, [NIC_PGAS_AT_LOST] = on_lost,
};

/* On the model clock an operation that a host starts may handle events first, among them a turn of
 * this unit, in the middle of a command. */
static bool advance_one(struct nic_pgas *q)
{
    unsigned steps = 0;
    q->advancing = true;
    while (steps < STEPS_PER_TURN && phases[q->phase](q))
        steps++;
    q->advancing = false;
    return steps > 0;
}

bool nic_pgas_advance(struct nic *n)
{
    bool moved = false;
    for (struct nic_pgas *q = n->pgas; q; q = q->next)
        if (!q->advancing)
            moved |= advance_one(q);
    return moved;
}

bool nic_pgas_pending(const struct nic *n)
{
    const unsigned char *bytes;
    for (struct nic_pgas *q = n->pgas; q; q = q->next)
        if (nic_pgas_peek(&q->r, &bytes))
            return true;
    return false;
}

/* -- life */

static int open_held(struct nic *n, struct nic_pgas *q)
{
    q->area = nic_spad_alloc(n, NIC_SPAD_QUEUES, NIC_PGAS_BYTES, NIC_PGAS_LINE_BYTES);
    if (q->area == NIC_SPAD_NONE)
        return -ENOMEM;
    nic_pgas_ring_init(&q->w, &q->r, nic_spad_at(n, n->rank, q->area, NIC_PGAS_BYTES));
    q->w.one_update = n->clock != NULL;
    q->next = n->pgas;
    n->pgas = q;
    nic_hold_service(n, 1);
    return 0;
}

static void delete(struct nic_pgas *q)
{
    free(q->pool);
    free(q);
}

int nic_pgas_open(struct nic *n, struct nic_pgas **queue)
{
    struct nic_pgas *q = aligned_alloc(64, (sizeof *q + 63) & ~(size_t)63);
    if (!q)
        return -ENOMEM;
    memset(q, 0, sizeof *q);
    q->nic = n;
    unsigned messages = nic_pgas_unit_of(n) ? UNIT_MESSAGES : MESSAGES;
    if (!(q->pool = malloc(messages * sizeof *q->pool))) {
        free(q);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < messages; i++) {
        q->pool[i].queue = q;
        q->pool[i].next = q->free;
        q->free = &q->pool[i];
    }
    nic_enter(n);
    int rc = open_held(n, q);
    nic_leave(n);
    if (rc)
        delete(q);
    else
        *queue = q;
    return rc;
}

static void unlist(struct nic_pgas *q)
{
    struct nic_pgas **link = &q->nic->pgas;
    while (*link != q)
        link = &(*link)->next;
    *link = q->next;
    nic_spad_free(q->nic, q->area);
}

void nic_pgas_end(struct nic_pgas *q)
{
    struct nic *n = q->nic;
    nic_enter(n);
    unlist(q);
    nic_hold_service(n, -1);
    nic_leave(n);
    delete(q);
}

/* Nobody executes anything any more. */
void nic_pgas_delete(struct nic *n)
{
    while (n->pgas) {
        struct nic_pgas *q = n->pgas;
        unlist(q);
        delete(q);
    }
}
