/* MPI_Pack and MPI_Unpack: packed data are the bytes of a message. */
#include <limits.h>

#include "core/err.h"
#include "core/type_data.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

/* One call's arguments; packed: the buffer of `size` bytes, of which `position` are used. */
struct packing {
    const char *call;
    const void *packed;
    MPI_Count size, position, count;
    const void *data;
    MPI_Datatype type;
    const struct mpi_type *t;
    MPI_Count bytes;            /* filled in: of all elements */
};

static int check_buffer(struct mpi_comm *c, const struct packing *p)
{
    if (p->size < 0)
        return mpi_err(c, p->call, MPI_ERR_ARG, "the packed buffer has %lld bytes",
                       (long long)p->size);
    if (p->position < 0 || p->position > p->size)
        return mpi_err(c, p->call, MPI_ERR_ARG, "position %lld is not in the buffer's %lld bytes",
                       (long long)p->position, (long long)p->size);
    if (p->bytes > p->size - p->position)
        return mpi_err(c, p->call, MPI_ERR_TRUNCATE,
                       "%lld bytes at position %lld of a buffer of %lld", (long long)p->bytes,
                       (long long)p->position, (long long)p->size);
    if (p->bytes && !p->packed)
        return mpi_err(c, p->call, MPI_ERR_BUFFER, "the packed buffer is NULL");
    return MPI_SUCCESS;
}

/* With a large count. */
static int check_data(struct mpi_comm *c, struct packing *p)
{
    int count = p->count > INT_MAX ? INT_MAX : p->count < 0 ? -1 : (int)p->count;
    int rc = mpi_check_data(p->call, c, p->data, count, p->type, &p->t);
    if (!rc && __builtin_mul_overflow(p->count, (MPI_Count)p->t->size, &p->bytes))
        rc = mpi_err(c, p->call, MPI_ERR_COUNT, "%lld elements are more than memory has",
                     (long long)p->count);
    return rc;
}

static int check(struct packing *p, const void *position, MPI_Comm comm)
{
    struct mpi_comm *c;
    MPI_ENTER(p->call);
    int rc = mpi_check_comm(p->call, comm, &c);
    if (!rc)
        rc = check_data(c, p);
    if (!rc && !position)
        rc = mpi_err(c, p->call, MPI_ERR_ARG, "the address of the position is NULL");
    return rc ? rc : check_buffer(c, p);
}

#define PACK(name, COUNT) \
    int PMPI_##name(const void *inbuf, COUNT incount, MPI_Datatype datatype, void *outbuf, \
                    COUNT outsize, COUNT *position, MPI_Comm comm) \
    { \
        struct packing p = { .call = "MPI_" #name, .packed = outbuf, .size = outsize, \
                             .position = position ? *position : 0, .count = incount, \
                             .data = inbuf, .type = datatype }; \
        int rc = check(&p, position, comm); \
        if (rc) \
            return rc; \
        mpi_type_pack(p.t, inbuf, (size_t)incount, (char *)outbuf + *position); \
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
        struct packing p = { .call = "MPI_" #name, .packed = inbuf, .size = insize, \
                             .position = position ? *position : 0, .count = outcount, \
                             .data = outbuf, .type = datatype }; \
        int rc = check(&p, position, comm); \
        if (rc) \
            return rc; \
        mpi_type_unpack(p.t, (const char *)inbuf + *position, (size_t)p.bytes, outbuf); \
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
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = mpi_check_comm(call, comm, &c);
    if (rc)
        return rc;
    const struct mpi_type *t = mpi_type_get(type);
    if (count < 0)
        return mpi_err(c, call, MPI_ERR_COUNT, "the count is %lld", (long long)count);
    if (!t)
        return mpi_err(c, call, MPI_ERR_TYPE, "%p is no datatype", (void *)type);
    if (!place)
        return mpi_err(c, call, MPI_ERR_ARG, "the address for the size is NULL");
    if (__builtin_mul_overflow(count, (MPI_Count)t->size, size))
        return mpi_err(c, call, MPI_ERR_COUNT, "%lld elements are more than memory has",
                       (long long)count);
    return MPI_SUCCESS;
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
