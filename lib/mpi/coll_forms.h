/* The functions of one collective: blocking, non-blocking and persistent, each with counts of int
 * and with large ones.  They differ in the last parameters, and in what their plan begins with.
 *
 *     #define BCAST(NAME, COUNT, PLACE, FORM) \
 *         int PMPI_##NAME(void *buffer, COUNT count, ..., MPI_Comm comm MPI_COLL_MORE_##FORM) \
 *         { \
 *             struct mpi_coll_plan p = { .call = "MPI_" #NAME MPI_COLL_FORM_##FORM }; \
 *             return bcast(&p, buffer, count, ..., comm); \
 *         } \
 *         MPI_WEAK_ALIAS(NAME)
 *     MPI_COLL_FORMS(BCAST, Bcast, bcast);
 *
 * COUNT is the type of its counts, PLACE that of its displacements. */
#ifndef MPI_COLL_FORMS_H
#define MPI_COLL_FORMS_H

#include "coll/coll.h"
#include "mpi/weak_alias.h"

#define MPI_COLL_MORE_BLOCKING
#define MPI_COLL_MORE_NONBLOCKING , MPI_Request *request
#define MPI_COLL_MORE_PERSISTENT , MPI_Info info, MPI_Request *request

#define MPI_COLL_FORM_BLOCKING
#define MPI_COLL_FORM_NONBLOCKING , .form = MPI_COLL_NONBLOCKING, .request = request
#define MPI_COLL_FORM_PERSISTENT , .form = MPI_COLL_PERSISTENT, .info = info, .request = request

/* Of one kind of counts; large: what the names end with. */
#define MPI_COLL_FORMS_OF(DEFINE, Name, name, large, COUNT, PLACE) \
    DEFINE(Name##large, COUNT, PLACE, BLOCKING); \
    DEFINE(I##name##large, COUNT, PLACE, NONBLOCKING); \
    DEFINE(Name##_init##large, COUNT, PLACE, PERSISTENT)

#define MPI_COLL_FORMS(DEFINE, Name, name) \
    MPI_COLL_FORMS_OF(DEFINE, Name, name, , int, int); \
    MPI_COLL_FORMS_OF(DEFINE, Name, name, _c, MPI_Count, MPI_Aint)

#endif
