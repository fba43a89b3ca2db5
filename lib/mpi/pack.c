/* MPI_Pack and MPI_Unpack: packed data are the bytes of a message. */
#include <limits.h>

#include "core/err.h"
#include "core/type_data.h"
#include "mpi/packing.h"
#include "mpi/weak_alias.h"

static int check(struct mpi_packing *p, const void *position, MPI_Comm comm)
{
    struct mpi_comm *c;
    MPI_ENTER(p->call);
    int rc = mpi_check_comm(p->call, comm, &c);
    if (!rc)
        rc = mpi_check_data(p->call, c, p->data, p->count, p->type, &p->t);
    if (!rc)
        rc = mpi_packing_bytes(c, p, p->t->size);
    return rc ? rc : mpi_packing_room(c, p, position);
}

#define PACK(name, COUNT) \
    int PMPI_##name(const void *inbuf, COUNT incount, MPI_Datatype datatype, void *outbuf, \
                    COUNT outsize, COUNT *position, MPI_Comm comm) \
    { \
        struct mpi_packing p = { .call = "MPI_" #name, .packed = outbuf, .size = outsize, \
                             .position = position ? *position : 0, .count = incount, \
                             .data = inbuf, .type = datatype }; \
        int rc = check(&p, position, comm); \
        if (rc) \
            return rc; \
        mpi_type_pack(p.t, inbuf, (size_t)incount, (char *)outbuf + *position); \
        mpi_packing_charge(p.t, (size_t)p.bytes); \
        *position += (COUNT)p.bytes; \
        return MPI_SUCCESS; \
    } \
    MPI_WEAK_ALIAS(name)

PACK(Pack, int);
PACK(Pack_c, MPI_Count);

#define UNPACK(name, COUNT) \
    int PMPI_##name(const void *inbuf, COUNT insize, COUNT *position, void *outbuf, \
                    COUNT outcount, MPI_Datatype datatype, MPI_Comm comm) \
    { \
        struct mpi_packing p = { .call = "MPI_" #name, .packed = inbuf, .size = insize, \
                             .position = position ? *position : 0, .count = outcount, \
                             .data = outbuf, .type = datatype }; \
        int rc = check(&p, position, comm); \
        if (rc) \
            return rc; \
        mpi_type_unpack(p.t, (const char *)inbuf + *position, (size_t)p.bytes, outbuf); \
        mpi_packing_charge(p.t, (size_t)p.bytes); \
        *position += (COUNT)p.bytes; \
        return MPI_SUCCESS; \
    } \
    MPI_WEAK_ALIAS(name)

UNPACK(Unpack, int);
UNPACK(Unpack_c, MPI_Count);

/* -- how much room it takes */

static int size_of(const char *call, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                   MPI_Count *size, const void *place)
{
    struct mpi_packing p = { .call = call, .count = count, .type = type };
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_comm(call, comm, &c);
    if (!rc)
        rc = mpi_check_type(call, c, type, &p.t);
    if (!rc && count < 0)
        rc = mpi_err(c, call, MPI_ERR_COUNT, "the count is %lld", (long long)count);
    if (!rc && !place)
        rc = mpi_err(c, call, MPI_ERR_ARG, "the address for the size is NULL");
    if (!rc)
        rc = mpi_packing_bytes(c, &p, p.t->size);
    *size = p.bytes;
    return rc;
}

int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
    MPI_Count bytes = 0;
    int rc = size_of("MPI_Pack_size", incount, datatype, comm, &bytes, size);
    if (!rc)
        *size = bytes > INT_MAX ? MPI_UNDEFINED : (int)bytes;
    return rc;
}
MPI_WEAK_ALIAS(Pack_size);

int PMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size)
{
    MPI_Count bytes = 0;
    int rc = size_of("MPI_Pack_size_c", incount, datatype, comm, &bytes, size);
    if (!rc)
        *size = bytes;
    return rc;
}
MPI_WEAK_ALIAS(Pack_size_c);
