/* The posted and the unexpected queue: first match in order of posting, or of arrival, wins. */
#include "ring.h"

static_assert((int)FW_EAGER_TYPE == (int)FW_PACKET_EAGER, "the short way sends eager packets");

static inline void prepare(struct fw_req *r)
{
    r->error = FW_OK;
    r->cancelled = r->detached = r->inside = false;
    r->count = 0;
    r->protocol = NULL;
}

static void start_send(struct fw *fw, struct fw_req *r)
{
    if (r->bytes <= fw->eager_max)
        mpi_fw_start_eager(fw, r);
    else
        mpi_fw_start_rndv(fw, r);
}

static struct fw_message *message_at(const struct fw *fw, uint32_t index) { return fw_slab_at(&fw->messages, index); }

/* `modelled` is a constant where this is used, so that the live clock does not ask.  On the model clock an empty queue is searched too. */
static inline bool take_unexpected(struct fw *fw, const struct fw_req *recv, bool modelled, uint32_t *index)
{
    return modelled ? nic_list_match(fw->unexpected.list, recv->match, recv->mask, index)
                    : nic_alpu_match(fw->unexpected.store, recv->match, recv->mask, index, NULL);
}

static inline int append_posted(struct fw *fw, const struct fw_req *recv, bool modelled)
{
    return modelled ? nic_list_append(fw->posted.list, recv->match, recv->mask, recv->index)
                    : nic_alpu_append(fw->posted.store, recv->match, recv->mask, recv->index);
}

/* The first unexpected message that it matches and that nobody has withdrawn; NULL: none. */
static inline struct fw_message *match_unexpected(struct fw *fw, const struct fw_req *recv, bool modelled)
{
    uint32_t index;
    FW_COUNT_DEPTH(fw, unexpected, fw->front.arrived);
    while (take_unexpected(fw, recv, modelled, &index)) {
        struct fw_message *m = message_at(fw, index);
        fw->front.arrived--;
        if (m->type == FW_PACKET_EAGER || __builtin_expect(mpi_fw_message_take(fw, m), 1))
            return m;
        mpi_fw_message_drop(fw, m);
    }
    return NULL;
}

static inline void post_receive(struct fw *fw, struct fw_req *recv, bool modelled)
{
    if (modelled || __builtin_expect(fw->front.arrived != 0, 0)) {
        struct fw_message *m = match_unexpected(fw, recv, modelled);
        if (m) {
            mpi_fw_deliver_message(fw, m, recv);
            return;
        }
    }
    if (append_posted(fw, recv, modelled)) {
        recv->error = FW_NO_MEMORY;
        mpi_fw_complete(fw, recv);
        return;
    }
    FW_HIGH_WATER(fw, posted_queue, ++fw->front.waiting);
    if (recv->bytes > fw->eager_max)
        mpi_fw_serve(fw, recv);
}

static inline void begin(struct fw *fw, struct fw_req *r)
{
    if (r->object.kind == FW_RECV) {
        post_receive(fw, r, false);
    } else {
        fw->sends++;
        start_send(fw, r);
    }
}

void mpi_fw_begin_modelled(struct fw *fw, struct fw_req *r)
{
    if (r->object.kind == FW_RECV)
        post_receive(fw, r, true);
    else
        start_send(fw, r);
}

/* The NIC begins when the command has crossed the bus; a send counts from here on. */
static __attribute__((noinline)) void submit(struct fw *fw, struct fw_req *r)
{
    fw->sends += r->object.kind == FW_SEND;
    nic_work(fw->nic, r->object.kind == FW_SEND ? NIC_WORK_SEND_BEFORE : NIC_WORK_RECV_BEFORE);
    nic_submit(fw->nic, &(struct nic_command){ .op = FW_COMMAND_BEGIN, .object = r });
}

void mpi_fw_start(struct fw *fw, struct fw_req *r)
{
    prepare(r);
    if (__builtin_expect(fw->modelled, 0))
        submit(fw, r);
    else
        begin(fw, r);
}

void mpi_fw_start_inside(struct fw *fw, struct fw_req *r)
{
    prepare(r);
    r->inside = true;
    if (__builtin_expect(!fw->modelled, 1)) {
        begin(fw, r);
        return;
    }
    fw->sends += r->object.kind == FW_SEND;
    mpi_fw_begin_modelled(fw, r);
}

void mpi_fw_unexpected_remove(struct fw *fw, const struct fw_message *m)
{
    if (fw->modelled)
        nic_list_remove(fw->unexpected.list, m->index);
    else
        nic_alpu_remove(fw->unexpected.store, m->index);
    fw->front.arrived--;
}

static bool is_from(const struct fw_message *m, uint64_t match, uint32_t source, uint64_t request)
{
    if (m->object.kind != FW_MESSAGE || m->extracted || m->match != match)
        return false;
    return m->type == FW_PACKET_RTS ? m->rts.source == source && m->rts.request == request
           : m->type == FW_PACKET_SYNC && m->origin.source == source && m->origin.request == request;
}

/* From the place of the one before, ever further to both sides: many are withdrawn in order. */
static struct fw_message *search(struct fw *fw, uint64_t match, uint32_t source, uint64_t request)
{
    uint32_t used = fw->messages.used, near = fw->withdrawn_near;
    for (uint32_t i = 0; i < 2 * used; i++) {
        uint32_t at = i % 2 ? near - (i / 2 + 1) : near + i / 2;    /* may be beyond either end */
        struct fw_message *m = message_at(fw, at);
        if (m && is_from(m, match, source, request)) {
            fw->withdrawn_near = at;
            return m;
        }
    }
    return NULL;
}

/* Of several with the same match bits it is any; the first is the likeliest. */
struct fw_message *mpi_fw_unexpected_from(struct fw *fw, uint64_t match, uint32_t source, uint64_t request)
{
    uint32_t index;
    if (!fw->front.arrived)
        return NULL;
    if (!fw->modelled && nic_alpu_find(fw->unexpected.store, match, 0, &index, NULL)
        && is_from(message_at(fw, index), match, source, request))
        return message_at(fw, index);
    return search(fw, match, source, request);
}

static bool find_unexpected(const struct fw *fw, uint64_t match, uint64_t mask, uint32_t *index)
{
    return fw->modelled ? nic_list_find(fw->unexpected.list, match, mask, index)
                        : nic_alpu_find(fw->unexpected.store, match, mask, index, NULL);
}

bool mpi_fw_probe(struct fw *fw, uint64_t match, uint64_t mask, uint64_t *found, size_t *bytes)
{
    uint32_t index;
    while (find_unexpected(fw, match, mask, &index)) {
        struct fw_message *m = message_at(fw, index);
        *found = m->match;
        *bytes = m->bytes;
        if (__builtin_expect(!mpi_fw_message_is_withdrawn(fw, m), 1))
            return true;
        mpi_fw_unexpected_remove(fw, m);
        mpi_fw_message_drop(fw, m);
    }
    return false;
}

struct fw_message *mpi_fw_extract(struct fw *fw, uint64_t match, uint64_t mask, uint64_t *found, size_t *bytes)
{
    uint32_t index;
    while (fw_match(fw, &fw->unexpected, fw->front.arrived, match, mask, &index)) {
        struct fw_message *m = message_at(fw, index);
        FW_COUNT_DEPTH(fw, unexpected, fw->front.arrived);
        fw->front.arrived--;
        *found = m->match;
        *bytes = m->bytes;
        m->extracted = true;
        if (__builtin_expect(mpi_fw_message_take(fw, m), 1))
            return m;
        mpi_fw_message_drop(fw, m);
    }
    return NULL;
}

void mpi_fw_receive_message(struct fw *fw, struct fw_message *m, struct fw_req *recv)
{
    recv->error = FW_OK;
    recv->cancelled = recv->detached = recv->inside = false;
    recv->protocol = NULL;
    recv->match = m->match;
    recv->mask = 0;
    recv->message = m;
    if (fw->modelled)
        nic_submit(fw->nic, &(struct nic_command){ .op = FW_COMMAND_RECEIVE, .object = recv });
    else
        mpi_fw_deliver_message(fw, m, recv);
}

/* Not by the queue: a rank that finds something is lost anyway, and on the model clock a search would take time. */
bool mpi_fw_arrived_unlike(const struct fw *fw, const struct fw_unlike *look, uint64_t *found, size_t *bytes)
{
    uint32_t end = fw->messages.used < look->most ? fw->messages.used : look->most;
    for (uint32_t i = 0; fw->front.arrived && i < end; i++) {
        const struct fw_message *m = message_at(fw, i);
        uint64_t differ = m->match ^ look->match;
        if (m->object.kind == FW_MESSAGE && !m->extracted && !(differ & look->same) && (differ & look->unlike)) {
            *found = m->match;
            *bytes = m->bytes;
            return true;
        }
    }
    return fw->lines && mpi_fw_line_unlike(fw, look, found, bytes);
}

size_t mpi_fw_unexpected_count(const struct fw *fw) { return fw->front.arrived; }
size_t mpi_fw_posted_count(const struct fw *fw) { return fw->front.waiting; }

static struct fw_req *match_posted_modelled(struct fw *fw, uint64_t match)
{
    uint32_t index;
    if (!nic_list_match(fw->posted.list, match, 0, &index))
        return NULL;
    fw->front.waiting--;
    struct fw_req *recv = fw_slab_at(&fw->requests, index);
    mpi_fw_ring_matched(fw, recv);
    return recv;
}

/* An arriving envelope takes the first receive that it matches. */
struct fw_req *mpi_fw_match_posted(struct fw *fw, uint64_t match)
{
    uint32_t index;
    FW_COUNT_DEPTH(fw, posted, fw->front.waiting);
    if (__builtin_expect(fw->modelled, 0))
        return match_posted_modelled(fw, match);
    if (!fw->front.waiting || !nic_alpu_match(fw->posted.store, match, 0, &index, NULL))
        return NULL;
    fw->front.waiting--;
    return fw_slab_at(&fw->requests, index);
}

/* Only what is certain to be matched is claimed: a send that waits here for its receive can still be withdrawn. */
struct fw_req *mpi_fw_match_posted_if(struct fw *fw, uint64_t match, uint32_t source, uint32_t claim, bool *withdrawn)
{
    uint32_t index;
    *withdrawn = claim && !fw->modelled && fw->front.waiting && nic_alpu_find(fw->posted.store, match, 0, &index, NULL)
                 && !mpi_fw_claim_take(fw, source, claim);
    return *withdrawn ? NULL : mpi_fw_match_posted(fw, match);
}
