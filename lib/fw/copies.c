#include "fw/copies.h"

#include <string.h>

#include "base/clock.h"
#include "fw/tuning.h"

/* Nobody has asked yet, and where each rank has a core nobody will: no copy is timed. */
void mpi_fw_copies_init(struct fw_copies *c, unsigned sharing)
{
    *c = (struct fw_copies){ .turns_ns = FW_COPIES_TURN_NS * sharing,
                             .pause = FW_COPIES_PAUSE_FIRST };
}

static void try(struct fw_copies *c)
{
    c->trial = true;
    c->left = FW_COPIES_TRIAL;
    memset(c->sum, 0, sizeof c->sum);
}

static bool is_known(const struct fw_copies *c, enum fw_copy copy) { return c->sum[copy].bytes; }

/* ns for FW_COPIES_BYTES */
static uint64_t price(const struct fw_copies *c, enum fw_copy copy)
{
    return c->sum[copy].ns * FW_COPIES_BYTES / c->sum[copy].bytes;
}

/* Who has filled none, as it only receives, takes its peers to be as quick as it is. */
static void decide(struct fw_copies *c)
{
    if (!is_known(c, FW_COPY_TAKE) || !is_known(c, FW_COPY_READ))
        return;                 /* one is still under way: the trial goes on */
    uint64_t fill = price(c, is_known(c, FW_COPY_FILL) ? FW_COPY_FILL : FW_COPY_TAKE);
    c->lead = (int64_t)price(c, FW_COPY_READ) - (int64_t)(fill + price(c, FW_COPY_TAKE));
    c->trial = false;
    c->left = c->pause;
    c->pause = c->pause * 4 < FW_COPIES_PAUSE ? c->pause * 4 : FW_COPIES_PAUSE;
}

static bool is_worth_a_turn(const struct fw_copies *c, size_t bytes)
{
    return c->lead > 0 && (double)c->lead * (double)bytes / FW_COPIES_BYTES > c->turns_ns;
}

bool mpi_fw_copies_once(struct fw_copies *c, size_t bytes)
{
    if (bytes < FW_COPIES_BYTES)
        return true;
    if (!c->left) {
        if (c->trial)
            decide(c);
        if (!c->left)
            try(c);
    }
    c->left--;
    return c->trial ? c->left & 1 : !is_worth_a_turn(c, bytes);
}

uint64_t mpi_fw_copies_begin(const struct fw_copies *c) { return c->trial ? mpi_clock_ns() : 0; }

/* The mean, as a buffer's lines are now in this core's cache and now in another's; but what took
 * that long was not the copy, and of a short one most is the call. */
void mpi_fw_copies_count(struct fw_copies *c, enum fw_copy copy, uint64_t ns, size_t bytes)
{
    if (ns >= FW_COPIES_DISTURBED_NS || bytes < FW_STAGE_PART_MIN)
        return;
    c->sum[copy].ns += ns;
    c->sum[copy].bytes += bytes;
}

void mpi_fw_copies_end(struct fw_copies *c, enum fw_copy copy, uint64_t begin, size_t bytes)
{
    if (begin)
        mpi_fw_copies_count(c, copy, mpi_clock_ns() - begin, bytes);
}
