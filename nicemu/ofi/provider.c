/* Which provider: the one that is asked for, else the first of a list that opens.  Endpoints for
 * messages, which arrive once and in order; only where it is asked for by its name alone is it udp,
 * whose endpoint is for datagrams: what it loses somebody else has to send again. */
#include "ofi/provider.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Fast networks first.  Of those on TCP one without a layer between, where there is one: that is
 * called net before libfabric 1.18, and tcp from there on.  No shm, which ends at the machine. */
static const char *const order[] = {
    "verbs;ofi_rxm", "psm3", "opx", "cxi", "efa", "tcp", "net", "tcp;ofi_rxm",
};

/* Its messages get lost; with a layer in front of it, of another name, they do not. */
static const char datagrams[] = "udp";

bool ofi_is_stream(const struct fi_info *info)
{
    const char *name = info->fabric_attr->prov_name;
    return !strcmp(name, "net") || !strcmp(name, "tcp");
}

/* Messages that arrive once and in order, into memory that takes many; datagrams need not. */
static struct fi_info *wishes(const char *provider, enum fi_ep_type type, uint64_t caps)
{
    struct fi_info *h = fi_allocinfo();
    if (!h)
        return NULL;
    h->caps = FI_MSG | caps;
    h->mode = FI_CONTEXT | FI_CONTEXT2;
    h->ep_attr->type = type;
    if (type == FI_EP_RDM) {
        h->caps |= FI_MULTI_RECV;
        h->tx_attr->msg_order = h->rx_attr->msg_order = FI_ORDER_SAS;
    }
    h->domain_attr->threading = FI_THREAD_SAFE;
    h->domain_attr->resource_mgmt = FI_RM_ENABLED;
    h->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_VIRT_ADDR
        | FI_MR_ENDPOINT;
    if (provider && !(h->fabric_attr->prov_name = strdup(provider))) {
        fi_freeinfo(h);
        return NULL;
    }
    return h;
}

/* Who asks for tcp may be given tcp;ofi_rxm. */
static bool is_it(const struct fi_info *info, const char *exactly)
{
    return !exactly || !strcmp(info->fabric_attr->prov_name, exactly);
}

static int try_for(enum fi_ep_type type, uint64_t caps, const char *provider, const char *exactly,
                   ofi_open_info *open, struct nic_wire *wire)
{
    struct fi_info *hints = wishes(provider, type, caps), *found = NULL;
    int rc = hints ? fi_getinfo(FI_VERSION(1, 11), NULL, NULL, 0, hints, &found) : -ENOMEM;
    struct fi_info *i = rc ? NULL : found;
    if (!rc)
        rc = -ENODATA;
    for (; i && rc; i = i->next)
        if (is_it(i, exactly))
            rc = open(wire, i);
    fi_freeinfo(found);
    fi_freeinfo(hints);
    return rc;
}

/* With reads, where it has them. */
static int try(const char *provider, const char *exactly, ofi_open_info *open,
               struct nic_wire *wire)
{
    int rc = try_for(FI_EP_RDM, FI_RMA, provider, exactly, open, wire);
    return rc ? try_for(FI_EP_RDM, 0, provider, exactly, open, wire) : 0;
}

int ofi_choose(const char *wanted, ofi_open_info *open, struct nic_wire *wire)
{
    const char *filter = getenv("FI_PROVIDER"), *name = wanted && *wanted ? wanted : filter;
    int rc = -ENODATA;
    if (name && !strcmp(name, datagrams))
        return try_for(FI_EP_DGRAM, 0, datagrams, datagrams, open, wire);
    if (wanted && *wanted)
        return try(wanted, NULL, open, wire);
    if (filter && *filter)
        return try(NULL, NULL, open, wire);
    for (size_t i = 0; i < sizeof order / sizeof *order && rc; i++)
        rc = try(order[i], order[i], open, wire);
    return rc;
}
