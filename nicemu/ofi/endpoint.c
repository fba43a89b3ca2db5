/* The endpoint: opening its parts in order, and closing them the other way round. */
#include "ofi/endpoint.h"

#include "ofi/provider.h"
#include "ofi/sleep.h"

static void close_fid(struct fid *f)
{
    if (f)
        fi_close(f);
}

void ofi_endpoint_stop(struct nic_wire *w)
{
    close_fid(w->endpoint ? &w->endpoint->fid : NULL);
    w->endpoint = NULL;
}

static void stop_all(struct nic_wire *w)
{
    close_fid(w->endpoint ? &w->endpoint->fid : NULL);
    close_fid(w->addresses ? &w->addresses->fid : NULL);
    close_fid(w->queue ? &w->queue->fid : NULL);
    close_fid(w->domain ? &w->domain->fid : NULL);
    close_fid(w->fabric ? &w->fabric->fid : NULL);
    w->endpoint = NULL;
    w->addresses = NULL;
    w->queue = NULL;
    w->domain = NULL;
    w->fabric = NULL;
}

void ofi_endpoint_close(struct nic_wire *w)
{
    ofi_sleep_close(w);
    stop_all(w);
    fi_freeinfo(w->info);
    w->info = NULL;
}

static int open_queue(struct nic_wire *w, enum fi_wait_obj wait)
{
    struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_DATA, .wait_obj = wait };
    return fi_cq_open(w->domain, &attr, &w->queue, NULL);
}

static int open_addresses(struct nic_wire *w)
{
    struct fi_av_attr attr = { .type = w->info->domain_attr->av_type };
    if (attr.type == FI_AV_UNSPEC)
        attr.type = FI_AV_MAP;
    return fi_av_open(w->domain, &attr, &w->addresses, NULL);
}

static int enable(struct nic_wire *w)
{
    int rc = fi_ep_bind(w->endpoint, &w->addresses->fid, 0);
    if (!rc)
        rc = fi_ep_bind(w->endpoint, &w->queue->fid, FI_TRANSMIT | FI_RECV);
    if (!rc)
        rc = fi_enable(w->endpoint);
    size_t least = w->frame_bytes;
    if (!rc && !w->datagrams)
        rc = fi_setopt(&w->endpoint->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least,
                       sizeof least);
    return rc;
}

static int open_all(struct nic_wire *w, enum fi_wait_obj wait)
{
    int rc = fi_fabric(w->info->fabric_attr, &w->fabric, NULL);
    if (!rc)
        rc = fi_domain(w->fabric, w->info, &w->domain, NULL);
    if (!rc)
        rc = open_queue(w, wait);
    if (!rc)
        rc = open_addresses(w);
    if (!rc)
        rc = fi_endpoint(w->domain, w->info, &w->endpoint, NULL);
    return rc ? rc : enable(w);
}

/* The ways to sleep, the best one first; the last is none. */
static int open_by(struct nic_wire *w, enum ofi_sleep how)
{
    static const enum fi_wait_obj wait[] = {
        [OFI_SLEEP_INNER] = FI_WAIT_NONE, [OFI_SLEEP_QUEUE] = FI_WAIT_FD,
        [OFI_SLEEP_NONE] = FI_WAIT_NONE,
    };
    int rc = open_all(w, wait[how]);
    if (!rc)
        rc = ofi_sleep_open(w, how);
    if (rc)
        stop_all(w);
    return rc;
}

/* Messages are to be as long as is wanted, datagrams as they may be. */
static int fit_frames(struct nic_wire *w, const struct fi_info *info)
{
    size_t most = info->ep_attr->max_msg_size;
    w->datagrams = info->ep_attr->type == FI_EP_DGRAM;
    uint32_t wanted = w->stream_bytes && ofi_is_stream(info) ? w->stream_bytes : w->wanted_bytes;
    if (most < (w->datagrams ? OFI_DATAGRAM_LEAST : wanted))
        return -FI_EMSGSIZE;
    w->frame_bytes = most < wanted ? (uint32_t)most : wanted;
    return 0;
}

int ofi_endpoint_open(struct nic_wire *w, struct fi_info *info)
{
    int rc = fit_frames(w, info);
    if (rc)
        return rc;
    if (!(w->info = fi_dupinfo(info)))
        return -FI_ENOMEM;
    rc = -FI_ENOSYS;
    for (unsigned how = ofi_sleep_first(info); how <= OFI_SLEEP_NONE && rc; how++)
        rc = open_by(w, how);
    if (rc)
        ofi_endpoint_close(w);
    return rc;
}

static uint32_t new_key(struct nic_wire *w)
{
    if (!++w->last_key)
        w->last_key = 1;
    return w->last_key;
}

int ofi_register_for(struct nic_wire *w, const void *memory, size_t bytes, uint64_t access,
                     struct fid_mr **region)
{
    int rc = fi_mr_reg(w->domain, memory, bytes, access, 0, new_key(w), 0, region, NULL);
    if (rc) {
        *region = NULL;
    } else if (w->info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
        rc = fi_mr_bind(*region, &w->endpoint->fid, 0);
        if (!rc)
            rc = fi_mr_enable(*region);
    }
    return rc;
}

int ofi_register(struct nic_wire *w, void *memory, size_t bytes, uint64_t access,
                 struct fid_mr **region)
{
    *region = NULL;
    return w->info->domain_attr->mr_mode & FI_MR_LOCAL
           ? ofi_register_for(w, memory, bytes, access, region) : 0;
}
