#include "fw/refill.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fw/tuning.h"

enum { LINE = 64 };

static void try(struct fw_refill *r)
{
    r->trial = !r->never;
    r->left = FW_REFILL_TRIAL;
    r->least[FW_LINES_READ] = r->least[FW_LINES_CLAIMED] = UINT32_MAX;
}

void mpi_fw_refill_init(struct fw_refill *r, bool modelled)
{
    const char *wanted = getenv("MPILITE_REFILL");
    bool claim = wanted && !strcmp(wanted, "claim"), leave = wanted && !strcmp(wanted, "leave");
    *r = (struct fw_refill){ .never = modelled || claim || leave, .claims = claim && !modelled };
    try(r);
}

uint64_t mpi_fw_refill_begin(const struct fw_refill *r, enum fw_lines lines)
{
    return r->trial && lines != FW_LINES_NEW ? mpi_clock_ns() : 0;
}

/* The least of several: all that disturbs takes longer. */
static void count(struct fw_refill *r, enum fw_lines lines, uint64_t ns, size_t bytes)
{
    uint64_t each = bytes ? ns * FW_REFILL_BYTES / bytes : UINT32_MAX;
    if (each < r->least[lines])
        r->least[lines] = (uint32_t)each;
}

/* Of a trial that has seen both. */
static void decide(struct fw_refill *r)
{
    uint64_t read = r->least[FW_LINES_READ], claimed = r->least[FW_LINES_CLAIMED];
    if (read == UINT32_MAX || claimed == UINT32_MAX)
        return;
    r->claims = 2 * read > 3 * claimed;
    r->trial = false;
    r->left = FW_REFILL_PAUSE;
}

void mpi_fw_refill_end(struct fw_refill *r, enum fw_lines lines, uint64_t begin, size_t bytes)
{
    if (r->never)
        return;
    if (begin)
        count(r, lines, mpi_clock_ns() - begin, bytes);
    if (--r->left)
        return;
    if (r->trial)
        decide(r);
    if (!r->left)
        try(r);
}

/* What is there stays: a packet that was made up may say that a buffer is where it is not. */
void mpi_fw_refill_claim(void *lines, size_t bytes)
{
    _Atomic unsigned char *at = lines;
    for (size_t i = 0; i < bytes; i += LINE)
        atomic_store_explicit(&at[i], atomic_load_explicit(&at[i], memory_order_relaxed),
                              memory_order_relaxed);
}
