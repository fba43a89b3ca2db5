/* Dealing out lists to all ranks of a communicator. */
#ifndef CHECK_EXCHANGE_H
#define CHECK_EXCHANGE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How each entry of a list begins; peer: in the communicator. */
struct check_addressed { uint64_t comm; int peer; };

/* What has come, by rank, each rank's in its order; to be freed.  NULL: there is no room. */
struct check_dealt { int ranks; size_t *count; char **list; void *memory; };

/* Collective: sends each entry, of `size` bytes, to its peer.  call: what all of this is for.  The
 * rank that it cannot do it for would keep others waiting, and ends. */
bool check_deal(struct check_dealt *dealt, const void *list, size_t count, size_t size,
                const char *call, MPI_Comm comm);
void check_dealt_free(struct check_dealt *dealt);

#endif
