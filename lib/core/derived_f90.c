/* Fortran's kinds: which basic type has the precision and the range that are asked for, and one
 * handle for each question, since programs may ask again and compare. */
#include "core/derived_f90.h"

#include <float.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct answer { struct answer *next; int combiner, p, r; MPI_Datatype type; };
static struct answer *answers;      /* under the lock; lives as long as the process */

/* Decimal digits and exponents of a kind. */
struct kind { int p, r; MPI_Datatype real, complex; };

#define KINDS(X) \
    X(6, 37, MPI_REAL4, MPI_COMPLEX8) \
    X(15, 307, MPI_REAL8, MPI_COMPLEX16) \
    X(LDBL_DIG, LDBL_MAX_10_EXP - 1, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX) \
    X(33, 4931, MPI_REAL16, MPI_COMPLEX32)

static MPI_Datatype floating(int p, int r, bool complex)
{
#define ROW(digits, range, a, b) { digits, range, a, b },
    const struct kind kinds[] = { KINDS(ROW) };
#undef ROW
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((p == MPI_UNDEFINED || p <= kinds[i].p) && (r == MPI_UNDEFINED || r <= kinds[i].r))
            return complex ? kinds[i].complex : kinds[i].real;
    return MPI_DATATYPE_NULL;
}

static MPI_Datatype integer(int r)
{
    return r <= 2 ? MPI_INTEGER1 : r <= 4 ? MPI_INTEGER2 : r <= 9 ? MPI_INTEGER4
        : r <= 18 ? MPI_INTEGER8 : r <= 38 ? MPI_INTEGER16 : MPI_DATATYPE_NULL;
}

static MPI_Datatype basic_of(int combiner, int p, int r)
{
    if (combiner == MPI_COMBINER_F90_INTEGER)
        return integer(r);
    return floating(p, r, combiner == MPI_COMBINER_F90_COMPLEX);
}

/* Reductions take it for the basic type. */
static MPI_Datatype new_answer(int combiner, int p, int r, const struct mpi_type *basic)
{
    bool integral = combiner == MPI_COMBINER_F90_INTEGER;
    struct mpi_derived *made;
    if (mpi_derive_dup(basic, &made)
        || !mpi_derive_contents(made, combiner, integral ? 1 : 2, 0, 0, 0))
        return MPI_DATATYPE_NULL;
    made->contents.integer[0] = integral ? r : p;
    if (!integral)
        made->contents.integer[1] = r;
    made->type.elem = basic->elem;
    made->type.family = basic->family;
    return mpi_derive_done(made);
}

static MPI_Datatype find(int combiner, int p, int r)
{
    for (struct answer *a = answers; a; a = a->next)
        if (a->combiner == combiner && a->p == p && a->r == r)
            return a->type;
    return MPI_DATATYPE_NULL;
}

static MPI_Datatype find_or_make(int combiner, int p, int r, const struct mpi_type *basic)
{
    MPI_Datatype type = find(combiner, p, r);
    struct answer *a = type == MPI_DATATYPE_NULL ? malloc(sizeof *a) : NULL;
    if (!a)
        return type;
    type = new_answer(combiner, p, r, basic);
    if (type == MPI_DATATYPE_NULL) {
        free(a);
        return type;
    }
    *a = (struct answer){ answers, combiner, p, r, type };
    answers = a;
    return type;
}

int mpi_derive_f90(int combiner, int p, int r, MPI_Datatype *type)
{
    MPI_Datatype basic = basic_of(combiner, p, r);
    if (basic == MPI_DATATYPE_NULL)
        return MPI_ERR_ARG;
    pthread_mutex_lock(&lock);
    *type = find_or_make(combiner, p, r, mpi_type_get(basic));
    pthread_mutex_unlock(&lock);
    return *type == MPI_DATATYPE_NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}
