#include "fw/unexpected.h"

#include "fw/claims.h"
#include "fw/steps_early.h"
#include "fw/message.h"
#include "fw/queue.h"
#include "fw/watch.h"

static struct fw_unexpected *message_at(const struct fw *fw, uint32_t index)
{
    return fw_slab_at(&fw->messages, index);
}

/* The claim of the send that it comes from; 0: none. */
static uint32_t claim_of(const struct fw_unexpected *m, uint32_t *source)
{
    *source = m->type == FW_PACKET_RTS ? m->rts.source : m->origin.source;
    return m->type == FW_PACKET_RTS ? m->rts.claim : m->origin.claim;
}

/* Claims the message for the receive or the probe that matched it; false: it is withdrawn. */
static inline bool take(struct fw *fw, const struct fw_unexpected *m)
{
    if (m->type == FW_PACKET_EAGER)
        return true;
    uint32_t source, claim = claim_of(m, &source);
    return __builtin_expect(mpi_fw_claim_take(fw, source, claim), 1);
}

static bool is_withdrawn(struct fw *fw, const struct fw_unexpected *m)
{
    if (m->type == FW_PACKET_EAGER)
        return false;
    uint32_t source, claim = claim_of(m, &source);
    return mpi_fw_claim_is_withdrawn(fw, source, claim);
}

struct fw_unexpected *mpi_fw_unexpected_match(struct fw *fw, uint64_t match, uint64_t mask)
{
    bool modelled = __builtin_expect(fw->modelled, 0);
    uint32_t index;
    while ((modelled || fw->fast_path.unexpected)
           && fw_queue_match(&fw->unexpected, modelled, match, mask, &index)) {
        struct fw_unexpected *m = message_at(fw, index);
        fw->fast_path.unexpected--;
        if (take(fw, m)) {
            fw_notice(fw, FW_NOTICE_TAKEN,
                      &(struct fw_notice){ .match = m->match, .bytes = m->bytes, .peer = -1,
                                           .queue = fw->fast_path.unexpected, .protocol = -1 });
            return m;
        }
        mpi_fw_message_drop(fw, m);
    }
    return NULL;
}

void mpi_fw_unexpected_remove(struct fw *fw, const struct fw_unexpected *m)
{
    fw_queue_remove(&fw->unexpected, fw->modelled, m->index);
    fw->fast_path.unexpected--;
}

static bool is_from(const struct fw_unexpected *m, uint64_t match, uint32_t source,
                    uint64_t request)
{
    if (m->object.kind != FW_UNEXPECTED || m->extracted || m->match != match)
        return false;
    if (m->type == FW_PACKET_RTS)
        return m->rts.source == source && m->rts.request == request;
    return m->type == FW_PACKET_SYNC && m->origin.source == source && m->origin.request == request;
}

/* From the place of the one before, ever further to both sides: many are withdrawn in order. */
static struct fw_unexpected *search(struct fw *fw, uint64_t match, uint32_t source,
                                    uint64_t request)
{
    uint32_t used = fw->messages.used, near = fw->withdrawn_near;
    for (uint32_t i = 0; i < 2 * used; i++) {
        uint32_t at = i % 2 ? near - (i / 2 + 1) : near + i / 2;    /* may be beyond either end */
        struct fw_unexpected *m = message_at(fw, at);
        if (m && is_from(m, match, source, request)) {
            fw->withdrawn_near = at;
            return m;
        }
    }
    return NULL;
}

/* Of several with the same match bits it is any; the first is the likeliest. */
struct fw_unexpected *mpi_fw_unexpected_from(struct fw *fw, uint64_t match, uint32_t source,
                                          uint64_t request)
{
    uint32_t index;
    if (!fw->fast_path.unexpected)
        return NULL;
    if (!fw->modelled && fw_queue_find(&fw->unexpected, false, match, 0, &index)
        && is_from(message_at(fw, index), match, source, request))
        return message_at(fw, index);
    return search(fw, match, source, request);
}

/* -- probes */

bool mpi_fw_probe(struct fw *fw, uint64_t match, uint64_t mask, uint64_t *found, size_t *bytes)
{
    uint32_t index;
    while (fw_queue_find(&fw->unexpected, fw->modelled, match, mask, &index)) {
        struct fw_unexpected *m = message_at(fw, index);
        *found = m->match;
        *bytes = m->bytes;
        if (__builtin_expect(!is_withdrawn(fw, m), 1))
            return true;
        mpi_fw_unexpected_remove(fw, m);
        mpi_fw_message_drop(fw, m);
    }
    return false;
}

struct fw_unexpected *mpi_fw_extract(struct fw *fw, uint64_t match, uint64_t mask, uint64_t *found,
                                  size_t *bytes)
{
    size_t depth = fw->fast_path.unexpected;
    struct fw_unexpected *m = mpi_fw_unexpected_match(fw, match, mask);
    if (!m)
        return NULL;
    FW_COUNT_DEPTH(fw, unexpected, depth);
    *found = m->match;
    *bytes = m->bytes;
    m->extracted = true;
    return m;
}

/* Not by the queue: a rank that finds something is lost anyway, and on the model clock a search
 * would take time. */
bool mpi_fw_arrived_unlike(const struct fw *fw, const struct fw_unlike *look, uint64_t *found,
                           size_t *bytes)
{
    uint32_t end = fw->messages.used < look->most ? fw->messages.used : look->most;
    for (uint32_t i = 0; fw->fast_path.unexpected && i < end; i++) {
        const struct fw_unexpected *m = message_at(fw, i);
        if (m->object.kind == FW_UNEXPECTED && !m->extracted && fw_is_unlike(look, m->match)) {
            *found = m->match;
            *bytes = m->bytes;
            return true;
        }
    }
    return fw->early_steps && mpi_fw_step_unlike(fw, look, found, bytes);
}
