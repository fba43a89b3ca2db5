/* Telling the model clock what has come to its end. */
#include "core/request_notice.h"

#include <stdio.h>

#include "core/comm.h"
#include "core/gaps.h"
#include "core/match.h"

static bool is_collective(const struct fw_req *r) { return fw_match_context(r->match) & 1; }

/* "eager", "rendezvous put", and "collective put" where a collective is made of messages by the
 * host. */
static void describe_path(const struct fw_req *r, char *text, size_t size)
{
    const struct nic_profile *profile = nic_profile_of(mpi_nic);
    const char *protocol = mpi_fw_protocol_of(r);
    const char *eager = profile->protocol.eager == NIC_EAGER_RING ? "eager ring" : "eager";
    if (r->object.kind == FW_COLL)
        snprintf(text, size, "collective");
    else if (is_collective(r))
        snprintf(text, size, "collective %s", protocol ? protocol : eager);
    else if (protocol)
        snprintf(text, size, "rendezvous %s", protocol);
    else
        snprintf(text, size, "%s", eager);
}

/* A receive that was cancelled, or had no message to wait for, is no message. */
static bool is_message(const struct fw_req *r)
{
    return r->object.kind == FW_RECV && !r->cancelled && !r->host.proc_null && !r->host.empty;
}

void mpi_req_notice_slow(struct fw_req *r)
{
    char how[32];
    struct nic_arrival a = {
        .collective = r->object.kind == FW_COLL, .bytes = r->count, .how = how,
    };
    bool message = is_message(r);
    if (message) {
        a.blocks = mpi_gaps_blocks(r);
        a.source = (uint32_t)mpi_comm_peer(r->host.comm, fw_match_source(r->match));
        a.tag = is_collective(r) ? (int)(r->match & MPI_MATCH_NUMBER) : fw_match_tag(r->match);
    }
    describe_path(r, how, sizeof how);
    nic_critical_path_finish(mpi_nic, &r->way, message || a.collective ? &a : NULL);
}
