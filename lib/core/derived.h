/* Datatypes that programs make.  A constructor merges the layout and the signature of what it is
 * made from; how the program called it is kept for MPI_Type_get_contents.
 *
 * Thread rules: a type is immutable but for its counts, its name and `committed`. */
#ifndef MPI_DERIVED_H
#define MPI_DERIVED_H

#include <stdatomic.h>

#include "core/attribute.h"
#include "core/type.h"
#include "type/layout.h"
#include "type/signature.h"

/* How a type was made: what MPI_Type_get_contents gives back.  Owner: the type. */
struct mpi_contents {
    int combiner;
    size_t integers, addresses, counts, types;
    MPI_Aint *address;          /* this is a block, the others lie behind in it */
    MPI_Count *count;           /* of large-count constructors, in place of the others */
    MPI_Datatype *type;         /* each is held */
    int *integer;
};

struct mpi_derived {
    struct mpi_type type;       /* first: what mpi_type_get returns */
    _Atomic unsigned users;     /* types made from it, requests, and one for all its handles */
    unsigned handles;           /* that the program has and will free; under the lock of types */
    MPI_Datatype handle;
    struct mpi_placed placed;
    const struct mpi_signature *signature;
    struct mpi_contents contents;
    struct mpi_attributes attributes;
    char name[MPI_MAX_OBJECT_NAME];
};

/* Those of any type. */
struct mpi_attributes *mpi_type_attributes(const struct mpi_type *t);

/* The derived type behind it, NULL: predefined. */
static inline struct mpi_derived *mpi_type_derived(const struct mpi_type *t)
{
    return t->derived ? (struct mpi_derived *)(uintptr_t)t : NULL;
}

/* Nobody may free it: also of those that MPI_Type_create_f90_* returns. */
bool mpi_type_is_predefined(const struct mpi_type *t);

/* Layout and signature of any type, with one user more. */
struct mpi_placed mpi_type_layout(const struct mpi_type *t);
const struct mpi_signature *mpi_type_signature(const struct mpi_type *t);
/* Bytes on which the type's largest basic type is aligned in a C struct. */
size_t mpi_type_alignment(const struct mpi_type *t);

/* -- life.  Predefined types do not mind either. */

void mpi_type_hold(const struct mpi_type *t);
void mpi_type_drop(const struct mpi_type *t);
/* Another handle of the program's, and one less: false if it has none left. */
void mpi_type_another_handle(const struct mpi_type *t);
bool mpi_type_free_handle(struct mpi_derived *d);
/* Whether the program has one only, with which the attributes go. */
bool mpi_type_has_one_handle(const struct mpi_derived *d);

/* -- constructors.  MPI_SUCCESS, or a class: no memory, or beyond 2^63 bytes (MPI_ERR_NO_MEM).
 * Displacements, strides and extents are bytes.  The contents are empty yet. */

/* `count` blocks of `length` elements, a block every `stride` bytes. */
int mpi_derive_vector(const struct mpi_type *old, size_t count, size_t length, ptrdiff_t stride,
                      struct mpi_derived **made);
/* length: NULL where all have `each`. */
int mpi_derive_indexed(const struct mpi_type *old, size_t count, const MPI_Count *length,
                       size_t each, const MPI_Count *displacement, struct mpi_derived **made);
int mpi_derive_struct(size_t count, const MPI_Count *length, const MPI_Count *displacement,
                      const struct mpi_type *const *old, struct mpi_derived **made);
int mpi_derive_resized(const struct mpi_type *old, ptrdiff_t lb, ptrdiff_t extent,
                       struct mpi_derived **made);
/* The same data, name aside. */
int mpi_derive_dup(const struct mpi_type *old, struct mpi_derived **made);
/* An array of `whole` bytes from 0 on, of which `placed` is taken (one user goes over). */
int mpi_derive_array(const struct mpi_type *old, struct mpi_placed placed, size_t elements,
                     ptrdiff_t whole, struct mpi_derived **made);

/* Communication may use it from here on. */
void mpi_type_commit(struct mpi_derived *d);

/* Gives it a handle, when the contents are filled in; NULL: no memory, and the type is gone. */
MPI_Datatype mpi_derive_done(struct mpi_derived *d);

/* Memory for the contents; each may be 0.  False: no memory, and the type is gone. */
bool mpi_derive_contents(struct mpi_derived *d, int combiner, size_t integers, size_t addresses,
                         size_t counts, size_t types);

#endif
