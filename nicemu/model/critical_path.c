/* Ways, as programs keep, join and end them: see include/nicemu/explain.h.
 *  Where nobody asks there are none. */
#include "model/critical_path.h"

#include "model/state.h"

static struct nic_explain *explain_of(const struct nic *n)
{
    return n->model ? n->model->explain : NULL;
}

uint32_t nic_critical_path_save(struct nic *n)
{
    struct nic_explain *x = explain_of(n);
    return x ? nic_explain_keep(x) : 0;
}

void nic_critical_path_join(struct nic *n, uint32_t kept, enum nic_part reason)
{
    struct nic_explain *x = explain_of(n);
    if (x)
        nic_explain_join(x, kept, reason);
}

void nic_critical_path_latest(struct nic *n, uint32_t *kept, uint32_t *other)
{
    struct nic_explain *x = explain_of(n);
    if (x)
        nic_explain_later(x, kept, other);
}

void nic_critical_path_drop(struct nic *n, uint32_t *kept)
{
    struct nic_explain *x = explain_of(n);
    if (x)
        nic_explain_drop(x, kept);
    *kept = 0;
}

uint32_t nic_critical_path_save_event(struct nic *n)
{
    struct nic_explain *x = explain_of(n);
    return x ? nic_explain_keep_event(x) : 0;
}

void nic_critical_path_resume(struct nic *n, uint32_t *kept, enum nic_part reason)
{
    struct nic_explain *x = explain_of(n);
    if (x)
        nic_explain_resume(x, kept, reason);
}

void nic_critical_path_end(struct nic *n, uint32_t *kept, const struct nic_arrival *a)
{
    struct nic_explain *x = explain_of(n);
    if (x)
        nic_explain_end_of(x, kept, a);
}

void nic_critical_path_finish(struct nic *n, uint32_t *kept, const struct nic_arrival *a)
{
    struct nic_explain *x = explain_of(n);
    uint64_t seen = n->model ? n->model->clock.free_at[NIC_RES_HOST] : 0;
    nic_completion(n);
    uint64_t noticed = n->model ? n->model->clock.free_at[NIC_RES_HOST] : 0;
    if (a)
        nic_packed(n, a->blocks, a->bytes);
    if (x)
        nic_explain_notice(x, kept, a, seen, noticed);
}

uint32_t nic_critical_path_keep(struct nic *n)
{
    struct nic_explain *x = explain_of(n);
    return x ? nic_explain_keep_any(x) : 0;
}

void nic_critical_path_take_up(struct nic *n, uint32_t *way)
{
    nic_critical_path_join(n, *way, NIC_PART_WAIT);
    nic_critical_path_drop(n, way);
}

void nic_critical_path_answer(struct nic *n, unsigned target, uint64_t bytes, const char *how)
{
    const struct nic_arrival a = { .one_sided = true, .target = target, .bytes = bytes,
                                   .how = how };
    uint32_t way = nic_critical_path_save_event(n);
    nic_critical_path_end(n, &way, &a);
}
