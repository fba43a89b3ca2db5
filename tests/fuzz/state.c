/* What must hold in the firmware's state whatever came in. */
#include "firmware.h"
#include "fw/claims.h"

static bool is_live(const struct fw_req *r)
{
    return (r->object.kind == FW_SEND || r->object.kind == FW_RECV) && !fw_req_done(r);
}

static void check_active(const struct fw *f)
{
    unsigned n = 0;
    for (const struct fw_req *r = f->active.first; r; r = r->next) {
        must(is_live(r) && r->active && r->protocol);
        must(++n <= f->fast_path.requests.used);
    }
    n = 0;
    for (const struct fw_req *r = f->waiting_for_buffer.first; r; r = r->next) {
        must(is_live(r) && !r->active && r->protocol == &mpi_fw_protocol_staged);
        must(++n <= f->fast_path.requests.used);
    }
}

/* Its last chunk waits in a packet of its own, and it has given its claim word back; or all that it
 * has is nothing, which waits for a buffer, and it has not. */
static bool may_have_none(const struct fw_req *r)
{
    return r->protocol == &mpi_fw_protocol_staged && r->offset == r->bytes && !r->active;
}

/* The words of live sends of that kind which are not in `known`. */
static uint64_t words_of(const struct fw *f, bool sure, uint64_t known)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < f->fast_path.requests.used; i++) {
        const struct fw_req *r = fw_slab_at(&f->fast_path.requests, i);
        if (r->object.kind != FW_SEND || fw_req_done(r) || !r->served || !r->claim_word
            || may_have_none(r) == sure)
            continue;
        uint64_t bit = UINT64_C(1) << (r->claim_word - 1 - f->claim_word_area / 64);
        must(!sure || !((words | known) & bit));
        words |= bit & ~known;
    }
    return words;
}

/* A claim word belongs to one live send, or to nobody. */
static void check_claim_words(const struct fw *f)
{
    uint64_t known = f->claim_words_free;
    known |= words_of(f, true, known);
    known |= words_of(f, false, known);
    must(f->claim_word_area == NIC_SPAD_NONE || known == f->claim_words_all);
}

static uint32_t free_claims(const struct fw_claim_area *a)
{
    uint32_t free = 0;
    for (uint32_t number = a->free; number; number = a->next[number - 1])
        must(number <= a->used && ++free <= a->used);
    return free;
}

/* A claim byte is free, or a live send's, or waits for an answer. */
static void check_claims(const struct fw *f)
{
    struct fw_claims claims = f->claims;
    uint32_t known = 0, all = 0, number;
    for (unsigned i = 0; i < f->claims.areas; i++) {
        known += free_claims(&f->claims.area[i]);
        all += f->claims.area[i].used;
    }
    for (uint32_t i = 0; i < f->fast_path.requests.used; i++) {
        const struct fw_req *r = fw_slab_at(&f->fast_path.requests, i);
        if (r->object.kind != FW_SEND || fw_req_done(r) || !r->claim || !(r->served || r->sync))
            continue;
        must(mpi_fw_claim_find(&claims, r->claim, &number));
        known++;
    }
    must(known <= all);
}

/* A staging buffer is free once, or at a receiver. */
static void check_stages(const struct fw *f)
{
    uint32_t free = 0;
    for (unsigned i = 0; i < f->stages; i++) {
        uint32_t bit = 1u << f->stage_free[i];
        must(f->stage_free[i] < f->stages_all && !(free & bit) && !(f->stages_out & bit));
        free |= bit;
    }
    must((free | f->stages_out) == (UINT64_C(1) << f->stages_all) - 1);
    must(f->inbox_credits <= FW_INBOX_CREDITS);
}

static void check_sendq(const struct fw *f)
{
    for (const struct fw_backlog *b = f->sendq; b; b = b->next)
        for (const struct fw_pending *p = b->first; p; p = p->next) {
            must(!p->carries || is_live(p->carries));
            must(!p->envelope_of
                 || (is_live(p->envelope_of) && p->envelope_of->pending == p && !p->dead));
        }
}

void state_check(const struct fw *f)
{
    check_active(f);
    check_claim_words(f);
    check_claims(f);
    check_stages(f);
    check_sendq(f);
}

void state_check_last(struct fw *f)
{
    uint32_t tag;
    must(nic_match_list_count(f->posted.store) == fw_posted_count(f));
    must(nic_match_list_count(f->unexpected.store) == fw_unexpected_count(f));
    while (nic_match_list_match(f->posted.store, 0, UINT64_MAX, &tag, NULL)) {
        const struct fw_req *r = fw_slab_at(&f->fast_path.requests, tag);
        must(r && r->object.kind == FW_RECV && is_live(r) && !r->protocol);
    }
    while (nic_match_list_match(f->unexpected.store, 0, UINT64_MAX, &tag, NULL)) {
        const struct fw_unexpected *m = fw_slab_at(&f->messages, tag);
        must(m && m->object.kind == FW_UNEXPECTED);
    }
}
