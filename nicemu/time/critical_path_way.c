/* Ways of what travels: over the bus, from router to router, and where it lands; see
 * time/critical_path.h. */
#include "base/time.h"
#include "time/critical_path.h"
#include "time/critical_path_state.h"

void nic_explain_carried(struct nic_explain *x, uint64_t time)
{
    if (!x->carries) {
        if (!x->in)
            nic_explain_catch_up(x, x->clock->now);
        x->leaving = x->way;
        nic_explain_reach_engine(x, &x->leaving, time);
    }
    x->carries = false;
    x->landed = x->leaving;
    nic_explain_extend(&x->leaving, time, NIC_PART_WIRE);
    nic_explain_expect(x, x->leaving.time == time);
}

void nic_explain_by_bus(struct nic_explain *x, uint64_t time)
{
    if (!x->in)
        nic_explain_catch_up(x, x->clock->now);
    x->leaving = x->way;
    nic_explain_extend(&x->leaving, time, NIC_PART_BUS);
    x->carries = true;
}

void nic_explain_landed(struct nic_explain *x, uint32_t *way, uint64_t time)
{
    struct nic_critical_path w = x->landed;
    nic_explain_extend(&w, time, NIC_PART_WIRE);
    nic_explain_expect(x, w.time == time);
    nic_explain_drop(x, way);
    *way = nic_explain_adopt(x, &w);
}

void nic_explain_crossed(struct nic_explain *x, uint32_t way, uint64_t crossing)
{
    struct nic_critical_path *w = &x->kept[way].way;
    if (!way)
        return;
    x->kept[way].crossing = crossing;
    nic_explain_extend(w, w->time + crossing, NIC_PART_BUS);
}

void nic_explain_waited(struct nic_explain *x, uint32_t way, uint64_t time)
{
    if (way)
        nic_explain_extend(&x->kept[way].way, time, NIC_PART_WAIT);
}

void nic_explain_delayed(struct nic_explain *x, uint64_t time)
{
    nic_explain_extend(&x->leaving, time, NIC_PART_WIRE);
}

/* What comes last is the wire; where no engine sends, before it the bus. */
void nic_explain_only(struct nic_explain *x, uint64_t time)
{
    static const enum nic_part last[] = { NIC_PART_WIRE, NIC_PART_BUS };
    struct nic_critical_path *w = &x->leaving;
    for (unsigned i = 0; i < 2 && w->time > time; i++) {
        uint64_t less = nic_time_sooner(w->time - time, w->part[last[i]]);
        w->part[last[i]] -= less;
        w->time -= less;
    }
    nic_explain_expect(x, w->time == time);
}

void nic_explain_at_router(struct nic_explain *x, uint32_t way)
{
    x->leaving = way ? x->kept[way].way : x->way;
    nic_explain_drop(x, &way);
}

void nic_explain_passed(struct nic_explain *x, uint64_t waited, uint64_t time)
{
    nic_explain_extend(&x->leaving, waited, NIC_PART_WAIT);
    nic_explain_extend(&x->leaving, time, NIC_PART_WIRE);
}
