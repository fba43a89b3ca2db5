/* Requests: their slab and their end. */
#include "fw/request.h"

#include "fw/claims.h"
#include "fw/data.h"
#include "fw/watch.h"

uint32_t mpi_fw_req_count(const struct fw *fw) { return fw->fast_path.requests.used; }

/* Of data with gaps nobody asks where they lie. */
static bool lands_in(const struct fw_req *r, uintptr_t begin, uintptr_t end)
{
    const uintptr_t at = (uintptr_t)r->buffer;
    if (r->object.kind != FW_RECV || fw_req_done(r))
        return false;
    return fw_layout(r) || (at < end && begin < at + r->bytes);
}

bool mpi_fw_receives_into(const struct fw *fw, uintptr_t begin, uintptr_t end)
{
    for (uint32_t i = 0; i < fw->fast_path.requests.used; i++)
        if (lands_in(fw_slab_at(&fw->fast_path.requests, i), begin, end))
            return true;
    return false;
}

struct fw_req *mpi_fw_req_new(struct fw *fw)
{
    struct fw_req *r = fw->free_requests;
    if (__builtin_expect(r != NULL, 1)) {
        fw->free_requests = r->next;
        return r;
    }
    uint32_t index;
    r = mpi_fw_slab_new(&fw->fast_path.requests, &index);
    if (r)
        r->index = index;
    return r;
}

static void retire(struct fw_req *r)
{
    r->object.kind = FW_FREE;
    r->generation++;
    atomic_store_explicit(&r->done, 0, memory_order_relaxed);       /* nobody waits for it now */
}

/* Also by the NIC thread: so not into `spare`, which the host reads without the baton. */
static void recycle(struct fw *fw, struct fw_req *r)
{
    r->next = fw->free_requests;
    fw->free_requests = r;
}

void mpi_fw_req_free(struct fw *fw, struct fw_req *r)
{
    retire(r);
    if (__builtin_expect(fw->spares < FW_SPARES, 0))
        fw->spare[fw->spares++] = r;
    else
        recycle(fw, r);
}

struct fw_req *mpi_fw_req_spare(struct fw *fw)
{
    return fw->spares ? fw->spare[--fw->spares] : NULL;
}

struct fw_req *mpi_fw_req_by_id(const struct fw *fw, uint64_t id, enum fw_kind kind)
{
    struct fw_req *r = fw_slab_at(&fw->fast_path.requests, (uint32_t)id);
    if (!r || r->generation != (uint32_t)(id >> 32))
        return NULL;
    return r->object.kind == kind && !fw_req_done(r) ? r : NULL;
}

void mpi_fw_serve(struct fw *fw, struct fw_req *r)
{
    if (!r->served) {
        r->served = true;
        nic_hold_service(fw->nic, 1);
    }
}

/* What the firmware itself waits for, in a schedule, does not cross the bus. */
static void complete_modelled(struct fw *fw, struct fw_req *r)
{
    const struct nic_command done = { .op = FW_COMMAND_DONE, .object = r };
    if (r->inside)
        nic_later(fw->nic, &done);
    else if (r->detached)       /* the next of a stream may follow at once (fw->retired) */
        nic_tell_host_to_send(fw->nic, &done);
    else
        nic_tell_host(fw->nic, &done);
}

void mpi_fw_complete(struct fw *fw, struct fw_req *r)
{
    if (__builtin_expect(fw->modelled, 0))
        complete_modelled(fw, r);
    else
        mpi_fw_done(fw, r);
}

static void rndv_ended(struct fw *fw, const struct fw_req *recv)
{
    fw_notice(fw, FW_NOTICE_RNDV_ENDED,
              &(struct fw_notice){ .match = recv->match, .bytes = recv->count,
                                   .peer = (int)recv->peer,
                                   .protocol = recv->protocol ? (int)recv->protocol->id : -1 });
}

static void end_offers(struct fw *fw, struct fw_req *send)
{
    mpi_fw_claim_end(fw, send);
    if (__builtin_expect(send->offer != 0, 0)) {
        nic_far_let_go(fw->nic, send->offer);
        send->offer = 0;
    }
}

/* The last that happens to a request here; unless detached it is the host's from now on. */
void mpi_fw_done(struct fw *fw, struct fw_req *r)
{
    if (__builtin_expect(r->served, 0)) {
        r->served = false;
        nic_hold_service(fw->nic, -1);
        if (r->object.kind == FW_SEND)
            end_offers(fw, r);
        else if (r->object.kind == FW_RECV)
            rndv_ended(fw, r);
    }
    if (r->object.kind == FW_SEND)
        fw->sends--;
    if (__builtin_expect(r->error == FW_COPY_FAILED, 0))
        FW_COUNT(fw, copy_failures, 1);
    if (__builtin_expect(r->detached, 0)) {
        fw->retired(r);
        retire(r);
        recycle(fw, r);
    } else {
        /* So that who sees `done` (fw_req_done) sees the data and the other fields. */
        atomic_store_explicit(&r->done, 1, memory_order_release);
    }
}

void mpi_fw_detach(struct fw *fw, struct fw_req *r)
{
    if (fw_req_done(r)) {
        fw->retired(r);
        mpi_fw_req_free(fw, r);
    } else {
        r->detached = true;
    }
}
