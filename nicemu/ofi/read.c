/* Reads of a peer's memory: fi_read.  Memory is registered for as long as it is offered, and places
 * for as long as they are read into where the provider wants that.  No cache stands in front of it:
 * a provider that pins memory has one of its own, which learns of memory that is unmapped, and for
 * those on TCP a region is an entry in a tree. */
#include "ofi/read.h"

#include <errno.h>
#include <rdma/fi_rma.h>

#include "ofi/endpoint.h"

static void give(struct nic_wire *w, struct ofi_read *r)
{
    r->next = w->free_reads;
    w->free_reads = r;
}

void ofi_reads_open(struct nic_wire *w)
{
    for (unsigned i = 0; i < OFI_READS; i++) {
        w->read[i].op.kind = OFI_READ;
        give(w, &w->read[i]);
    }
}

static void close_region(struct fid_mr *region)
{
    if (region)
        fi_close(&region->fid);
}

int ofi_offer(struct nic_wire *w, const void *memory, size_t bytes,
              struct nic_wire_region *region)
{
    struct fid_mr *m = NULL;
    if (!(w->info->caps & FI_RMA))
        return -ENOTSUP;
    int rc = ofi_register_for(w, memory, bytes, FI_REMOTE_READ, &m);
    uint64_t key = rc ? 0 : fi_mr_key(m);
    if (!rc && (!key || key > UINT32_MAX))
        rc = -EOVERFLOW;                /* it does not fit into what peers are told */
    if (rc) {
        close_region(m);
        return rc;
    }
    bool by_address = w->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
    *region = (struct nic_wire_region){ .own = m, .key = (uint32_t)key,
                                        .address = by_address ? (uintptr_t)memory : 0 };
    return 0;
}

void ofi_let_go(struct nic_wire *w, const struct nic_wire_region *region)
{
    (void)w;
    close_region(region->own);
}

int ofi_read(struct nic_wire *w, const struct nic_wire_read *read)
{
    struct ofi_read *r = w->free_reads;
    struct fid_mr *region = NULL;
    if (!(w->info->caps & FI_RMA))
        return -ENOTSUP;
    if (!r)
        return -EAGAIN;
    if (ofi_register(w, read->to, read->bytes, FI_READ, &region)) {
        close_region(region);
        return -ENOMEM;
    }
    ssize_t rc = fi_read(w->endpoint, read->to, read->bytes, region ? fi_mr_desc(region) : NULL,
                         read->peer, read->from, read->key, &r->op.context);
    if (rc) {
        close_region(region);
        return rc == -FI_EAGAIN ? -EAGAIN : rc == -FI_ENOMEM ? -ENOMEM : (int)rc;
    }
    w->free_reads = r->next;
    r->region = region;
    r->owner = read->owner;
    return 0;
}

void *ofi_read_ended(struct nic_wire *w, struct ofi_op *op)
{
    struct ofi_read *r = (struct ofi_read *)op;
    close_region(r->region);
    r->region = NULL;
    give(w, r);
    return r->owner;
}
