/* Requests: their slab, their end, and the queue of those under way. */
#include "fw/inside.h"

enum { TURNS_IN_A_ROW = 16 };

struct fw_req *mpi_fw_req_at(const struct fw *fw, uint32_t index)
{
    struct fw_req *r = fw_slab_at(&fw->requests, index);
    return r && r->object.kind != FW_FREE ? r : NULL;
}

uint32_t mpi_fw_req_count(const struct fw *fw) { return fw->requests.used; }

struct fw_req *mpi_fw_req_new(struct fw *fw)
{
    struct fw_req *r = fw->free_requests;
    if (__builtin_expect(r != NULL, 1)) {
        fw->free_requests = r->next;
        return r;
    }
    uint32_t index;
    r = mpi_fw_slab_new(&fw->requests, &index);
    if (r)
        r->index = index;
    return r;
}

static void retire(struct fw_req *r)
{
    r->object.kind = FW_FREE;
    r->generation++;
    atomic_store_explicit(&r->done, 0, memory_order_relaxed);
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

struct fw_req *mpi_fw_req_spare(struct fw *fw) { return fw->spares ? fw->spare[--fw->spares] : NULL; }

struct fw_req *mpi_fw_req_by_id(const struct fw *fw, uint64_t id, enum fw_kind kind)
{
    struct fw_req *r = fw_slab_at(&fw->requests, (uint32_t)id);
    return r && r->generation == (uint32_t)(id >> 32) && r->object.kind == kind && !fw_req_done(r) ? r : NULL;
}

void mpi_fw_serve(struct fw *fw, struct fw_req *r)
{
    if (!r->served) {
        r->served = true;
        nic_service(fw->nic, 1);
    }
}

/* What the firmware itself waits for, in a schedule, does not cross the bus. */
static void tell(struct fw *fw, struct fw_req *r)
{
    const struct nic_command done = { .op = FW_COMMAND_DONE, .object = r };
    if (r->inside)
        nic_later(fw->nic, &done);
    else
        nic_tell_host(fw->nic, &done);
}

void mpi_fw_complete(struct fw *fw, struct fw_req *r)
{
    if (__builtin_expect(fw->modelled, 0))
        tell(fw, r);
    else
        mpi_fw_done(fw, r);
}

/* The last that happens to a request here; unless detached it is the host's from now on. */
void mpi_fw_done(struct fw *fw, struct fw_req *r)
{
    if (__builtin_expect(r->served, 0)) {
        r->served = false;
        nic_service(fw->nic, -1);
        if (r->object.kind == FW_SEND)
            mpi_fw_claim_end(fw, r);
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
        atomic_store_explicit(&r->done, 1, memory_order_release);   /* pairs with fw_req_done */
    }
}

void mpi_fw_activate(struct fw *fw, struct fw_req *r)
{
    if (r->active)
        return;
    fw_way_keep(fw, &r->way);
    r->active = true;
    r->next = NULL;
    *fw->active_end = r;
    fw->active_end = &r->next;
    nic_active(fw->nic, 1);
}

/* The first one again next turn: what is finished early is of use early.  Now and then behind all others, so that none starves. */
void mpi_fw_reactivate(struct fw *fw, struct fw_req *r)
{
    if (!(++fw->turns % TURNS_IN_A_ROW) || !fw->active) {
        mpi_fw_activate(fw, r);
        return;
    }
    fw_way_keep(fw, &r->way);
    r->active = true;
    r->next = fw->active;
    fw->active = r;
    nic_active(fw->nic, 1);
}

/* Goes on with the request's way, and then with its own again. */
static bool advance_modelled(struct fw *fw, struct fw_req *r)
{
    uint32_t own = 0;
    fw_way_keep(fw, &own);
    fw_way_join(fw, &r->way, NIC_PART_WAIT);
    bool moved = r->protocol->advance(fw, r);
    fw_way_join(fw, &own, NIC_PART_WAIT);
    return moved;
}

/* One piece of one request, so that packets don't wait for long.  A protocol takes its request out of the queue, which has been
 * done when its advance() is called, or puts it back as the last thing that it does with it. */
bool mpi_fw_advance_active(struct fw *fw)
{
    struct fw_req *r = fw->active;
    fw->active = r->next;
    if (!fw->active)
        fw->active_end = &fw->active;
    r->active = false;
    nic_active(fw->nic, -1);
    if (__builtin_expect(fw->modelled, 0))
        return advance_modelled(fw, r);
    return r->protocol->advance(fw, r);
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

static bool take_posted(struct fw *fw, const struct fw_req *r)
{
    return fw->modelled ? nic_list_remove(fw->posted.list, r->index) : nic_alpu_remove(fw->posted.store, r->index);
}

static bool cancel(struct fw *fw, struct fw_req *r)
{
    if (r->object.kind == FW_SEND && !fw_req_done(r))
        return mpi_fw_cancel_send(fw, r);
    if (r->object.kind != FW_RECV || fw_req_done(r) || !take_posted(fw, r))
        return false;
    fw->front.waiting--;
    r->cancelled = true;
    FW_COUNT(fw, cancels, 1);
    mpi_fw_complete(fw, r);
    return true;
}

struct cancelling { struct fw *fw; struct fw_req *req; bool cancelled; };

static void call_cancel(void *argument)
{
    struct cancelling *c = argument;
    c->cancelled = cancel(c->fw, c->req);
}

bool mpi_fw_cancel(struct fw *fw, struct fw_req *r)
{
    struct cancelling c = { .fw = fw, .req = r };
    nic_call(fw->nic, call_cancel, &c);
    return c.cancelled;
}
