/* Who is on which machine; see levels.h. */
#include "core/levels.h"

#include <stdlib.h>

#include "core/world.h"
#include "fw/shm_coll.h"
#include "nicemu/machines.h"

static unsigned machine_of(const struct mpi_comm *c, int rank)
{
    return nic_machine(mpi_nic, (unsigned)mpi_comm_world_rank(c, rank));
}

static unsigned machines_of_job(void)
{
    unsigned last = 0, ranks = nic_ranks(mpi_nic);
    for (unsigned r = 0; r < ranks; r++)
        if (nic_machine(mpi_nic, r) > last)
            last = nic_machine(mpi_nic, r);
    return last + 1;
}

/* number: of each machine of the job, in the communicator.  Counts the ranks of each in `first`,
 * one place behind its own. */
static void count(struct mpi_levels *l, const struct mpi_comm *c, int *number)
{
    for (int r = 0; r < c->size; r++) {
        int *n = &number[machine_of(c, r)];
        if (*n < 0)
            *n = l->machines++;
        l->first[*n + 1]++;
    }
    l->machine = number[machine_of(c, c->rank)];
}

static void sort(struct mpi_levels *l, const struct mpi_comm *c, const int *number)
{
    int *next = l->first;
    for (int m = 0; m < l->machines; m++)
        next[m + 1] += next[m];
    l->in_order = true;
    for (int r = 0; r < c->size; r++) {
        int at = next[number[machine_of(c, r)]]++;
        l->rank[at] = r;
        l->in_order &= at == r;
    }
    for (int m = l->machines; m > 0; m--)       /* each has come to where the next one began */
        next[m] = next[m - 1];
    next[0] = 0;
}

static bool find(struct mpi_levels *l, const struct mpi_comm *c)
{
    unsigned machines = machines_of_job();
    int *number = malloc(machines * sizeof *number);
    size_t most = machines < (unsigned)c->size ? machines : (unsigned)c->size;
    l->rank = malloc((size_t)c->size * sizeof *l->rank);
    l->first = calloc(most + 1, sizeof *l->first);
    if (number && l->rank && l->first) {
        for (unsigned m = 0; m < machines; m++)
            number[m] = -1;
        count(l, c, number);
        sort(l, c, number);
    }
    bool found = number && l->rank && l->first;
    free(number);
    return found;
}

static bool set_near(struct mpi_levels *l, struct mpi_comm *c)
{
    const int *ranks = mpi_levels_ranks(l, l->machine);
    int size = mpi_levels_count(l, l->machine), *world = malloc((size_t)size * sizeof *world);
    if (!world)
        return false;
    l->near = (struct mpi_comm){ .size = size, .peers = size, .world = world, .peer_world = world,
                                 .part_of = c, .shown = ranks };
    for (int i = 0; i < size; i++) {
        world[i] = mpi_comm_world_rank(c, ranks[i]);
        if (ranks[i] == c->rank)
            l->near.rank = i;
    }
    return true;
}

bool mpi_levels_new(struct mpi_comm *c, struct mpi_levels **levels)
{
    *levels = NULL;
    if (c->size < 3 || c->inter || !nic_has_far_ranks(mpi_nic))
        return true;
    struct mpi_levels *l = calloc(1, sizeof *l);
    bool made = l && find(l, c), needed = made && l->machines > 1 && l->machines < c->size;
    if (needed && set_near(l, c)) {
        *levels = l;
        return true;
    }
    mpi_levels_delete(l);
    return made && !needed;
}

bool mpi_levels_take_slots(struct mpi_levels *l, unsigned area, uint64_t base)
{
    struct mpi_comm *near = &l->near;
    near->shm = mpi_fw_shm_coll_new(mpi_fw, area, base, (uint32_t)near->rank, (uint32_t)near->size,
                                    near->world);
    if (near->shm)
        mpi_fw_shm_coll_show(near->shm, near->shown);
    return near->shm != NULL;
}

/* Without an agreement: slots are the same in all ranks of a machine, and levels in all. */
bool mpi_levels_world(void)
{
    struct mpi_comm *c = &mpi_comm_world;
    bool has_area = c->size > 1 && mpi_fw_shm_coll_areas(mpi_fw) & 1;
    if (!mpi_levels_new(c, &c->levels))
        return false;
    if (has_area && c->levels)
        return mpi_levels_take_slots(c->levels, 0, 0);
    if (has_area && !nic_has_far_ranks(mpi_nic))
        c->shm = mpi_fw_shm_coll_new(mpi_fw, 0, 0, (uint32_t)c->rank, (uint32_t)c->size, NULL);
    return true;
}

void mpi_levels_delete(struct mpi_levels *l)
{
    if (!l)
        return;
    int *world = (int *)(uintptr_t)l->near.world;
    if (l->near.shm)
        mpi_fw_shm_coll_retire(mpi_fw, l->near.shm, world);
    else
        free(world);
    free(l->rank);
    free(l->first);
    free(l);
}

struct mpi_level_seat mpi_levels_seat(const struct mpi_levels *l, int rank)
{
    int at = 0, m = 0;
    while (l->rank[at] != rank)
        at++;
    while (l->first[m + 1] <= at)
        m++;
    return (struct mpi_level_seat){ m, at - l->first[m] };
}
