/* The list of performance variables, and where each value comes from. */
#include "tool/pvar_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/world.h"
#include "fw/stats.h"
#include "tool/source.h"
#include "tool/tool.h"

/* -- figures: of the hardware, then of the firmware */

static uint64_t *kept;      /* by index; NULL: MPI_Finalize has not come */

int mpi_tool_pvars_hardware(void) { return (int)nic_stat_count(NULL); }

int mpi_tool_pvars_figures(void)
{
    static _Atomic int firmware;        /* counted by whoever comes first, or by several */
    int n = firmware;
    if (!n) {
        while (mpi_fw_stat_info((unsigned)n))
            n++;
        firmware = n;
    }
    return mpi_tool_pvars_hardware() + n;
}

static bool figure_info(int index, struct nic_stat_info *info)
{
    int hardware = mpi_tool_pvars_hardware();
    if (index < hardware)
        return !nic_stat_info(NULL, (unsigned)index, info);
    const struct nic_stat_info *i = mpi_fw_stat_info((unsigned)(index - hardware));
    if (i)
        *info = *i;
    return i;
}

static uint64_t figure(int index)
{
    struct nic_stat_info info;
    if (!mpi_tool_nic())
        return kept ? kept[index] : 0;
    if (index < mpi_tool_pvars_hardware())
        return nic_stat_read(mpi_tool_nic(), (unsigned)index);
    int place = figure_info(index, &info) ? nic_stat_find(mpi_tool_nic(), info.name) : -1;
    return place < 0 ? 0 : nic_stat_read(mpi_tool_nic(), (unsigned)place);
}

void mpi_tool_keep_values(void)
{
    int count = mpi_tool_pvar_count();
    uint64_t *values = malloc((size_t)count * sizeof *values);
    for (int i = 0; values && i < count; i++)
        values[i] = mpi_tool_value(i);
    free(kept);
    kept = values;
}

/* -- of the job */

static uint64_t state(void) { return (uint64_t)mpi_state_now(); }
static uint64_t elapsed(void) { return (uint64_t)mpi_tool_now(); }
static uint64_t eager_limit(void) { return mpi_tool_nic() ? mpi_eager_max : 0; }

static uint64_t named(const char *name)
{
    int place = mpi_tool_nic() ? nic_stat_find(mpi_tool_nic(), name) : -1;
    return place < 0 ? 0 : nic_stat_read(mpi_tool_nic(), (unsigned)place);
}

/* In millionths. */
static uint64_t short_share(void)
{
    uint64_t all = named("packets_sent");
    return all ? (uint64_t)((double)named("sends_short") / (double)all * 1e6) : 0;
}

static const struct { struct mpi_tool_pvar pvar; uint64_t (*value)(void); } others[] = {
    { { "mpi_state", "how far MPI has come in this process", "", MPI_T_PVAR_CLASS_STATE, MPI_INT,
        false }, state },
    { { "elapsed", "time that has passed, on the clock of MPI_Wtime", "seconds",
        MPI_T_PVAR_CLASS_TIMER, MPI_DOUBLE, true }, elapsed },
    { { "eager_limit", "length up to which messages travel with their envelope", "bytes",
        MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED_LONG_LONG, false }, eager_limit },
    { { "sends_short_share", "of the packets sent, those that went the short way", "",
        MPI_T_PVAR_CLASS_PERCENTAGE, MPI_DOUBLE, false }, short_share },
};
enum { OTHERS = sizeof others / sizeof *others };

/* -- all */

int mpi_tool_pvar_count(void) { return mpi_tool_pvars_figures() + OTHERS; }

bool mpi_tool_pvar(int index, struct mpi_tool_pvar *p)
{
    static const int classes[] = {
        [NIC_STAT_COUNTER] = MPI_T_PVAR_CLASS_COUNTER, [NIC_STAT_LEVEL] = MPI_T_PVAR_CLASS_LEVEL,
        [NIC_STAT_HIGH_WATER] = MPI_T_PVAR_CLASS_HIGHWATERMARK,
    };
    struct nic_stat_info info;
    int other = index - mpi_tool_pvars_figures();
    if (index < 0 || other >= OTHERS)
        return false;
    if (other >= 0) {
        *p = others[other].pvar;
        return true;
    }
    figure_info(index, &info);
    *p = (struct mpi_tool_pvar){
        .name = info.name, .text = info.text, .class = classes[info.kind],
        .type = MPI_UNSIGNED_LONG_LONG, .counts = info.kind == NIC_STAT_COUNTER,
    };
    snprintf(p->unit, sizeof p->unit, "%s", info.unit);
    return true;
}

uint64_t mpi_tool_value(int index)
{
    int other = index - mpi_tool_pvars_figures();
    if (other < 0)
        return figure(index);
    bool over = !mpi_tool_nic() && kept && others[other].value != state;
    return over ? kept[index] : others[other].value();
}

/* The parts of one, of a variable that is a double. */
static double parts(int index)
{
    bool timer = others[index - mpi_tool_pvars_figures()].value == elapsed;
    return timer ? (double)mpi_tool_ticks() : 1e6;
}

void mpi_tool_value_give(int index, uint64_t value, void *place)
{
    struct mpi_tool_pvar p;
    mpi_tool_pvar(index, &p);
    if (p.type == MPI_DOUBLE)
        *(double *)place = (double)value / parts(index);
    else if (p.type == MPI_INT)
        *(int *)place = (int)value;
    else
        memcpy(place, &value, sizeof value);
}

uint64_t mpi_tool_value_take(int index, const void *place)
{
    struct mpi_tool_pvar p;
    uint64_t value;
    mpi_tool_pvar(index, &p);
    if (p.type == MPI_DOUBLE)
        return (uint64_t)(*(const double *)place * parts(index));
    memcpy(&value, place, sizeof value);
    return value;
}
