/* What libshmem and tools use of this library besides the functions of MPI: one table, so that
 * these are no names that a program could take, and cost MPI's own calls nothing.  The libraries
 * come from one build; `size` tells if they do not. */
#ifndef MPI_DOOR_H
#define MPI_DOOR_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"
#include "nicemu/atomic.h"
#include "nicemu/explain.h"
#include "nicemu/heap.h"
#include "nicemu/job.h"
#include "nicemu/model.h"
#include "nicemu/pgas_queue.h"
#include "nicemu/remote.h"
#include "nicemu/threads.h"
#include "nicemu/trace.h"

/* Functions of the NIC, by their own names. */
#define MPI_DOOR_NIC(X) \
    X(nic_rank) X(nic_ranks) X(nic_modelled) X(nic_oversubscribed) \
    X(nic_enter) X(nic_leave) X(nic_step) X(nic_wait_turn) X(nic_notify) X(nic_attention) \
    X(nic_register) X(nic_deregister) X(nic_put) X(nic_get) X(nic_atomic) \
    X(nic_remote_allowed) X(nic_hold_service) \
    X(nic_heap_alloc) X(nic_heap_free) X(nic_heap_at) X(nic_heap_size) \
    X(nic_pgas_open) X(nic_pgas_close) X(nic_pgas_write) X(nic_pgas_flush) \
    X(nic_pgas_quiet) X(nic_moment) X(nic_trace) X(nic_promise) X(nic_profile_of) X(nic_fd_find) \
    X(nic_critical_path_save_event) X(nic_critical_path_end)

struct mpi_door {
    size_t size;                /* of this table */
#define MPI_DOOR_MEMBER(name) __typeof__(name) *name;
    MPI_DOOR_NIC(MPI_DOOR_MEMBER)
    struct nic *(*nic)(void);   /* NULL: not open */
    void (*in_child)(void (*own_memory)(void));     /* mpi_world_in_child */
    void (*children_own)(void);     /* mpi_rma_children_own */
    /* mpi_rma_move_variables, and back */
    bool (*move_variables)(void *base, size_t bytes, uint64_t *offset);
    void (*move_back)(void *base, size_t bytes);
    void (*die)(int code) __attribute__((noreturn));    /* ends the job */
    /* mpi_refuse */
    void (*refuse)(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
    void (*tell_call)(const char *call);    /* before that: where the program called it */
    /* Of all ranks of the job: MPILITE_STATS, where it is asked for. */
    void (*show_stats)(const char *call, MPI_Comm comm);
    /* Collectives whose messages call them `call`. */
    int (*barrier)(const char *call, MPI_Comm comm);
    int (*bcast)(const char *call, void *data, size_t count, MPI_Datatype type, int root,
                 MPI_Comm comm);
    int (*allgather)(const char *call, const void *send, size_t bytes, void *recv, MPI_Comm comm);
    int (*allgatherv)(const char *call, const void *send, size_t bytes, void *recv,
                      const MPI_Count *counts, const MPI_Aint *displs, MPI_Comm comm);
    int (*alltoall)(const char *call, const void *send, size_t scount, MPI_Datatype stype,
                    void *recv, size_t rcount, MPI_Datatype rtype, MPI_Comm comm);
    int (*allreduce)(const char *call, const void *send, void *recv, size_t count,
                     MPI_Datatype type, MPI_Op op, MPI_Comm comm);
    /* For the checks: where the program calls that makes communicators from here on, in this
     * thread; NULL: as always.  And see stand.h. */
    void (*check)(void);        /* this rank is checked */
    void (*on_leaving)(void (*leaves)(void));   /* mpi_err_leaves */
    bool (*checked)(MPI_Comm comm);     /* those that have made it, of both groups, all are */
    bool (*meet)(void);         /* mpi_library_meet */
    void (*made_at)(const void *caller);
    void (*label)(MPI_Comm comm, char *text, size_t size);
    uint64_t (*stand_since)(void);
    void (*stand_requests)(const char *call, int count, const MPI_Request *requests, bool any,
                           uint64_t since);
    void (*stand_probe)(const char *call, int source, int tag, MPI_Comm comm, uint64_t since);
    /* In place of the handle that all sends share which are over at once, one of its own: as if it
     * had not been. */
    void (*own_request)(MPI_Comm comm, MPI_Request *request);
    /* A message is there that such a receive would take.  Arguments that are wrong: false. */
    bool (*arrived)(int source, int tag, MPI_Comm comm);
    /* Bytes of the data of `count` elements, if these are one run, in its order, that begins `at`
     * bytes behind the buffer's address; otherwise 0. */
    size_t (*run_of)(MPI_Count count, MPI_Datatype type, ptrdiff_t *at);
};

extern const struct mpi_door mpi_door __attribute__((visibility("default")));

#endif
