/* One-sided operations as the model clock is told of them; see explained.h. */
#include "rma/explained.h"

#include "nicemu/explain.h"

static void end(struct mpi_win *w, uint32_t *way, int target, const char *how, size_t bytes)
{
    const struct nic_arrival a = { .one_sided = true, .target = w->part[target].world,
                                   .bytes = bytes, .how = how };
    nic_critical_path_end(mpi_nic, way, &a);
}

void mpi_rma_explain_transfer(struct mpi_win *w, int target, const char *how, size_t bytes)
{
    uint32_t way = mpi_modelled ? nic_critical_path_save_event(mpi_nic) : 0;
    if (way)
        end(w, &way, target, how, bytes);
}

void mpi_rma_explain_begin(struct mpi_win *w)
{
    if (unlikely(w->explained))
        nic_critical_path_drop(mpi_nic, &w->explained);
}

void mpi_rma_explain_end(struct mpi_win *w, int target, const char *how, size_t bytes)
{
    if (unlikely(w->explained))
        end(w, &w->explained, target, how, bytes);
}

void mpi_rma_explain_step(struct mpi_win *w)
{
    if (w->explained)
        nic_critical_path_resume(mpi_nic, &w->explained, NIC_PART_WAIT);
}

void mpi_rma_explain_answer(void *window, int status)
{
    struct mpi_win *w = window;
    (void)status;
    nic_critical_path_drop(mpi_nic, &w->explained);
    w->explained = nic_critical_path_save_event(mpi_nic);
}
