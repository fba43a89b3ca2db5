/* By an exchange of numbers, and one of lists. */
#include "check/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/door.h"

struct table { MPI_Count *to, *from; MPI_Aint *to_at, *from_at; char *out; };

static int peer_of(const char *entry)
{
    struct check_addressed a;

    memcpy(&a, entry, sizeof a);
    return a.peer;
}

static void sort_out(struct table *t, int ranks, const char *list, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        t->to[peer_of(list + i * size)] += (MPI_Count)size;
    MPI_Aint sum = 0;
    for (int i = 0; i < ranks; i++) {
        t->to_at[i] = sum;
        sum += (MPI_Aint)t->to[i];
    }
    for (size_t i = 0; i < count; i++) {
        MPI_Aint *at = &t->to_at[peer_of(list + i * size)];
        memcpy(t->out + *at, list + i * size, size);
        *at += (MPI_Aint)size;
    }
    for (int i = 0; i < ranks; i++)
        t->to_at[i] -= (MPI_Aint)t->to[i];
}

static bool exchange(struct check_dealt *d, struct table *t, size_t size, const char *call,
                     MPI_Comm comm)
{
    MPI_Aint sum = 0;

    if (mpi_door.alltoall(call, t->to, 1, MPI_COUNT, t->from, 1, MPI_COUNT, comm))
        return false;
    for (int i = 0; i < d->ranks; i++) {
        t->from_at[i] = sum;
        sum += (MPI_Aint)t->from[i];
    }
    d->memory = malloc((size_t)sum + 1);
    if (!d->memory)
        abort();                /* the others would wait for this rank */
    for (int i = 0; i < d->ranks; i++) {
        d->count[i] = (size_t)t->from[i] / size;
        d->list[i] = (char *)d->memory + t->from_at[i];
    }
    return !PMPI_Alltoallv_c(t->out, t->to, t->to_at, MPI_BYTE, d->memory, t->from, t->from_at,
                             MPI_BYTE, comm);
}

bool check_deal(struct check_dealt *d, const void *list, size_t count, size_t size,
                const char *call, MPI_Comm comm)
{
    *d = (struct check_dealt){ 0 };
    PMPI_Comm_size(comm, &d->ranks);
    size_t n = (size_t)d->ranks;
    struct table t = { calloc(n, sizeof *t.to), calloc(n, sizeof *t.from),
                       calloc(n, sizeof *t.to_at), calloc(n, sizeof *t.from_at),
                       malloc(count * size + 1) };

    d->count = calloc(n, sizeof *d->count);
    d->list = calloc(n, sizeof *d->list);
    if (!t.to || !t.from || !t.to_at || !t.from_at || !t.out || !d->count || !d->list)
        abort();
    sort_out(&t, d->ranks, list, count, size);
    bool done = exchange(d, &t, size, call, comm);
    free(t.to);
    free(t.from);
    free(t.to_at);
    free(t.from_at);
    free(t.out);
    return done;
}

void check_dealt_free(struct check_dealt *d)
{
    free(d->count);
    free(d->list);
    free(d->memory);
}
