/* MPI_Type_create_struct. */
#include <stdlib.h>

#include "core/err.h"
#include "core/world.h"
#include "mpi/type_make.h"
#include "mpi/weak_alias.h"

/* The arguments, as counts; the arrays are owned. */
struct members {
    const char *call;
    bool large;
    size_t count;
    MPI_Count *number;          /* the count, then the lengths */
    MPI_Count *displacement;
    const struct mpi_type **type;
    const MPI_Datatype *handle;
};

static int check_members(struct members *m)
{
    for (size_t i = 0; i < m->count; i++) {
        m->type[i] = mpi_type_get(m->handle[i]);
        if (!m->type[i])
            return mpi_err(NULL, m->call, MPI_ERR_TYPE, "%p, of member %zu, is no datatype",
                           (void *)m->handle[i], i);
        if (m->number[1 + i] < 0)
            return mpi_err(NULL, m->call, MPI_ERR_ARG, "the length of member %zu is %lld", i,
                           (long long)m->number[1 + i]);
    }
    return MPI_SUCCESS;
}

static int create(struct members *m, MPI_Datatype *newtype)
{
    struct mpi_derived *made = NULL;
    struct mpi_recipe r = { .call = m->call, .combiner = MPI_COMBINER_STRUCT, .large = m->large,
                            .number = m->number, .numbers = 1 + m->count,
                            .address = m->displacement, .addresses = m->count,
                            .type = m->handle, .types = m->count };
    bool memory = m->number && m->displacement && m->type;
    int rc = memory ? check_members(m) : MPI_SUCCESS, class = MPI_ERR_NO_MEM;
    if (!rc && memory)
        class = mpi_derive_struct(m->count, m->number + 1, m->displacement, m->type, &made);
    if (!rc)
        rc = mpi_type_made(&r, class, made, newtype);
    free(m->number);
    free(m->displacement);
    free(m->type);
    return rc;
}

static int check_call(const char *call, MPI_Count count, bool given, MPI_Datatype *newtype)
{
    if (!newtype)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the datatype is NULL");
    if (count < 0)
        return mpi_err(NULL, call, MPI_ERR_COUNT, "the count is %lld", (long long)count);
    return given || !count ? MPI_SUCCESS
                           : mpi_err(NULL, call, MPI_ERR_ARG, "an array of members is NULL");
}

#define STRUCT(name, NUMBER, PLACE, are_large) \
    int PMPI_##name(NUMBER count, const NUMBER array_of_blocklengths[], \
                    const PLACE array_of_displacements[], const MPI_Datatype array_of_types[], \
                    MPI_Datatype *newtype) \
    { \
        MPI_ENTER("MPI_" #name); \
        int rc = check_call("MPI_" #name, count, \
                            array_of_blocklengths && array_of_displacements && array_of_types, \
                            newtype); \
        if (rc) \
            return rc; \
        size_t n = (size_t)count; \
        struct members m = { \
            .call = "MPI_" #name, .large = are_large, .count = n, \
            .number = malloc((n + 1) * sizeof *m.number), \
            .displacement = malloc((n + 1) * sizeof *m.displacement), \
            .type = malloc((n + 1) * sizeof *m.type), .handle = array_of_types, \
        }; \
        if (m.number) \
            m.number[0] = count; \
        for (size_t i = 0; m.number && m.displacement && i < n; i++) { \
            m.number[1 + i] = array_of_blocklengths[i]; \
            m.displacement[i] = array_of_displacements[i]; \
        } \
        return create(&m, newtype); \
    } \
    MPI_WEAK_ALIAS(name)

STRUCT(Type_create_struct, int, MPI_Aint, false);
STRUCT(Type_create_struct_c, MPI_Count, MPI_Count, true);
