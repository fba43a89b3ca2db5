/* How a datatype was made. */
#include <string.h>

#include "core/derived.h"
#include "core/err.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

static const struct mpi_contents named = { .combiner = MPI_COMBINER_NAMED };

/* `large`: the call can tell of large counts.  An error was raised. */
static int check(const char *call, bool large, MPI_Datatype h, const struct mpi_contents **c)
{
    MPI_ENTER(call);
    const struct mpi_type *t;
    int rc = mpi_check_type(call, NULL, h, &t);
    if (rc)
        return rc;
    const struct mpi_derived *d = mpi_type_derived(t);
    *c = d ? &d->contents : &named;
    if (!large && (*c)->counts)
        return mpi_err(NULL, call, MPI_ERR_TYPE, "the datatype was made with large counts: %s_c",
                       call);
    return MPI_SUCCESS;
}

static int no_place(const char *call)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "the address for a result is NULL");
}

int PMPI_Type_get_envelope(MPI_Datatype datatype, int *num_integers, int *num_addresses,
                           int *num_datatypes, int *combiner)
{
    const char *call = "MPI_Type_get_envelope";
    const struct mpi_contents *c;
    int rc = check(call, false, datatype, &c);
    if (rc)
        return rc;
    if (!num_integers || !num_addresses || !num_datatypes || !combiner)
        return no_place(call);
    *num_integers = (int)c->integers;
    *num_addresses = (int)c->addresses;
    *num_datatypes = (int)c->types;
    *combiner = c->combiner;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Type_get_envelope);

int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *num_integers,
                             MPI_Count *num_addresses, MPI_Count *num_large_counts,
                             MPI_Count *num_datatypes, int *combiner)
{
    const char *call = "MPI_Type_get_envelope_c";
    const struct mpi_contents *c;
    int rc = check(call, true, datatype, &c);
    if (rc)
        return rc;
    if (!num_integers || !num_addresses || !num_large_counts || !num_datatypes || !combiner)
        return no_place(call);
    *num_integers = (MPI_Count)c->integers;
    *num_addresses = (MPI_Count)c->addresses;
    *num_large_counts = (MPI_Count)c->counts;
    *num_datatypes = (MPI_Count)c->types;
    *combiner = c->combiner;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Type_get_envelope_c);

/* -- contents */

/* Where the program wants them, and how many fit. */
struct places {
    int *integer;
    MPI_Aint *address;
    MPI_Count *count;
    MPI_Datatype *type;
    MPI_Count integers, addresses, counts, types;
};

static int room(const char *call, const char *what, const void *place, MPI_Count room,
                size_t wanted)
{
    if (wanted && room < (MPI_Count)wanted)
        return mpi_err(NULL, call, MPI_ERR_ARG, "room for %lld %s, but there are %zu",
                       (long long)room, what, wanted);
    return wanted && !place ? no_place(call) : MPI_SUCCESS;
}

static int check_places(const char *call, const struct mpi_contents *c, const struct places *p)
{
    if (c->combiner == MPI_COMBINER_NAMED)
        return mpi_err(NULL, call, MPI_ERR_TYPE, "the datatype is predefined");
    int rc = room(call, "integers", p->integer, p->integers, c->integers);
    if (!rc)
        rc = room(call, "addresses", p->address, p->addresses, c->addresses);
    if (!rc)
        rc = room(call, "large counts", p->count, p->counts, c->counts);
    return rc ? rc : room(call, "datatypes", p->type, p->types, c->types);
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
}

/* The handles are new ones of the program's, which frees them. */
static int give(const char *call, const struct mpi_contents *c, const struct places *p)
{
    int rc = check_places(call, c, p);
    if (rc)
        return rc;
    copy(p->integer, c->integer, c->integers * sizeof *c->integer);
    copy(p->address, c->address, c->addresses * sizeof *c->address);
    copy(p->count, c->count, c->counts * sizeof *c->count);
    copy(p->type, c->type, c->types * sizeof *c->type);
    for (size_t i = 0; i < c->types; i++)
        mpi_type_another_handle(mpi_type_get(c->type[i]));
    return MPI_SUCCESS;
}

int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses,
                           int max_datatypes, int array_of_integers[],
                           MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[])
{
    const char *call = "MPI_Type_get_contents";
    struct places p = { .integer = array_of_integers, .address = array_of_addresses,
                        .type = array_of_datatypes, .integers = max_integers,
                        .addresses = max_addresses, .types = max_datatypes };
    const struct mpi_contents *c;
    int rc = check(call, false, datatype, &c);
    return rc ? rc : give(call, c, &p);
}
MPI_WEAK_ALIAS(Type_get_contents);

int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers,
                             MPI_Count max_addresses, MPI_Count max_large_counts,
                             MPI_Count max_datatypes, int array_of_integers[],
                             MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                             MPI_Datatype array_of_datatypes[])
{
    const char *call = "MPI_Type_get_contents_c";
    struct places p = { array_of_integers, array_of_addresses, array_of_large_counts,
                        array_of_datatypes, max_integers, max_addresses, max_large_counts,
                        max_datatypes };
    const struct mpi_contents *c;
    int rc = check(call, true, datatype, &c);
    return rc ? rc : give(call, c, &p);
}
MPI_WEAK_ALIAS(Type_get_contents_c);
