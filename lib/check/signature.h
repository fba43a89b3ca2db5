/* Type signatures: the sequence of basic types, in numbers that can be compared. */
#ifndef CHECK_SIGNATURE_H
#define CHECK_SIGNATURE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Numbers are equal if sequences are; kind: of all elements, 0: of several. */
struct signature { uint64_t hash, count, kind; bool unknown; };

/* Of one instance; unknown for what is made of bytes, which fit anything, or in a way that is not
 * followed. */
struct signature check_signature(MPI_Datatype type);
struct signature check_signature_of(MPI_Datatype type, int64_t count);

/* False: the sequence that was sent is not how that of the receiver's type begins.  True also where
 * that is not known. */
bool check_signature_fits(const struct signature *sent, const struct signature *one);

/* "signed integers of 4 bytes", or of one "signed integer of 4 bytes". */
const char *check_signature_name(const struct signature *s, bool one, char *text);

#endif
