#include "fw/posted.h"

#include "fw/claims.h"
#include "fw/queue.h"

static struct fw_req *match_modelled(struct fw *fw, uint64_t match)
{
    uint32_t index;
    if (!fw_queue_match(&fw->posted, true, match, 0, &index))
        return NULL;
    fw->fast_path.posted--;
    struct fw_req *recv = fw_slab_at(&fw->fast_path.requests, index);
    if (fw->carrier)
        fw->carrier->matched(fw, recv);
    return recv;
}

struct fw_req *mpi_fw_match_posted(struct fw *fw, uint64_t match)
{
    uint32_t index;
    FW_COUNT_DEPTH(fw, posted, fw->fast_path.posted);
    if (__builtin_expect(fw->modelled, 0))
        return match_modelled(fw, match);
    if (!fw->fast_path.posted || !fw_queue_match(&fw->posted, false, match, 0, &index))
        return NULL;
    fw->fast_path.posted--;
    return fw_slab_at(&fw->fast_path.requests, index);
}

bool mpi_fw_posted_awaits(const struct fw *fw, uint64_t match)
{
    uint32_t index;
    return !fw->modelled && fw->fast_path.posted
           && fw_queue_find(&fw->posted, false, match, 0, &index);
}

/* Only what is certain to be matched is claimed: a message that is about to become unexpected can
 * still be withdrawn. */
struct fw_req *mpi_fw_match_posted_if(struct fw *fw, uint64_t match, uint32_t source,
                                      uint32_t claim, bool *withdrawn)
{
    *withdrawn = claim && mpi_fw_posted_awaits(fw, match) && !mpi_fw_claim_take(fw, source, claim);
    return *withdrawn ? NULL : mpi_fw_match_posted(fw, match);
}

bool mpi_fw_posted_remove(struct fw *fw, const struct fw_req *recv)
{
    if (!fw_queue_remove(&fw->posted, fw->modelled, recv->index))
        return false;
    fw->fast_path.posted--;
    return true;
}
