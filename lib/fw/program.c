/* The control program: what the NIC calls, and the tables behind it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"
#include "schedule.h"

typedef void handler_fn(struct fw *fw, const struct nic_packet *packet);

#define FW_PACKET_HANDLER(name, handler) [FW_PACKET_##name] = handler,
static handler_fn *const handlers[FW_PACKET_COUNT] = { FW_PACKETS(FW_PACKET_HANDLER) };

#define FW_PROTOCOL_ENTRY(name) &mpi_fw_protocol_##name,
const struct fw_protocol *const mpi_fw_protocols[FW_PROTOCOL_COUNT] = { FW_PROTOCOLS(FW_PROTOCOL_ENTRY) };

/* Where the kernel copies 16 KiB quickly, one copy beats two from 8 KiB on; where it is slow (1.1 us on one machine, 2.7 us on another) the
 * inbox is faster for as long as it can be. */
enum { EAGER_SHORT = 8 * 1024, EAGER_LONG = 16 * 1024, KERNEL_QUICK_NS = 1600 };

static size_t eager_limit(const struct nic_profile *profile)
{
    const char *env = getenv("MPILITE_EAGER");
    if (env) {
        long n = atol(env);
        return n < 0 ? 0 : n > NIC_MESSAGE_BYTES_MAX ? NIC_MESSAGE_BYTES_MAX : (size_t)n;
    }
    if (profile)        /* no wall time may decide there */
        return profile->protocol.eager_limit < NIC_MESSAGE_BYTES_MAX ? profile->protocol.eager_limit : NIC_MESSAGE_BYTES_MAX;
    uint64_t ns = nic_kernel_copy_ns(EAGER_LONG);
    return ns && ns < KERNEL_QUICK_NS ? EAGER_SHORT : EAGER_LONG;
}

/* The NIC owns them. */
static int lists_new(struct fw *fw)
{
    int rc = nic_list_new(fw->nic, NIC_ALPU_POSTED, &fw->posted.list);
    return rc ? rc : nic_list_new(fw->nic, NIC_ALPU_UNEXPECTED, &fw->unexpected.list);
}

static int on_attach(void *context, struct nic *nic)
{
    struct fw *fw = context;
    fw->nic = nic;
    fw->rank = nic_rank(nic);
    fw->profile = nic_profile_of(nic);
    fw->modelled = fw->profile != NULL;
    fw->eager_max = eager_limit(fw->profile);
    if (fw->modelled && !getenv("NICEMU_OFFLOAD"))
        fw->offload = (enum fw_offload)fw->profile->protocol.offload;
    if (fw->modelled && fw->offload == FW_OFFLOAD_NONE)
        nic_host_runs_handlers(nic);
    int rc = fw->modelled ? lists_new(fw) : 0;
    rc = rc ? rc : mpi_fw_ring_attach(fw);
    if (rc)
        return rc;
    mpi_fw_slots_attach(fw);
    fw->backlog = calloc(nic_ranks(nic), sizeof *fw->backlog);
    return fw->backlog ? mpi_fw_stats_register(fw, nic) : -ENOMEM;
}

static void on_packet(void *context, const struct nic_packet *p)
{
    struct fw *fw = context;
    if (p->type == FW_PACKET_EAGER)     /* the most frequent one, without the table */
        mpi_fw_eager_arrived(fw, p);
    else if (p->type < FW_PACKET_COUNT && handlers[p->type])
        handlers[p->type](fw, p);
    else {
        fw->strays++;
        FW_COUNT(fw, strays_type, 1);
    }
}

void mpi_fw_packet(struct fw *fw, const struct nic_packet *p) { on_packet(fw, p); }

static void on_landed(void *context, void *cookie) { mpi_fw_landed(context, cookie); }

/* Only on the model clock. */
static void on_done(struct fw *fw, struct fw_req *r)
{
    if (r->object.kind != FW_SEND && !r->detached)
        fw_way_keep(fw, &r->way);
    mpi_fw_done(fw, r);
}

static void on_command(void *context, const struct nic_command *c)
{
    switch (c->op) {
    case FW_COMMAND_START: mpi_fw_start_inside(context, c->object); break;
    case FW_COMMAND_BEGIN: mpi_fw_begin_modelled(context, c->object); break;
    case FW_COMMAND_SCHEDULE: mpi_fw_sched_begin(context, c->object); break;
    case FW_COMMAND_RECEIVE: mpi_fw_deliver_message(context, ((struct fw_req *)c->object)->message, c->object); break;
    case FW_COMMAND_DONE: on_done(context, c->object); break;
    case FW_COMMAND_LANDED: mpi_fw_ring_landed(context, c->object); break;
    }
}

static bool on_advance(void *context)
{
    struct fw *fw = context;
    bool moved = fw->sendq && mpi_fw_advance_sendq(fw);
    if (fw->active)
        moved |= mpi_fw_advance_active(fw);
    if (fw->scheds)
        moved |= mpi_fw_advance_scheds(fw);
    return moved;
}

const struct nic_program mpi_fw_program = { .name = "mpi", .attach = on_attach, .packet = on_packet, .landed = on_landed, .command = on_command, .advance = on_advance };

#define FW_OFFLOAD_NAME(name, text) [FW_OFFLOAD_##name] = text,
static const char *const offload_names[FW_OFFLOAD_COUNT] = { FW_OFFLOADS(FW_OFFLOAD_NAME) };

enum fw_offload mpi_fw_offload_by_name(const char *name)
{
    unsigned i = 0;
    while (i < FW_OFFLOAD_COUNT && strcmp(offload_names[i], name))
        i++;
    return (enum fw_offload)i;
}

const char *mpi_fw_why(const struct fw *fw) { return fw->why; }

enum fw_offload mpi_fw_offload(const struct fw *fw) { return fw->offload; }

static_assert((int)FW_OFFLOAD_NONE == NIC_OFFLOAD_NONE && (int)FW_OFFLOAD_MATCH == NIC_OFFLOAD_MATCH && (int)FW_OFFLOAD_ALL == NIC_OFFLOAD_ALL, "the same choice");

static enum fw_offload offload_wanted(void)
{
    const char *env = getenv("NICEMU_OFFLOAD");
    enum fw_offload offload = env ? mpi_fw_offload_by_name(env) : FW_OFFLOAD_ALL;
    return offload == FW_OFFLOAD_COUNT ? FW_OFFLOAD_ALL : offload;
}

/* Valgrind sees what this process reads from another one, but not what another one writes here: it would call those bytes uninitialised. */
static bool under_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");
    return preload && strstr(preload, "vgpreload");
}

struct fw *mpi_fw_new(void (*retired)(struct fw_req *req))
{
    struct fw *fw = calloc(1, sizeof *fw);
    if (!fw)
        return NULL;
    fw->retired = retired;
    fw->requests.object_bytes = sizeof(struct fw_req);
    fw->messages.object_bytes = sizeof(struct fw_message);
    fw->sendq_end = &fw->sendq;
    fw->active_end = &fw->active;
    fw->starved_end = &fw->starved;
    fw->inlines = FW_INLINE_CHUNKS;
    fw->ticket_area = fw->stage_area = NIC_SPAD_NONE;
    const char *staged = getenv("MPILITE_STAGED");
    fw->stage_in_buffers = staged && !strcmp(staged, "buffers");
    fw->offload = offload_wanted();
    fw->lines_max = FW_LINES_MAX;
    fw->pull_only = under_valgrind();
    fw->forced = mpi_fw_protocol_by_name(getenv("MPILITE_RNDV"));
    fw->posted.store = nic_alpu_new();
    fw->unexpected.store = nic_alpu_new();
    if (fw->posted.store && fw->unexpected.store)
        return fw;
    mpi_fw_delete(fw);
    return NULL;
}

void mpi_fw_delete(struct fw *fw)
{
    mpi_fw_ring_delete(fw);
    for (uint32_t i = 0; i < fw->messages.used; i++)
        mpi_fw_message_free(fw, fw_slab_at(&fw->messages, i));
    mpi_fw_sendq_delete(fw);
    mpi_fw_claims_delete(fw);
    mpi_fw_slots_delete(fw);
    mpi_fw_lines_delete(fw);
    nic_alpu_delete(fw->posted.store);
    nic_alpu_delete(fw->unexpected.store);
    mpi_fw_slab_release(&fw->requests);
    mpi_fw_slab_release(&fw->messages);
    free(fw->why);
    free(fw);
}

/* A withdrawn send is done, but who leaves before the peer has answered may leave a full inbox. */
bool mpi_fw_quiet(const struct fw *fw)
{
    return !fw->sendq && !fw->sends && !fw->active && !fw->scheds && !fw->refused
           && !fw->claims.awaited;
}

size_t mpi_fw_eager_max(const struct fw *fw) { return fw->eager_max; }
