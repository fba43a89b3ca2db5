/* What is wrong with the arguments of calls with windows. */
#include "mpi/win_args.h"

#include "core/label.h"
#include "mpi/args.h"
#include "nicemu/machines.h"

int mpi_check_win(const char *call, MPI_Win win, struct mpi_win **w)
{
    *w = mpi_win_get(win);
    if (likely(*w))
        return MPI_SUCCESS;
    if (win == MPI_WIN_NULL)
        return mpi_err(NULL, call, MPI_ERR_WIN, "the window is MPI_WIN_NULL");
    return mpi_err(NULL, call, MPI_ERR_WIN, "%p is no window (freed?)", (void *)win);
}

int mpi_check_target(const char *call, struct mpi_win *w, int rank)
{
    char label[MPI_LABEL_LONG];
    if (likely((unsigned)rank < (unsigned)w->comm->size || rank == MPI_PROC_NULL))
        return MPI_SUCCESS;
    return mpi_win_err(w, call, MPI_ERR_RANK, "rank %d is not in 0..%d, the ranks of %s", rank,
                       w->comm->size - 1, mpi_label_long(w->comm, label, sizeof label));
}

int mpi_check_assert(const char *call, struct mpi_win *w, int assert, int known)
{
    if (likely(!(assert & ~known)))
        return MPI_SUCCESS;
    return mpi_win_err(w, call, MPI_ERR_ASSERT, "%d is not made of assertions that the call takes",
                       assert);
}

static int check_type(const char *call, struct mpi_win *w, const char *whose, MPI_Datatype type,
                      const struct mpi_type **t)
{
    *t = mpi_type_get(type);
    if (!*t)
        return mpi_win_err(w, call, MPI_ERR_TYPE, type == MPI_DATATYPE_NULL
                           ? "the %s's datatype is MPI_DATATYPE_NULL" : "the %s's is no datatype",
                           whose);
    if (!(*t)->committed)
        return mpi_win_err(w, call, MPI_ERR_TYPE, "the %s's datatype has not been committed",
                           whose);
    return MPI_SUCCESS;
}

int mpi_check_side(const char *call, struct mpi_win *w, const char *whose, const void *at,
                   MPI_Count count, MPI_Datatype type, struct mpi_rma_side *s)
{
    const struct mpi_type *t;
    ptrdiff_t bytes;
    if (unlikely(count < 0))
        return mpi_win_err(w, call, MPI_ERR_COUNT, "the %s's count is %lld", whose,
                           (long long)count);
    int rc = check_type(call, w, whose, type, &t);
    if (unlikely(rc))
        return rc;
    if (unlikely(__builtin_mul_overflow((size_t)count, t->size, &bytes)
                 || !mpi_rma_side(s, at, (size_t)count, t)))
        return mpi_win_err(w, call, MPI_ERR_COUNT, "%lld elements are beyond 2^63 bytes",
                           (long long)count);
    if (unlikely(!at && s->bytes && mpi_is_nowhere(at, t)))
        return mpi_win_err(w, call, MPI_ERR_BUFFER, "the %s's buffer is NULL and its count %lld",
                           whose, (long long)count);
    if (unlikely(at == MPI_IN_PLACE && s->bytes))
        return mpi_win_err(w, call, MPI_ERR_BUFFER, "MPI_IN_PLACE stands for the %s's buffer",
                           whose);
    return MPI_SUCCESS;
}

/* Who has ended: on another machine the NIC knows more. */
static int raise_ended(const char *call, struct mpi_win *w, int target)
{
    const char *why = NULL;
    int ended = -1;
    nic_enter(mpi_nic);
    for (int i = 0; !why && i < w->comm->size; i++) {
        why = nic_lost(mpi_nic, mpi_win_world(w, i));
        ended = ended < 0 && nic_gone(mpi_nic, mpi_win_world(w, i)) ? i : ended;
    }
    nic_leave(mpi_nic);
    if (why)
        return mpi_win_err(w, call, MPI_ERR_PROC_ABORTED, "%s", why);
    return mpi_win_err(w, call, MPI_ERR_PROC_ABORTED, "rank %d of the window has ended",
                       ended < 0 ? target : ended);
}

int mpi_rma_raise(const char *call, struct mpi_win *w, int class, int target)
{
    switch (class) {
    case MPI_SUCCESS:
        return class;
    case MPI_ERR_RMA_RANGE:
        return mpi_win_err(w, call, class, "memory of rank %d that is not in the window", target);
    case MPI_ERR_BUFFER:
        return mpi_win_err(w, call, class, "copying between this rank's buffer and the memory of "
                           "rank %d failed: may both be read, and written to where the call does "
                           "that? What the kernel does not copy goes with NICEMU_RDMA=staged",
                           target);
    case MPI_ERR_NO_MEM:
        return mpi_win_err(w, call, class, "no memory for the operation");
    case MPI_ERR_PROC_ABORTED:
        return raise_ended(call, w, target);
    case MPI_ERR_INTERN:
        return mpi_win_err(w, call, class, "the words of rank %d's lock say what cannot be: "
                           "something has written over them", target);
    default:
        return mpi_win_err(w, call, class, "memory of rank %d of the window cannot be reached",
                           target);
    }
}
