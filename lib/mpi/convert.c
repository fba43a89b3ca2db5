/* Handles as integers, for languages without pointers.  Predefined handles keep
 * their value (the ABI says which integers they are), others get one from the
 * handle table.  What is no handle, or no integer of this kind, gives the null
 * handle: these calls cannot report an error.  They may come before MPI_Init. */
#include "mpi/handle.h"
#include "mpi/twin.h"

#define CONVERSIONS(name, type, kind, null) \
    int PMPI_##name##_toint(type handle) \
    { \
        int value = mpi_handle_toint(kind, (uintptr_t)handle); \
        return value ? value : (int)(uintptr_t)null; \
    } \
    TWIN(name##_toint); \
    type PMPI_##name##_fromint(int value) \
    { \
        uintptr_t handle = mpi_handle_fromint(kind, value); \
        return handle ? (type)handle : null; \
    } \
    TWIN(name##_fromint)

CONVERSIONS(Comm, MPI_Comm, MPI_KIND_COMM, MPI_COMM_NULL);
CONVERSIONS(Errhandler, MPI_Errhandler, MPI_KIND_ERRHANDLER, MPI_ERRHANDLER_NULL);
CONVERSIONS(Group, MPI_Group, MPI_KIND_GROUP, MPI_GROUP_NULL);
CONVERSIONS(Info, MPI_Info, MPI_KIND_INFO, MPI_INFO_NULL);
CONVERSIONS(Message, MPI_Message, MPI_KIND_MESSAGE, MPI_MESSAGE_NULL);
CONVERSIONS(Op, MPI_Op, MPI_KIND_OP, MPI_OP_NULL);
CONVERSIONS(Type, MPI_Datatype, MPI_KIND_TYPE, MPI_DATATYPE_NULL);
