/* Jobs of several machines: who is where, and the addresses of NICs. */
#include "pmi/machines.h"

#include <stdlib.h>

#define NAME "wire"

uint16_t *mpi_pmi_machines(const struct mpi_pmi *p)
{
    unsigned size = mpi_pmi_size(p);
    uint16_t *of = malloc(size * sizeof *of);
    for (unsigned r = 0; of && r < size; r++)
        of[r] = (uint16_t)mpi_pmi_node_of(p, r);
    return of;
}

static int put(void *pmi, const void *address, size_t bytes)
{
    return mpi_pmi_put(pmi, NAME, address, bytes);
}

static int fence(void *pmi) { return mpi_pmi_fence(pmi); }

static int get(void *pmi, unsigned rank, void *address, size_t room, size_t *bytes)
{
    ssize_t n = mpi_pmi_get(pmi, rank, NAME, address, room);
    *bytes = n < 0 ? 0 : (size_t)n;
    return n < 0 ? (int)n : 0;
}

const struct nic_directory *mpi_pmi_directory(struct mpi_pmi *p)
{
    static struct nic_directory directory = { .put = put, .fence = fence, .get = get };
    directory.context = p;
    return &directory;
}
