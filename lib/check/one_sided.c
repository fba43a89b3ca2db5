/* One-sided calls, and those that complete them. */
#include "check/accesses.h"
#include "check/by_hand.h"
#include "check/caller.h"
#include "check/clashes.h"
#include "check/objects.h"
#include "mpi/door.h"

static const struct check_buffer nothing;

static enum check_effect effect_of(MPI_Op op)
{
    return op == MPI_NO_OP ? CHECK_FETCHES : CHECK_COMBINES;
}

/* -- accesses.  Of those with a request, which completes them by itself, only what they write is
 * followed, and not their buffers. */

#define PUT(name, count_t) \
    int check_##name(const void *from, count_t count, MPI_Datatype type, int target, \
                     MPI_Aint disp, count_t there, MPI_Datatype its, MPI_Win win) \
    { \
        int rc = PMPI_##name(from, count, type, target, disp, there, its, win); \
        if (!rc) \
            check_access_made(win, &(struct check_access){ \
                check_name(), check_caller(), CHECK_WRITES, false, target, disp, there, its, \
                check_buffer_find(from, count, type), nothing }); \
        return rc; \
    }
PUT(Put, int)
PUT(Put_c, MPI_Count)

#define GET(name, count_t) \
    int check_##name(void *to, count_t count, MPI_Datatype type, int target, MPI_Aint disp, \
                     count_t there, MPI_Datatype its, MPI_Win win) \
    { \
        int rc = PMPI_##name(to, count, type, target, disp, there, its, win); \
        if (!rc) \
            check_access_made(win, &(struct check_access){ \
                check_name(), check_caller(), CHECK_READS, true, target, disp, there, its, \
                nothing, check_buffer_find(to, count, type) }); \
        return rc; \
    }
GET(Get, int)
GET(Get_c, MPI_Count)

#define ACCUMULATE(name, count_t) \
    int check_##name(const void *from, count_t count, MPI_Datatype type, int target, \
                     MPI_Aint disp, count_t there, MPI_Datatype its, MPI_Op op, MPI_Win win) \
    { \
        int rc = PMPI_##name(from, count, type, target, disp, there, its, op, win); \
        if (!rc) \
            check_access_made(win, &(struct check_access){ \
                check_name(), check_caller(), CHECK_COMBINES, false, target, disp, there, its, \
                check_buffer_find(from, count, type), nothing }); \
        return rc; \
    }
ACCUMULATE(Accumulate, int)
ACCUMULATE(Accumulate_c, MPI_Count)

#define GET_ACCUMULATE(name, count_t) \
    int check_##name(const void *from, count_t count, MPI_Datatype type, void *to, \
                     count_t results, MPI_Datatype result, int target, MPI_Aint disp, \
                     count_t there, MPI_Datatype its, MPI_Op op, MPI_Win win) \
    { \
        int rc = PMPI_##name(from, count, type, to, results, result, target, disp, there, its, \
                             op, win); \
        if (!rc) \
            check_access_made(win, &(struct check_access){ \
                check_name(), check_caller(), effect_of(op), true, target, disp, there, its, \
                op == MPI_NO_OP ? nothing : check_buffer_find(from, count, type), \
                check_buffer_find(to, results, result) }); \
        return rc; \
    }
GET_ACCUMULATE(Get_accumulate, int)
GET_ACCUMULATE(Get_accumulate_c, MPI_Count)

int check_Fetch_and_op(const void *from, void *to, MPI_Datatype type, int target, MPI_Aint disp,
                       MPI_Op op, MPI_Win win)
{
    int rc = PMPI_Fetch_and_op(from, to, type, target, disp, op, win);
    if (!rc)
        check_access_made(win, &(struct check_access){
            check_name(), check_caller(), effect_of(op), true, target, disp, 1, type,
            op == MPI_NO_OP ? nothing : check_buffer_find(from, 1, type),
            check_buffer_find(to, 1, type) });
    return rc;
}

int check_Compare_and_swap(const void *from, const void *compare, void *to, MPI_Datatype type,
                           int target, MPI_Aint disp, MPI_Win win)
{
    int rc = PMPI_Compare_and_swap(from, compare, to, type, target, disp, win);
    if (!rc)
        check_access_made(win, &(struct check_access){
            check_name(), check_caller(), CHECK_COMBINES, true, target, disp, 1, type,
            check_buffer_find(from, 1, type), check_buffer_find(to, 1, type) });
    return rc;
}

#define RPUT(name, count_t) \
    int check_##name(const void *from, count_t count, MPI_Datatype type, int target, \
                     MPI_Aint disp, count_t there, MPI_Datatype its, MPI_Win win, \
                     MPI_Request *request) \
    { \
        int rc = PMPI_##name(from, count, type, target, disp, there, its, win, request); \
        if (rc) \
            return rc; \
        mpi_door.own_request(MPI_COMM_SELF, request); \
        check_made(CHECK_REQUEST, (uintptr_t)*request, check_name(), check_caller()); \
        check_access_made(win, &(struct check_access){ \
            check_name(), check_caller(), CHECK_WRITES, false, target, disp, there, its, nothing, \
            nothing }); \
        return rc; \
    }
RPUT(Rput, int)
RPUT(Rput_c, MPI_Count)

#define RACCUMULATE(name, count_t) \
    int check_##name(const void *from, count_t count, MPI_Datatype type, int target, \
                     MPI_Aint disp, count_t there, MPI_Datatype its, MPI_Op op, MPI_Win win, \
                     MPI_Request *request) \
    { \
        int rc = PMPI_##name(from, count, type, target, disp, there, its, op, win, request); \
        if (rc) \
            return rc; \
        mpi_door.own_request(MPI_COMM_SELF, request); \
        check_made(CHECK_REQUEST, (uintptr_t)*request, check_name(), check_caller()); \
        check_access_made(win, &(struct check_access){ \
            check_name(), check_caller(), CHECK_COMBINES, false, target, disp, there, its, \
            nothing, nothing }); \
        return rc; \
    }
RACCUMULATE(Raccumulate, int)
RACCUMULATE(Raccumulate_c, MPI_Count)

/* -- what completes them */

#define COMPLETES(name, parameters, arguments, target, there) \
    int check_##name parameters \
    { \
        check_accesses_look(win, target); \
        int rc = PMPI_##name arguments; \
        if (!rc) \
            check_accesses_done(win, target, there); \
        return rc; \
    }
COMPLETES(Win_flush, (int rank, MPI_Win win), (rank, win), rank, true)
COMPLETES(Win_flush_local, (int rank, MPI_Win win), (rank, win), rank, false)
COMPLETES(Win_unlock, (int rank, MPI_Win win), (rank, win), rank, true)
COMPLETES(Win_flush_all, (MPI_Win win), (win), CHECK_ALL_TARGETS, true)
COMPLETES(Win_flush_local_all, (MPI_Win win), (win), CHECK_ALL_TARGETS, false)
COMPLETES(Win_unlock_all, (MPI_Win win), (win), CHECK_ALL_TARGETS, true)
COMPLETES(Win_complete, (MPI_Win win), (win), CHECK_ALL_TARGETS, true)

int check_Win_fence(int assert, MPI_Win win)
{
    check_accesses_look(win, CHECK_ALL_TARGETS);
    int rc = PMPI_Win_fence(assert, win);
    if (rc)
        return rc;
    check_clashes_find(win);
    check_accesses_done(win, CHECK_ALL_TARGETS, true);
    return rc;
}

int check_Win_free(MPI_Win *win)
{
    uintptr_t before = win ? (uintptr_t)*win : 0;

    struct check_window *w = win ? check_window_take(*win) : NULL;
    int rc = PMPI_Win_free(win);

    if (!rc && w)
        check_accesses_drop(w);
    check_window_freed(w, !rc);
    if (!rc)
        check_freed(CHECK_WIN, before);
    return rc;
}
