/* Ranks of a job that run the firmware on link "loop" in
 * one process, driven by hand: turn by turn. */
#ifndef RANKS_H
#define RANKS_H

#include "fw/queue.h"
#include "fw/request.h"
#include "fw/state.h"
#include "fw/stray.h"
#include "loop.h"

enum { RANKS_MAX = 8, EAGER_MAX = 1000, ANY = -1, TURNS_MAX = 1000000 };

struct rank { struct nic *nic; struct fw *fw; };

static struct nic_job *job;
static struct rank at[RANKS_MAX];
static unsigned ranks_open;
static _Atomic unsigned retired_count;      /* of all ranks, whose NICs may have threads */
static size_t ranks_scratchpad, ranks_heap;     /* bytes in jobs to come, 0: the default */

static void retired(struct fw_req *r)
{
    must(r->detached || fw_req_done(r));
    retired_count++;
}

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* `protocol` is forced where it can work, NULL: the firmware chooses; `rdma` as NICEMU_RDMA, or
 * "buffers" or "inbox": staged, through that. */
static inline void ranks_open_as(unsigned n, enum nic_progress progress, const char *protocol,
                                 const char *rdma)
{
    char eager[16];

    snprintf(eager, sizeof eager, "%d", EAGER_MAX);
    set("MPILITE_EAGER", eager);
    set("MPILITE_RNDV", protocol);
    bool way = rdma && (!strcmp(rdma, "buffers") || !strcmp(rdma, "inbox"));
    set("NICEMU_RDMA", way ? "staged" : rdma);
    set("MPILITE_STAGED", way ? rdma : NULL);
    job = loop_job_sized(n, ranks_scratchpad, ranks_heap);
    retired_count = 0;
    ranks_open = n;
    for (unsigned r = 0; r < n; r++) {
        must((at[r].fw = mpi_fw_new(retired)));
        at[r].nic = loop_nic(job, r, progress, &mpi_fw_program, at[r].fw);
        must(mpi_fw_eager_max(at[r].fw) == EAGER_MAX);
    }
}

static inline void ranks_start(unsigned n) { ranks_open_as(n, NIC_PROGRESS_HOST, NULL, NULL); }

static inline bool step(unsigned rank)
{
    nic_enter(at[rank].nic);
    bool moved = nic_step(at[rank].nic);
    nic_leave(at[rank].nic);
    return moved;
}

/* Everybody in turn until nothing moves; a firmware that never comes to rest fails. */
static inline void settle(void)
{
    unsigned idle = 0;

    for (unsigned long turns = 0; idle < 3; turns++) {
        bool moved = false;
        for (unsigned r = 0; r < ranks_open; r++)
            moved |= step(r);
        idle = moved ? 0 : idle + 1;
        must(turns < TURNS_MAX);
    }
}

static inline uint32_t free_claims(const struct fw_claim_area *a)
{
    uint32_t n = 0;
    for (uint32_t free = a->free; free; free = a->next[free - 1])
        must(++n <= a->used);
    return n;
}

/* Nothing is left over: queues, requests under way, staging buffers, claim words and bytes. */
static inline void expect_clean(const struct fw *fw)
{
    must(mpi_fw_quiet(fw));
    must(!fw_posted_count(fw) && !nic_match_list_count(fw->posted.store));
    must(!fw_unexpected_count(fw) && !nic_match_list_count(fw->unexpected.store));
    must(fw->claim_words_free == fw->claim_words_all);
    for (unsigned i = 0; i < fw->claims.areas; i++)
        must(free_claims(&fw->claims.area[i]) == fw->claims.area[i].used);
    must(fw->stages == fw->stages_all && fw->inbox_credits == FW_INBOX_CREDITS);
    must((fw->stage_area == NIC_SPAD_NONE) == !fw->stages_all);
    must(!fw->waiting_for_buffer.first);
}

/* `strays`: how many senseless packets each rank should have seen, together. */
static inline void ranks_end(uint64_t strays)
{
    uint64_t seen = 0;

    settle();
    for (unsigned r = 0; r < ranks_open; r++) {
        expect_clean(at[r].fw);
        seen += fw_strays(at[r].fw);
        nic_close(at[r].nic);
        mpi_fw_delete(at[r].fw);
    }
    ck_assert_uint_eq(seen, strays);
    nic_job_close(job);
    set("MPILITE_EAGER", NULL);
    set("MPILITE_RNDV", NULL);
    set("NICEMU_RDMA", NULL);
    set("MPILITE_STAGED", NULL);
}

/* -- requests */

enum { CONTEXT = 3 };

static inline struct fw_req *new_request(unsigned rank, enum fw_kind kind, const void *buffer,
                                         size_t bytes)
{
    struct fw_req *r = mpi_fw_req_new(at[rank].fw);

    must(r && !fw_req_done(r));
    r->object.kind = kind;
    r->buffer = (void *)(uintptr_t)buffer;
    r->bytes = bytes;
    r->sync = false;
    return r;
}

static inline struct fw_req *start_send_as(unsigned from, unsigned to, uint32_t tag,
                                           const void *data, size_t bytes, bool sync)
{
    nic_enter(at[from].nic);
    struct fw_req *r = new_request(from, FW_SEND, data, bytes);
    r->peer = to;
    r->sync = sync;
    r->match = fw_match_bits(CONTEXT, from, tag);
    mpi_fw_start(at[from].fw, r);
    nic_leave(at[from].nic);
    return r;
}

static inline struct fw_req *start_send(unsigned from, unsigned to, uint32_t tag, const void *data,
                                        size_t bytes)
{
    return start_send_as(from, to, tag, data, bytes, false);
}

static inline uint64_t match_of(int source, int tag)
{
    return fw_match_bits(CONTEXT, source == ANY ? 0 : (uint32_t)source,
                         tag == ANY ? 0 : (uint32_t)tag);
}

static inline uint64_t mask_of(int source, int tag)
{
    return (source == ANY ? FW_ANY_SOURCE : 0) | (tag == ANY ? FW_ANY_TAG : 0);
}

static inline struct fw_req *start_recv(unsigned rank, int source, int tag, void *buffer,
                                        size_t capacity)
{
    nic_enter(at[rank].nic);
    struct fw_req *r = new_request(rank, FW_RECV, buffer, capacity);
    r->match = match_of(source, tag);
    r->mask = mask_of(source, tag);
    mpi_fw_start(at[rank].fw, r);
    nic_leave(at[rank].nic);
    return r;
}

static inline void wait_done(const struct fw_req *r)
{
    for (unsigned long turns = 0; !fw_req_done(r); turns++) {
        for (unsigned rank = 0; rank < ranks_open; rank++)
            step(rank);
        must(turns < TURNS_MAX);
    }
}

static inline void free_request(unsigned rank, struct fw_req *r)
{
    must(fw_req_done(r) && !r->active && !r->served);
    nic_enter(at[rank].nic);
    mpi_fw_req_free(at[rank].fw, r);
    nic_leave(at[rank].nic);
}

static inline void finish_send(unsigned rank, struct fw_req *r)
{
    wait_done(r);
    must(r->error == FW_OK);
    free_request(rank, r);
}

/* The receive gets a message of `full` bytes with this envelope, as far as there is room. */
static inline void finish_recv(unsigned rank, struct fw_req *r, size_t capacity, unsigned source,
                               uint32_t tag, const void *data, size_t full)
{
    size_t kept = full < capacity ? full : capacity;

    wait_done(r);
    must(r->error == (full > capacity ? FW_TRUNCATED : FW_OK));
    must(r->count == kept && r->full == full && !r->cancelled);
    must(r->match == fw_match_bits(CONTEXT, source, tag));
    must(fw_match_source(r->match) == (int)source && fw_match_tag(r->match) == (int)tag);
    must(!kept || !memcmp(r->buffer, data, kept));
    free_request(rank, r);
}

#endif
