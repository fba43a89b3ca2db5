/* Signatures: the basic types of a datatype's elements in order, without their places.  What is
 * sent and what receives it must have the same one; elements of a message are counted by it, and
 * external32 is made along it.
 *
 * Immutable and shared by counting, as layouts are; NULL (no memory) goes in and comes out
 * again. */
#ifndef MPI_SIGNATURE_H
#define MPI_SIGNATURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpi_signature;

/* One after the other in a signature; before: in the members in front of it. */
struct mpi_member {
    const struct mpi_signature *signature;
    size_t count, bytes_before, elements_before;
};

/* A basic type (members 0), or its members in order. */
struct mpi_signature {
    _Atomic unsigned users;
    unsigned basic;             /* index of the predefined type, see core/type.h */
    size_t bytes, elements;     /* of all of it; of a basic type: its size, 1 */
    uint64_t hash;              /* the same for equal sequences of basic types, however made */
    uint64_t power;             /* of the hash's base, by the number of elements */
    size_t members;
    struct mpi_member member[];
};

const struct mpi_signature *mpi_signature_hold(const struct mpi_signature *s);
void mpi_signature_drop(const struct mpi_signature *s);

/* -- making; each result has one user */

const struct mpi_signature *mpi_signature_basic(unsigned basic, size_t bytes);
/* signature[i] count[i] times, one after the other; those of no bytes are left out. */
const struct mpi_signature *mpi_signature_join(const struct mpi_signature *const *signature,
                                               const size_t *count, size_t members);

/* -- counting.  A message has any number of elements of the signature, the last one not whole. */

/* Basic elements in `bytes` bytes; -1: they end inside of one. */
int64_t mpi_signature_elements(const struct mpi_signature *s, uint64_t bytes);
/* Bytes of so many basic elements. */
uint64_t mpi_signature_bytes(const struct mpi_signature *s, uint64_t elements);

/* Calls `run` with `count` equal basic elements, again and again, for `times` elements of the
 * signature in order, until it returns false; false if it did. */
typedef bool mpi_basic_fn(void *context, unsigned basic, size_t bytes, size_t count);
bool mpi_signature_walk(const struct mpi_signature *s, size_t times, mpi_basic_fn *run,
                        void *context);

/* Equal sequences give equal values, `times` elements of each. */
uint64_t mpi_signature_hash(const struct mpi_signature *s, uint64_t times);

#endif
