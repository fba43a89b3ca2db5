/* Transfers as such: made, listed while they have something to do, ended. */
#include "remote/op.h"

#include <stdlib.h>

#include "core/baton.h"
#include "core/model_ops.h"
#include "remote/packets.h"
#include "nicemu/counter.h"

void nic_outcome_tell(struct nic_outcome *outcome, int status)
{
    if (!outcome)
        return;
    void (*done)(void *context, int status) = outcome->done;
    void *context = outcome->context;
    /* pairs with nic_outcome_status; from here on it may be gone */
    __atomic_store_n(&outcome->status, status, __ATOMIC_RELEASE);
    if (done)
        done(context, status);
}

/* The data is where it belongs: the target first, so that whoever
 * sees the local counter may rely on it. */
static int count(struct nic *n, const struct nic_transfer *t, bool remote)
{
    int rc = remote ? nic_counter_add(n, t->remote.rank, t->remote_counter, t->remote_amount) : 0;
    return rc ? rc : nic_counter_add(n, n->rank, t->local_counter, t->local_amount);
}

static void finish(struct nic *n, struct nic_op *op)
{
    struct nic_outcome *outcome = op->outcome;
    if (!op->status)
        op->status = count(n, &op->t, !op->counted);
    if (op->status)
        n->counts.transfer_errors++;
    bool awaited = op->put && (!op->t.quiet || n->clock);
    if (awaited && op->path != NIC_PATH_STAGED && op->t.remote.rank != n->rank)
        nic_notify(n, op->t.remote.rank);       /* its host may sleep until the bytes are there */
    nic_outcome_tell(outcome, op->status);
}

struct nic_op *nic_op_new(struct nic *n, const struct nic_op *from)
{
    struct nic_remote *r = n->remote;
    struct nic_op *op = r->free_ops, *next_of_all;
    if (op) {
        r->free_ops = op->next;
        next_of_all = op->next_of_all;
    } else {
        if (!(op = malloc(sizeof *op)))
            return NULL;
        next_of_all = r->all_ops;
        r->all_ops = op;
    }
    *op = *from;
    op->next_of_all = next_of_all;
    op->live = true;
    r->outstanding++;
    return op;
}

void nic_op_end(struct nic *n, struct nic_op *op)
{
    op->live = false;
    finish(n, op);
    n->remote->outstanding--;
    op->next = n->remote->free_ops;
    n->remote->free_ops = op;
}

void nic_op_list(struct nic *n, struct nic_op *op)
{
    struct nic_remote *r = n->remote;
    if (op->listed)
        return;
    if (!r->ops)
        nic_hw_busy(n, 1);
    op->listed = true;
    if (unlikely(n->model_ops != NULL))
        op->way = n->model_ops->keep_way(n);
    op->next = NULL;
    *r->ops_end = op;
    r->ops_end = &op->next;
}

struct nic_op *nic_op_unlist_first(struct nic *n)
{
    struct nic_remote *r = n->remote;
    struct nic_op *op = r->ops;
    if (!(r->ops = op->next)) {
        r->ops_end = &r->ops;
        nic_hw_busy(n, -1);
    }
    op->listed = false;
    if (unlikely(op->way != 0))
        n->model_ops->join_way(n, &op->way);
    return op;
}

void nic_ops_close(struct nic *n)
{
    while (n->remote->all_ops) {
        struct nic_op *op = n->remote->all_ops;
        n->remote->all_ops = op->next_of_all;
        free(op);
    }
}
