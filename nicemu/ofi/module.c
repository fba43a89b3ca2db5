/* The module: frames over libfabric, one endpoint for messages that arrive (FI_EP_RDM) or for
 * datagrams that may (FI_EP_DGRAM). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ofi/endpoint.h"
#include "ofi/provider.h"
#include "ofi/read.h"
#include "ofi/receive.h"
#include "ofi/send.h"
#include "ofi/sleep.h"

static void ofi_close(struct nic_wire *w)
{
    ofi_endpoint_stop(w);
    ofi_buffers_close(w);
    ofi_frames_free(w);
    ofi_endpoint_close(w);
    free(w);
}

/* FI_ENODATA is libfabric's way to say that there is none. */
static void say_none(const char *provider, int rc, char *why, size_t room)
{
    bool none = rc == -FI_ENODATA;
    snprintf(why, room, "libfabric has no provider%s%s that can be used here%s%s",
             provider ? " " : "", provider ? provider : "",
             none ? "; fi_info lists those that there are" : ": ", none ? "" : fi_strerror(-rc));
}

static int ofi_open(const struct nic_wire_config *c, struct nic_wire **wire, char *why, size_t room)
{
    struct nic_wire *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    w->wanted_bytes = c->frame_bytes;
    w->stream_bytes = c->stream_bytes;
    w->sleeper.fd = w->sleeper.left = -1;
    int rc = ofi_choose(c->provider, ofi_endpoint_open, w);
    if (rc)
        say_none(c->provider, rc, why, room);
    else if ((rc = ofi_buffers_open(w)))
        snprintf(why, room, "no memory to receive in: %s", fi_strerror(-rc));
    ofi_reads_open(w);
    if (rc) {
        ofi_close(w);
        return rc;
    }
    *wire = w;
    return 0;
}

static const char *ofi_provider(const struct nic_wire *w)
{
    return w->info->fabric_attr->prov_name;
}

static struct nic_wire_limits ofi_limits(const struct nic_wire *w)
{
    return (struct nic_wire_limits){ .frame_bytes = w->frame_bytes, .loses = w->datagrams };
}

static int ofi_address(struct nic_wire *w, void *address, size_t room, size_t *bytes)
{
    *bytes = room;
    return fi_getname(&w->endpoint->fid, address, bytes);
}

static int ofi_insert(struct nic_wire *w, const void *address, uint64_t *peer)
{
    fi_addr_t to = FI_ADDR_NOTAVAIL;
    int n = fi_av_insert(w->addresses, address, 1, &to, 0, NULL);
    *peer = to;
    return n == 1 && to != FI_ADDR_NOTAVAIL ? 0 : n < 0 ? n : -EADDRNOTAVAIL;
}

extern const struct nic_wire_ops nic_wire_module;
__attribute__((visibility("default"))) const struct nic_wire_ops nic_wire_module = {
    .version = NIC_WIRE_VERSION,
    .open = ofi_open, .provider = ofi_provider, .limits = ofi_limits,
    .address = ofi_address, .insert = ofi_insert,
    .frame = ofi_frame, .send = ofi_send, .drop = ofi_drop,
    .poll = ofi_poll, .give_back = ofi_give_back, .fd = ofi_fd, .may_sleep = ofi_may_sleep,
    .offer = ofi_offer, .let_go = ofi_let_go, .read = ofi_read,
    .close = ofi_close,
};
