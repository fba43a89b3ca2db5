/* Which short collectives may begin, and which are finished; see shm_coll.h. */
#include "fw/shm_window.h"

/* What was a window back in this place went along the chain too, and was for the rank above only:
 * so each rank may be a window ahead of the next, and the chain as deep as it is long.  The first
 * few of a row were for all, who look back.  The next row is taken to be as long as the last; all
 * ranks see the same rows. */
void mpi_fw_shm_note_chain(struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    if (op->k != s->chain_last + 1) {
        bool was_long = s->chain_last - s->chain_first >= FW_SHM_WINDOW;
        s->chain_first = op->k;
        s->chain_rest = op->k + (was_long ? 0 : FW_SHM_LOOK_BACK);
    }
    s->chain_last = op->k;
    op->looks_back = op->k < s->chain_rest;
    op->for_one = op->k >= s->chain_rest + FW_SHM_WINDOW;
}

/* That rank is to ring when it has come on: see mpi_fw_shm_tell_done. */
static void ask(struct fw_shm_coll *s, uint32_t rank, uint32_t mark)
{
    s->asked = rank;
    s->heard = atomic_fetch_or(&fw_shm_area_of(s, rank)->awaited, mark) / FW_SHM_HEARD;
}

/* It will. */
static bool is_asked(const struct fw_shm_coll *s, uint32_t rank)
{
    const _Atomic uint32_t *awaited = &fw_shm_area_of(s, rank)->awaited;
    return s->asked == rank
           && atomic_load_explicit(awaited, memory_order_relaxed) / FW_SHM_HEARD == s->heard;
}

static bool one_is_open(const struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    if (op->k <= s->above + FW_SHM_WINDOW || s->rank + 1 == s->size)
        return true;
    s->above = fw_shm_done_of(s, s->rank + 1);
    if (op->k <= s->above + FW_SHM_WINDOW)
        return true;
    ask(s, s->rank + 1, FW_SHM_BELOW);
    return false;
}

/* All ranks are asked in turn; one that is behind is told that it is awaited, and asked again. */
bool mpi_fw_shm_ask_window(const struct fw_shm_op *op)
{
    struct fw_shm_coll *s = op->slots;
    if (op->for_one)
        return one_is_open(op);
    if (!s->scan)
        s->least = UINT64_MAX;
    for (; s->scan < s->size; s->scan++) {
        if (fw_shm_is_behind(op, s->scan)) {
            ask(s, s->scan, FW_SHM_SOME);
            return false;
        }
        uint64_t done = fw_shm_done_of(s, s->scan);
        s->least = done < s->least ? done : s->least;
    }
    s->scan = 0;
    s->known = s->least;
    return fw_shm_window_is_known(op);      /* the first may have been asked for an older one */
}

bool mpi_fw_shm_is_held_up(const struct fw_shm_op *op)
{
    const struct fw_shm_coll *s = op->slots;
    uint32_t rank = op->for_one ? s->rank + 1 : s->scan;
    return rank < s->size && is_asked(s, rank) && fw_shm_is_behind(op, rank);
}

void mpi_fw_shm_finish_out_of_order(struct fw_shm_coll *s, uint64_t k)
{
    s->finished |= UINT64_C(1) << (k - s->done - 1);
    for (; s->finished & 1; s->finished >>= 1)
        s->done++;
}
