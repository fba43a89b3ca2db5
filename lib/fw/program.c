/* The control program: what the NIC calls, and the tables behind it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fw/active.h"
#include "fw/ahead.h"
#include "fw/arrived.h"
#include "fw/both_ends.h"
#include "fw/claims.h"
#include "fw/data.h"
#include "fw/eager.h"
#include "fw/held.h"
#include "fw/far_get.h"
#include "fw/steps_back.h"
#include "fw/steps_early.h"
#include "fw/lost.h"
#include "fw/message.h"
#include "fw/modelled.h"
#include "fw/one_sided.h"
#include "fw/req_list.h"
#include "fw/request.h"
#include "fw/pieces.h"
#include "fw/rndv.h"
#include "fw/rndv_control.h"
#include "fw/schedule.h"
#include "fw/sendq.h"
#include "fw/slot_ring.h"
#include "fw/shm_coll.h"
#include "fw/staged.h"
#include "fw/start.h"
#include "fw/stats.h"
#include "fw/tuning.h"
#include "fw/withdraw.h"

typedef void handler_fn(struct fw *fw, const struct nic_packet *packet);

#define FW_PACKET_HANDLER(name, handler) [FW_PACKET_##name] = handler,
static handler_fn *const handlers[FW_PACKET_COUNT] = { FW_PACKETS(FW_PACKET_HANDLER) };

static size_t at_most(size_t bytes, size_t most) { return bytes < most ? bytes : most; }

static void set_eager_limits(struct fw *fw)
{
    const struct nic_profile *profile = fw->profile;
    bool packets = profile && profile->protocol.eager == NIC_EAGER_PACKET;
    size_t most = packets ? NIC_MODEL_MESSAGE_MAX : NIC_MESSAGE_BYTES_MAX;
    size_t far_most = nic_far_bytes_max(fw->nic);
    const char *env = getenv("MPILITE_EAGER");
    if (env && *env && strspn(env, "0123456789") == strlen(env)) {
        fw->eager_max = at_most((size_t)strtoul(env, NULL, 10), most);
        fw->far_eager_max = at_most((size_t)strtoul(env, NULL, 10), far_most);
    } else if (profile) {       /* no wall time may decide there */
        fw->eager_max = fw->far_eager_max = at_most(profile->protocol.eager_limit, most);
    } else {
        fw->eager_max = FW_EAGER;
        fw->far_eager_max = at_most(FW_EAGER_FAR, far_most);
    }
}

/* The NIC owns the lists. */
static int lists_new(struct fw *fw)
{
    int rc = nic_timed_list_new(fw->nic, NIC_ALPU_POSTED, &fw->posted.list);
    return rc ? rc : nic_timed_list_new(fw->nic, NIC_ALPU_UNEXPECTED, &fw->unexpected.list);
}

static unsigned sends_packets(const struct fw *fw)
{
    bool ring = fw->modelled && fw->profile->protocol.eager == NIC_EAGER_RING;
    return ring ? 0 : NIC_SENDS_PACKETS;
}

void mpi_fw_host_sends(struct fw *fw) { nic_promise(fw->nic, sends_packets(fw)); }

static int on_attach(struct nic *nic, void *context)
{
    struct fw *fw = context;
    fw->nic = nic;
    fw->rank = nic_rank(nic);
    fw->profile = nic_profile_of(nic);
    fw->modelled = fw->profile != NULL;
    set_eager_limits(fw);
    mpi_fw_refill_init(&fw->refill, fw->modelled);
    mpi_fw_copies_init(&fw->copies, nic_ranks_per_core(nic));
    if (fw->modelled && !getenv("NICEMU_OFFLOAD"))
        fw->offload = (enum fw_offload)fw->profile->protocol.offload;
    if (fw->modelled && (fw->offload == FW_OFFLOAD_NONE || fw->offload == FW_OFFLOAD_FORWARD))
        nic_host_runs_handlers(nic, fw->offload == FW_OFFLOAD_FORWARD);
    /* until OpenSHMEM comes (shmem_init), or a window */
    nic_promise(nic, NIC_SENDS_BY_COMMANDS | sends_packets(fw));
    int rc = fw->modelled ? lists_new(fw) : 0;
    rc = rc ? rc : mpi_fw_slot_ring_attach(fw);
    rc = rc ? rc : mpi_fw_ahead_attach(fw);
    if (rc)
        return rc;
    mpi_fw_shm_coll_attach(fw);
    mpi_fw_far_attach(fw);
    if (fw->partner)
        nic_on_patrol(nic, mpi_fw_patrol, fw);
    fw->backlog = calloc(nic_ranks(nic), sizeof *fw->backlog);
    fw->far_out = calloc(nic_ranks(nic), sizeof *fw->far_out);
    return fw->backlog && fw->far_out ? mpi_fw_stats_register(fw, nic) : -ENOMEM;
}

static void handle(struct fw *fw, const struct nic_packet *p)
{
    if (p->type < FW_PACKET_COUNT && handlers[p->type]) {
        handlers[p->type](fw, p);
        return;
    }
    FW_COUNT(fw, strays_type, 1);
}

static void on_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic;
    struct fw *fw = context;
    if (p->type == FW_PACKET_EAGER)     /* the most frequent one, without the table */
        mpi_fw_eager_arrived(fw, p);
    else
        handle(fw, p);
}

static void on_gather(struct nic *nic, void *context, const struct nic_tx *m, size_t place,
                      void *to, size_t bytes)
{
    (void)nic, (void)context;
    mpi_fw_gather(m, place, to, bytes);
}

static void on_scatter(struct nic *nic, void *context, void *cookie, size_t place,
                       const void *from, size_t bytes)
{
    (void)nic, (void)context;
    mpi_fw_scatter(cookie, place, from, bytes);
}

static void on_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic;
    mpi_fw_landed(context, cookie);
}

/* Only on the model clock. */
static void on_done(struct fw *fw, struct fw_req *r)
{
    if (r->object.kind != FW_SEND && !r->detached)
        fw_critical_path_save(fw, &r->way);
    mpi_fw_done(fw, r);
}

static void on_command(struct nic *nic, void *context, const struct nic_command *c)
{
    struct fw *fw = context;
    struct fw_req *r = c->object;
    (void)nic;
    switch (c->op) {
    case FW_COMMAND_START: mpi_fw_start_submitted(fw, r); break;
    case FW_COMMAND_BEGIN: mpi_fw_begin_modelled(fw, r); break;
    case FW_COMMAND_SCHEDULE: mpi_fw_sched_begin(fw, r); break;
    case FW_COMMAND_RECEIVE: mpi_fw_deliver_message(fw, r->message, r); break;
    case FW_COMMAND_DONE: on_done(fw, r); break;
    case FW_COMMAND_LANDED: fw->carrier->landed(fw, r); break;
    }
}

static bool on_advance(struct nic *nic, void *context)
{
    (void)nic;
    struct fw *fw = context;
    bool moved = fw->sendq && mpi_fw_advance_sendq(fw);
    if (fw->active.first)
        moved |= mpi_fw_advance_active(fw);
    if (fw->scheds)
        moved |= mpi_fw_advance_scheds(fw);
    return moved;
}

static const struct nic_gaps gaps = { .gather = on_gather, .scatter = on_scatter };

const struct nic_program mpi_fw_program = {
    .name = "mpi", .attach = on_attach, .packet = on_packet, .landed = on_landed,
    .command = on_command, .advance = on_advance, .gaps = &gaps,
    .host_data = UINT64_C(1) << FW_PACKET_EAGER | UINT64_C(1) << FW_PACKET_SYNC
                 | UINT64_C(1) << FW_PACKET_AHEAD | UINT64_C(1) << FW_PACKET_ASKS
                 | UINT64_C(1) << FW_PACKET_TELLS | UINT64_C(1) << FW_PACKET_DATA,
};

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

static_assert((int)FW_OFFLOAD_NONE == NIC_OFFLOAD_NONE, "a profile's choice");
static_assert((int)FW_OFFLOAD_MATCH == NIC_OFFLOAD_MATCH, "a profile's choice");
static_assert((int)FW_OFFLOAD_ALL == NIC_OFFLOAD_ALL, "a profile's choice");
static_assert((int)FW_OFFLOAD_FORWARD == NIC_OFFLOAD_FORWARD, "a profile's choice");

static enum fw_offload offload_wanted(void)
{
    const char *env = getenv("NICEMU_OFFLOAD");
    enum fw_offload offload = env ? mpi_fw_offload_by_name(env) : FW_OFFLOAD_ALL;
    return offload == FW_OFFLOAD_COUNT ? FW_OFFLOAD_ALL : offload;
}

/* Valgrind sees what this process reads from another one, but not what another one writes here: it
 * would call those bytes uninitialised. */
static bool under_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");
    return preload && strstr(preload, "vgpreload");
}

static void read_environment(struct fw *fw)
{
    const char *staged = getenv("MPILITE_STAGED");
    fw->stage = !staged ? FW_STAGE_AS_FITS : !strcmp(staged, "buffers") ? FW_STAGE_BY_BUFFERS
                : !strcmp(staged, "inbox") ? FW_STAGE_BY_INBOX : FW_STAGE_AS_FITS;
    fw->offload = offload_wanted();
    fw->pull_only = under_valgrind();
    fw->forced = mpi_fw_protocol_by_name(getenv("MPILITE_RNDV"));
}

struct fw *mpi_fw_new(void (*retired)(struct fw_req *req))
{
    struct fw *fw = calloc(1, sizeof *fw);
    if (!fw)
        return NULL;
    fw->retired = retired;
    fw->packet = handle;
    fw->take_step = mpi_fw_sched_arrived;
    fw->want_step = mpi_fw_sched_wants;
    fw->protocols = mpi_fw_protocols;
    fw->fast_path.requests.object_bytes = sizeof(struct fw_req);
    fw->messages.object_bytes = sizeof(struct fw_unexpected);
    fw->sendq_end = &fw->sendq;
    fw_req_list_init(&fw->active);
    fw_req_list_init(&fw->waiting_for_buffer);
    fw_req_list_init(&fw->waiting_far);
    fw_req_list_init(&fw->waiting_reads);
    fw->inbox_credits = FW_INBOX_CREDITS;
    fw->far_credits = FW_FAR_CREDITS;
    fw->claim_word_area = fw->stage_area = NIC_SPAD_NONE;
    fw->steps_kept_limit = FW_STEPS_KEPT_MAX;
    read_environment(fw);
    fw->posted.store = nic_match_list_new();
    fw->unexpected.store = nic_match_list_new();
    if (fw->posted.store && fw->unexpected.store)
        return fw;
    mpi_fw_delete(fw);
    return NULL;
}

void mpi_fw_delete(struct fw *fw)
{
    if (fw->carrier)
        fw->carrier->delete(fw);
    mpi_fw_held_delete(fw);
    for (uint32_t i = 0; i < fw->messages.used; i++)
        mpi_fw_message_free(fw, fw_slab_at(&fw->messages, i));
    mpi_fw_sendq_delete(fw);
    mpi_fw_ahead_delete(fw);
    free(fw->far_out);
    mpi_fw_claims_delete(fw);
    mpi_fw_shm_coll_delete(fw);
    mpi_fw_steps_early_delete(fw);
    mpi_fw_steps_back_delete(fw);
    mpi_fw_scheds_delete(fw);
    mpi_fw_pieces_delete(fw);
    free(fw->packed);
    nic_match_list_delete(fw->posted.store);
    nic_match_list_delete(fw->unexpected.store);
    mpi_fw_slab_release(&fw->fast_path.requests);
    mpi_fw_slab_release(&fw->messages);
    free(fw->why);
    free(fw);
}

/* A withdrawn send is done, but who leaves before the peer has answered may leave a full inbox. */
bool mpi_fw_quiet(const struct fw *fw)
{
    return !fw->sendq && !fw->sends && !fw->active.first && !fw->scheds && !fw->steps_back
           && !fw->claims.awaited;
}

void mpi_fw_watch(struct fw *fw, fw_watch_fn *watch) { fw->watch = watch; }

size_t mpi_fw_eager_max(const struct fw *fw) { return fw->eager_max; }
