/* MPI_Pack_external, MPI_Unpack_external and MPI_Pack_external_size. */
#include <stdlib.h>
#include <string.h>

#include "core/comm.h"
#include "core/err.h"
#include "core/external.h"
#include "core/type_data.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

/* One call's arguments; the last two are filled in. */
struct packing {
    const char *call, *representation;
    const void *external;
    MPI_Count size, position, count;
    const void *data;
    MPI_Datatype type;
    const struct mpi_type *t;
    MPI_Count bytes;
};

static int check_type(struct packing *p)
{
    MPI_ENTER(p->call);
    if (!p->representation || strcmp(p->representation, "external32") != 0)
        return mpi_err(NULL, p->call, MPI_ERR_UNSUPPORTED_DATAREP,
                       "\"%s\": there is only \"external32\"",
                       p->representation ? p->representation : "(NULL)");
    p->t = mpi_type_get(p->type);
    if (!p->t)
        return mpi_err(NULL, p->call, MPI_ERR_TYPE, "%p is no datatype", (void *)p->type);
    if (p->count < 0)
        return mpi_err(NULL, p->call, MPI_ERR_COUNT, "the count is %lld", (long long)p->count);
    MPI_Count here;
    if (__builtin_mul_overflow(p->count, (MPI_Count)mpi_external_size(p->t), &p->bytes)
        || __builtin_mul_overflow(p->count, (MPI_Count)p->t->size, &here))
        return mpi_err(NULL, p->call, MPI_ERR_COUNT, "%lld elements are more than memory has",
                       (long long)p->count);
    return MPI_SUCCESS;
}

static int check(struct packing *p, const void *position)
{
    int rc = check_type(p);
    if (rc)
        return rc;
    if (!p->t->committed)
        return mpi_err(NULL, p->call, MPI_ERR_TYPE, "the datatype has not been committed");
    if (!position || p->position < 0 || p->position > p->size)
        return mpi_err(NULL, p->call, MPI_ERR_ARG, "the position is not in the buffer");
    if (p->bytes > p->size - p->position)
        return mpi_err(NULL, p->call, MPI_ERR_TRUNCATE,
                       "%lld bytes at position %lld of a buffer of %lld", (long long)p->bytes,
                       (long long)p->position, (long long)p->size);
    if (p->bytes && (!p->external || (!p->data && !p->t->derived)))
        return mpi_err(NULL, p->call, MPI_ERR_BUFFER, "a buffer is NULL");
    return MPI_SUCCESS;
}

/* The elements go through a packed copy; a contiguous type needs none. */
static int pack(const struct packing *p, void *to)
{
    size_t n = (size_t)p->count;
    void *copy = p->t->contiguous || !p->bytes ? NULL : malloc(n * p->t->size);
    if (copy)
        mpi_type_pack(p->t, p->data, n, copy);
    else if (!p->t->contiguous && p->bytes)
        return mpi_err(NULL, p->call, MPI_ERR_NO_MEM, "no memory for a copy of the data");
    mpi_external_write(p->t, copy ? copy : p->data, n, to);
    free(copy);
    return MPI_SUCCESS;
}

static int unpack(const struct packing *p, const void *from, void *data)
{
    size_t n = (size_t)p->count;
    void *copy = p->t->contiguous || !p->bytes ? NULL : malloc(n * p->t->size);
    if (!copy && !p->t->contiguous && p->bytes)
        return mpi_err(NULL, p->call, MPI_ERR_NO_MEM, "no memory for a copy of the data");
    mpi_external_read(p->t, from, n, copy ? copy : data);
    if (copy)
        mpi_type_unpack(p->t, copy, n * p->t->size, data);
    free(copy);
    return MPI_SUCCESS;
}

#define PACK(name, COUNT, SIZE) \
    int PMPI_##name(const char datarep[], const void *inbuf, COUNT incount, \
                    MPI_Datatype datatype, void *outbuf, SIZE outsize, SIZE *position) \
    { \
        struct packing p = { .call = "MPI_" #name, .representation = datarep, \
                             .external = outbuf, .size = outsize, \
                             .position = position ? *position : 0, .count = incount, \
                             .data = inbuf, .type = datatype }; \
        int rc = check(&p, position); \
        if (!rc) \
            rc = pack(&p, (char *)outbuf + *position); \
        if (!rc) \
            *position += (SIZE)p.bytes; \
        return rc; \
    } \
    MPI_WEAK_ALIAS(name)

PACK(Pack_external, int, MPI_Aint);
PACK(Pack_external_c, MPI_Count, MPI_Count);

#define UNPACK(name, COUNT, SIZE) \
    int PMPI_##name(const char datarep[], const void *inbuf, SIZE insize, SIZE *position, \
                    void *outbuf, COUNT outcount, MPI_Datatype datatype) \
    { \
        struct packing p = { .call = "MPI_" #name, .representation = datarep, \
                             .external = inbuf, .size = insize, \
                             .position = position ? *position : 0, .count = outcount, \
                             .data = outbuf, .type = datatype }; \
        int rc = check(&p, position); \
        if (!rc) \
            rc = unpack(&p, (const char *)inbuf + *position, outbuf); \
        if (!rc) \
            *position += (SIZE)p.bytes; \
        return rc; \
    } \
    MPI_WEAK_ALIAS(name)

UNPACK(Unpack_external, int, MPI_Aint);
UNPACK(Unpack_external_c, MPI_Count, MPI_Count);

#define PACK_SIZE(name, COUNT, SIZE) \
    int PMPI_##name(const char datarep[], COUNT incount, MPI_Datatype datatype, SIZE *size) \
    { \
        struct packing p = { .call = "MPI_" #name, .representation = datarep, .count = incount, \
                             .type = datatype }; \
        int rc = check_type(&p); \
        if (!rc && !size) \
            rc = mpi_err(NULL, p.call, MPI_ERR_ARG, "the address for the size is NULL"); \
        if (!rc) \
            *size = (SIZE)p.bytes; \
        return rc; \
    } \
    MPI_WEAK_ALIAS(name)

PACK_SIZE(Pack_external_size, int, MPI_Aint);
PACK_SIZE(Pack_external_size_c, MPI_Count, MPI_Count);
