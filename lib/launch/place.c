/* Placement, computed from the topology alone. */
#include "place.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

bool place_wanted(enum bind_policy policy, unsigned ranks, unsigned cores)
{
    if (policy != BIND_AUTO)
        return policy == BIND_CORE;
    return ranks <= cores && 2 * ranks > cores;
}

/* Order in which threads are handed out: indices of all first threads of a core, then of all second ones, ... */
static void order_threads(const struct place_thread *threads, unsigned count, unsigned *order)
{
    unsigned used = 0;

    for (unsigned level = 0; used < count; level++)
        for (unsigned i = 0, sibling = 0; i < count; i++) {
            sibling = i && threads[i].core == threads[i - 1].core ? sibling + 1 : 0;
            if (sibling == level)
                order[used++] = i;
        }
}

void place_ranks(const struct place_thread *threads, unsigned count, unsigned ranks, struct cores *out)
{
    unsigned *order = need(calloc(count, sizeof *order));
    unsigned *user = need(calloc(count, sizeof *user));     /* ranks on the core of each thread */

    order_threads(threads, count, order);
    for (unsigned rank = 0; rank < ranks; rank++)
        for (unsigned i = 0; i < count; i++)
            user[i] += threads[i].core == threads[order[rank % count]].core;
    for (unsigned rank = 0; rank < ranks; rank++) {
        unsigned mine = order[rank % count];
        out[rank] = (struct cores){ 0 };
        for (unsigned i = 0; i < count; i++)
            if (i == mine || (user[mine] == 1 && threads[i].core == threads[mine].core))
                cores_add(&out[rank], threads[i].cpu);
    }
    free(user);
    free(order);
}
