/* MPI_Pack_external, MPI_Unpack_external and MPI_Pack_external_size. */
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/external.h"
#include "core/type_data.h"
#include "mpi/packing.h"
#include "mpi/weak_alias.h"

static int no_memory(const struct mpi_packing *p)
{
    return mpi_err(NULL, p->call, MPI_ERR_NO_MEM, "no memory to convert the data");
}

static int check_size(struct mpi_packing *p, const char *representation)
{
    size_t each;
    if (!representation || strcmp(representation, "external32") != 0)
        return mpi_err(NULL, p->call, MPI_ERR_UNSUPPORTED_DATAREP,
                       "\"%s\": there is only \"external32\"",
                       representation ? representation : "(NULL)");
    int rc = mpi_check_type(p->call, NULL, p->type, &p->t);
    if (rc)
        return rc;
    if (p->count < 0)
        return mpi_err(NULL, p->call, MPI_ERR_COUNT, "the count is %lld", (long long)p->count);
    if (!mpi_external_size(p->t, &each))
        return no_memory(p);
    return mpi_packing_bytes(NULL, p, each);
}

static int check(struct mpi_packing *p, const char *representation, const void *position)
{
    MPI_ENTER(p->call);
    int rc = check_size(p, representation);
    if (!rc)
        rc = mpi_check_data(p->call, NULL, p->data, p->count, p->type, &p->t);
    return rc ? rc : mpi_packing_room(NULL, p, position);
}

/* The elements go through a packed copy; a contiguous type needs none. */
static int pack(const struct mpi_packing *p, void *to)
{
    size_t n = (size_t)p->count;
    bool direct = p->t->contiguous || !p->bytes;
    void *copy = direct ? NULL : malloc(n * p->t->size);
    if (copy)
        mpi_type_pack(p->t, p->data, n, copy);
    bool done = (direct || copy) && mpi_external_write(p->t, copy ? copy : p->data, n, to);
    free(copy);
    return done ? MPI_SUCCESS : no_memory(p);
}

static int unpack(const struct mpi_packing *p, const void *from, void *data)
{
    size_t n = (size_t)p->count;
    bool direct = p->t->contiguous || !p->bytes;
    void *copy = direct ? NULL : malloc(n * p->t->size);
    bool done = (direct || copy) && mpi_external_read(p->t, from, n, copy ? copy : data);
    if (done && copy)
        mpi_type_unpack(p->t, copy, n * p->t->size, data);
    free(copy);
    return done ? MPI_SUCCESS : no_memory(p);
}

#define PACK(name, COUNT, SIZE) \
    int PMPI_##name(const char datarep[], const void *inbuf, COUNT incount, \
                    MPI_Datatype datatype, void *outbuf, SIZE outsize, SIZE *position) \
    { \
        struct mpi_packing p = { .call = "MPI_" #name, .packed = outbuf, .size = outsize, \
                             .position = position ? *position : 0, .count = incount, \
                             .data = inbuf, .type = datatype }; \
        int rc = check(&p, datarep, position); \
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
        struct mpi_packing p = { .call = "MPI_" #name, .packed = inbuf, .size = insize, \
                             .position = position ? *position : 0, .count = outcount, \
                             .data = outbuf, .type = datatype }; \
        int rc = check(&p, datarep, position); \
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
        struct mpi_packing p = { .call = "MPI_" #name, .count = incount, .type = datatype }; \
        MPI_ENTER(p.call); \
        int rc = check_size(&p, datarep); \
        if (!rc && !size) \
            rc = mpi_err(NULL, p.call, MPI_ERR_ARG, "the address for the size is NULL"); \
        if (!rc) \
            *size = (SIZE)p.bytes; \
        return rc; \
    } \
    MPI_WEAK_ALIAS(name)

PACK_SIZE(Pack_external_size, int, MPI_Aint);
PACK_SIZE(Pack_external_size_c, MPI_Count, MPI_Count);
