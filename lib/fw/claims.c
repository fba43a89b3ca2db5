/* Claim bytes: where they are, and who gets which.
 *
 * A claim names its byte for both ends: 1 + its offset in the sender's scratchpad, or IN_HEAP and
 * its offset in the sender's heap.  The scratchpad gives a sixteenth of itself.  With more sends
 * open than that has bytes the heap gives more, twice as much each time.  No send can
 * share a place with others: its sender has to learn from it what the receiver has matched, and
 * the receiver what is withdrawn, while the other one executes nothing.
 *
 * A process with a limit of its own may have no heaps mapped: it sees no claims in them, and is
 * asked.  So is a rank on another machine, which reaches none. */
#include "fw/claims.h"

#include <stdlib.h>

#include "fw/tuning.h"

enum { OPEN, TAKEN, WITHDRAWN };                                        /* a claim byte */
enum { AREA_MIN = 64, ROOM_FIRST = 64 };
enum { PAGE = 4096, HEAD = 8, PER_PAGE = PAGE - HEAD, HEAP_FIRST = 64 * 1024 };
#define IN_HEAP (UINT32_C(1) << 31)

static const uint32_t in_use = UINT32_MAX, awaited = UINT32_MAX - 1;    /* fw_claim_area.next */

/* Pages of claims in a heap begin with a word that says so: what lies there else is the program's,
 * and no packet that makes no sense may write to it. */
static uint64_t mark_of(uint32_t owner, uint64_t page)
{
    return (UINT64_C(0x636c61696d) << 24 ^ page) + ((uint64_t)owner << 32);
}

static _Atomic uint64_t *page_at(struct fw *fw, uint32_t owner, uint64_t page)
{
    return nic_heap_at(fw->nic, owner, page, PAGE);
}

static _Atomic uint8_t *byte_in_heap(struct fw *fw, uint32_t owner, uint32_t offset)
{
    uint32_t within = offset % PAGE, page = offset - within;
    _Atomic uint64_t *mark = page_at(fw, owner, page);
    if (!mark || within < HEAD
        || atomic_load_explicit(mark, memory_order_relaxed) != mark_of(owner, page))
        return NULL;
    return (_Atomic uint8_t *)mark + within;
}

/* NULL: there is no such byte. */
static _Atomic uint8_t *byte_of(struct fw *fw, uint32_t owner, uint32_t claim)
{
    if (!nic_is_here(fw->nic, owner))
        return NULL;
    if (claim & IN_HEAP)
        return byte_in_heap(fw, owner, claim & ~IN_HEAP);
    return claim ? nic_spad_at(fw->nic, owner, claim - 1, 1) : NULL;
}

/* -- numbers of an area's bytes */

static bool is_in_heap(const struct fw_claim_area *a) { return a->first & IN_HEAP; }

static uint32_t claim_at(const struct fw_claim_area *a, uint32_t number)
{
    if (!is_in_heap(a))
        return a->first + number;
    return a->first + number / PER_PAGE * PAGE + number % PER_PAGE;
}

static uint32_t number_of(const struct fw_claim_area *a, uint32_t claim)
{
    uint32_t distance = claim - a->first;
    return is_in_heap(a) ? distance / PAGE * PER_PAGE + distance % PAGE : distance;
}

struct fw_claim_area *mpi_fw_claim_find(struct fw_claims *c, uint64_t claim, uint32_t *number)
{
    for (struct fw_claim_area *a = c->area; claim <= UINT32_MAX && a < c->area + c->areas; a++) {
        *number = number_of(a, (uint32_t)claim);
        if (claim >= a->first && *number < a->used && claim_at(a, *number) == claim)
            return a;
    }
    return NULL;
}

/* -- areas */

/* A sixteenth of the scratchpad, or as much of that as there is. */
static void find_in_scratchpad(struct fw *fw)
{
    struct fw_claim_area *a = &fw->claims.area[fw->claims.areas++];
    for (size_t n = nic_spad_size(fw->nic) / FW_CLAIMS_SHARE; n >= AREA_MIN && !a->all; n /= 2) {
        uint64_t at = nic_spad_alloc(fw->nic, NIC_SPAD_CLAIMS, n, AREA_MIN);
        if (at == NIC_SPAD_NONE || at + n >= IN_HEAP)
            continue;
        a->first = (uint32_t)at + 1;
        a->all = (uint32_t)n;
    }
}

static bool take_heap(struct fw *fw, struct fw_claim_area *a, size_t bytes)
{
    uint64_t at = nic_heap_alloc(fw->nic, bytes, PAGE);
    if (at == NIC_HEAP_NONE)
        return false;
    if (at + bytes > IN_HEAP) {
        nic_heap_free(fw->nic, at);
        return false;
    }
    a->first = IN_HEAP | ((uint32_t)at + HEAD);
    a->all = (uint32_t)(bytes / PAGE * PER_PAGE);
    return true;
}

/* Only what is used of it costs memory. */
static struct fw_claim_area *find_in_heap(struct fw *fw)
{
    struct fw_claims *c = &fw->claims;
    if (c->full || c->areas == FW_CLAIM_AREAS)
        return NULL;
    struct fw_claim_area *a = &c->area[c->areas];
    for (size_t n = (size_t)HEAP_FIRST << (c->areas - 1); n >= PAGE; n /= 2)
        if (take_heap(fw, a, n)) {
            c->areas++;
            return a;
        }
    c->full = true;
    return NULL;
}

/* Place for one more that was never used. */
static bool grow(struct fw_claim_area *a)
{
    if (a->used < a->room)
        return true;
    uint32_t room = a->room ? 2 * a->room : ROOM_FIRST;
    uint32_t *next = realloc(a->next, room * sizeof *next);
    if (!next)
        return false;
    a->next = next;
    a->room = room;
    return true;
}

/* The mark of a page is published with the first claim there. */
static void mark_page(struct fw *fw, const struct fw_claim_area *a, uint32_t number)
{
    if (!is_in_heap(a) || number % PER_PAGE)
        return;
    uint32_t page = (claim_at(a, number) & ~IN_HEAP) - HEAD;
    uint64_t mark = mark_of(fw->rank, page);
    atomic_store_explicit(page_at(fw, fw->rank, page), mark, memory_order_relaxed);
}

/* 0: none is free. */
static uint32_t take_from(struct fw *fw, struct fw_claim_area *a)
{
    uint32_t number = a->free - 1;
    if (a->free) {
        a->free = a->next[number];
    } else {
        if (a->used == a->all || !grow(a))
            return 0;
        mark_page(fw, a, number = a->used++);
    }
    a->next[number] = in_use;
    return claim_at(a, number);
}

static void give_back(struct fw_claim_area *a, uint32_t number)
{
    a->next[number] = a->free;
    a->free = number + 1;
}

/* Also for a peer that has not opened its NIC yet: it may have mapped the heap when it matters. */
static uint32_t take_any(struct fw *fw)
{
    struct fw_claims *c = &fw->claims;
    if (!c->areas)
        find_in_scratchpad(fw);
    uint32_t claim = take_from(fw, c->area);
    for (struct fw_claim_area *a = c->area + 1; a < c->area + c->areas && !claim; a++)
        claim = take_from(fw, a);
    struct fw_claim_area *more = claim ? NULL : find_in_heap(fw);
    return more ? take_from(fw, more) : claim;
}

/* -- the sender */

uint32_t mpi_fw_claim_new(struct fw *fw, const struct fw_req *send)
{
    if (send->firm || send->inside || fw->modelled || !nic_is_here(fw->nic, send->peer))
        return 0;
    uint32_t claim = take_any(fw);
    /* The envelope's line is published behind it, so that a receiver that knows the claim sees it
     * open. */
    if (claim)
        atomic_store_explicit(byte_of(fw, fw->rank, claim), OPEN, memory_order_relaxed);
    return claim;
}

void mpi_fw_claim_end(struct fw *fw, struct fw_req *send)
{
    uint32_t number;
    struct fw_claim_area *a = mpi_fw_claim_find(&fw->claims, send->claim, &number);
    if (a)
        give_back(a, number);
    send->claim = 0;
}

bool mpi_fw_claim_is_seen(struct fw *fw, const struct fw_req *send)
{
    return send->claim && (!(send->claim & IN_HEAP) || nic_heap_mapped_by(fw->nic, send->peer));
}

bool mpi_fw_claim_withdraw(struct fw *fw, uint32_t claim)
{
    uint8_t was = OPEN;
    uint32_t number;
    if (!atomic_compare_exchange_strong(byte_of(fw, fw->rank, claim), &was, WITHDRAWN))
        return false;
    mpi_fw_claim_find(&fw->claims, claim, &number)->next[number] = awaited;
    fw->claims.awaited++;
    return true;
}

bool mpi_fw_claim_answered(struct fw *fw, uint64_t claim)
{
    uint32_t number;
    struct fw_claim_area *a = mpi_fw_claim_find(&fw->claims, claim, &number);
    if (!a || a->next[number] != awaited)
        return false;
    give_back(a, number);
    fw->claims.awaited--;
    return true;
}

void mpi_fw_claims_delete(struct fw *fw)
{
    for (unsigned i = 0; i < fw->claims.areas; i++)
        free(fw->claims.area[i].next);
}

/* -- the receiver: what names no byte is matched as if it had no claim */

/* acq_rel: the receiver that takes it reads what the sender wrote before; nothing else is handed
 * over by it. */
bool mpi_fw_claim_take(struct fw *fw, uint32_t source, uint32_t claim)
{
    _Atomic uint8_t *byte = byte_of(fw, source, claim);
    uint8_t was = OPEN;
    if (byte)
        atomic_compare_exchange_strong_explicit(byte, &was, TAKEN,
                                                memory_order_acq_rel, memory_order_acquire);
    return was != WITHDRAWN;
}

bool mpi_fw_claim_is_withdrawn(struct fw *fw, uint32_t source, uint32_t claim)
{
    const _Atomic uint8_t *byte = byte_of(fw, source, claim);
    return byte && atomic_load_explicit(byte, memory_order_acquire) == WITHDRAWN;
}
