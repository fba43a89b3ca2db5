/* Handles as integers, for languages without pointers.  Predefined handles keep their value (the
 * ABI says which integers they are), others get one from the handle table.  What is no handle, or
 * no integer of this kind, gives the null handle: these calls cannot report an error.  They may
 * come before MPI_Init. */
#include "core/handle.h"
#include "core/request.h"
#include "mpi/weak_alias.h"

#define CONVERSIONS(name, type, kind, null) \
    int PMPI_##name##_toint(type handle) \
    { \
        int value = mpi_handle_toint(kind, (uintptr_t)handle); \
        return value ? value : (int)(uintptr_t)null; \
    } \
    MPI_WEAK_ALIAS(name##_toint); \
    type PMPI_##name##_fromint(int value) \
    { \
        uintptr_t handle = mpi_handle_fromint(kind, value); \
        return handle ? (type)handle : null; \
    } \
    MPI_WEAK_ALIAS(name##_fromint)

CONVERSIONS(Comm, MPI_Comm, MPI_KIND_COMM, MPI_COMM_NULL);
CONVERSIONS(Errhandler, MPI_Errhandler, MPI_KIND_ERRHANDLER, MPI_ERRHANDLER_NULL);
CONVERSIONS(Group, MPI_Group, MPI_KIND_GROUP, MPI_GROUP_NULL);
CONVERSIONS(Info, MPI_Info, MPI_KIND_INFO, MPI_INFO_NULL);
CONVERSIONS(Message, MPI_Message, MPI_KIND_MESSAGE, MPI_MESSAGE_NULL);
CONVERSIONS(Op, MPI_Op, MPI_KIND_OP, MPI_OP_NULL);
CONVERSIONS(Session, MPI_Session, MPI_KIND_SESSION, MPI_SESSION_NULL);
CONVERSIONS(Type, MPI_Datatype, MPI_KIND_TYPE, MPI_DATATYPE_NULL);
CONVERSIONS(Win, MPI_Win, MPI_KIND_WIN, MPI_WIN_NULL);

/* -- requests: kind 4 | generation 7 | index 20, as the handle table has it for the other kinds.
 * Of requests more may be open than such an index can tell apart: those have negative integers,
 * 1 | generation 3 | index 28. */

enum {
    INT_INDEX_BITS = 20, INT_GENERATION = 127, INT_KIND_SHIFT = 27,
    FAR_INDEX_BITS = 28, FAR_GENERATION = 7,
};
#define INT_FAR (1u << 31)

static uint32_t request_bits(uint32_t index, uint32_t generation)
{
    if (index >> INT_INDEX_BITS)
        return INT_FAR | (generation & FAR_GENERATION) << FAR_INDEX_BITS | index;
    uint32_t kind = (uint32_t)MPI_KIND_REQUEST << INT_KIND_SHIFT;
    return kind | (generation & INT_GENERATION) << INT_INDEX_BITS | index;
}

int PMPI_Request_toint(MPI_Request request)
{
    uintptr_t h = (uintptr_t)request;
    uint32_t place = h & ((1u << FAR_INDEX_BITS) - 1);      /* index + 1 */
    if (h < MPI_HANDLE_PREDEFINED)
        return (int)h;
    if ((h >> 28 & 15) == MPI_KIND_PERSISTENT)
        return mpi_handle_toint(MPI_KIND_PERSISTENT, h);
    if ((h >> 28 & 15) != MPI_KIND_REQUEST || !place)
        return (int)(uintptr_t)MPI_REQUEST_NULL;
    return (int)request_bits(place - 1, (uint32_t)(h >> 32));
}
MPI_WEAK_ALIAS(Request_toint);

static MPI_Request request_from(uint32_t bits)
{
    uint32_t index = bits & ((1u << (bits & INT_FAR ? FAR_INDEX_BITS : INT_INDEX_BITS)) - 1);
    const struct fw_req *r = mpi_fw ? fw_req_at(mpi_fw, index) : NULL;
    return r && request_bits(index, r->generation) == bits ? mpi_req_handle(r) : MPI_REQUEST_NULL;
}

MPI_Request PMPI_Request_fromint(int request)
{
    if (request < 0 || request >> INT_KIND_SHIFT == MPI_KIND_REQUEST)
        return request_from((uint32_t)request);
    uintptr_t h = mpi_handle_fromint(MPI_KIND_PERSISTENT, request);
    return h ? (MPI_Request)h : MPI_REQUEST_NULL;
}
MPI_WEAK_ALIAS(Request_fromint);
