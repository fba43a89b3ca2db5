/* Which provider: the one that is asked for, else the first of a list that opens. */
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

/* Messages that arrive once and in order, into memory that takes many. */
static struct fi_info *wishes(const char *provider, uint64_t caps)
{
    struct fi_info *h = fi_allocinfo();
    if (!h)
        return NULL;
    h->caps = FI_MSG | FI_MULTI_RECV | caps;
    h->mode = FI_CONTEXT | FI_CONTEXT2;
    h->ep_attr->type = FI_EP_RDM;
    h->tx_attr->msg_order = h->rx_attr->msg_order = FI_ORDER_SAS;
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

static int try_for(uint64_t caps, const char *provider, const char *exactly,
                   int (*open)(struct nic_wire *wire, struct fi_info *info), struct nic_wire *wire)
{
    struct fi_info *hints = wishes(provider, caps), *found = NULL;
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
static int try(const char *provider, const char *exactly,
               int (*open)(struct nic_wire *wire, struct fi_info *info), struct nic_wire *wire)
{
    int rc = try_for(FI_RMA, provider, exactly, open, wire);
    return rc ? try_for(0, provider, exactly, open, wire) : 0;
}

int ofi_choose(const char *wanted, int (*open)(struct nic_wire *wire, struct fi_info *info),
               struct nic_wire *wire)
{
    const char *filter = getenv("FI_PROVIDER");
    int rc = -ENODATA;
    if (wanted && *wanted)
        return try(wanted, NULL, open, wire);
    if (filter && *filter)
        return try(NULL, NULL, open, wire);
    for (size_t i = 0; i < sizeof order / sizeof *order && rc; i++)
        rc = try(order[i], order[i], open, wire);
    return rc;
}
