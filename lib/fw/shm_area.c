/* The areas of short collectives by stores: who has them; see shm_coll.h. */
#include <stdlib.h>
#include <string.h>

#include "fw/shm_area.h"

/* Called before anything else takes from the scratchpad, so that all ranks find the areas at the
 * same place.  They take a third of it at most.  On the model clock collectives go by packets, as
 * on the hardware that it models. */
void mpi_fw_shm_coll_attach(struct fw *fw)
{
    const char *wanted = getenv("MPILITE_COLL");    /* "packets": for tests, to see schedules */
    bool none = fw->offload != FW_OFFLOAD_ALL || (wanted && !strcmp(wanted, "packets"));
    none = none || nic_modelled(fw->nic) || nic_ranks(fw->nic) == 1;
    unsigned n = none ? 0 : FW_SHM_AREAS;
    while (n && !nic_spad_at(fw->nic, fw->rank, 0, 3 * n * sizeof(struct fw_shm_area)))
        n /= 2;
    size_t bytes = n * sizeof(struct fw_shm_area);
    fw->shm_areas = n ? nic_spad_alloc(fw->nic, NIC_SPAD_SLOTS, bytes, 64) : NIC_SPAD_NONE;
    fw->shm_free = fw->shm_areas == NIC_SPAD_NONE ? 0 : (UINT32_C(1) << n) - 1;
}

/* Every rank is through with the last operation: nobody reads or writes here any more. */
static bool is_quiet(const struct fw_shm_coll *s)
{
    for (uint32_t i = 0; i < s->size; i++)
        if (atomic_load_explicit(&fw_shm_area_of(s, i)->done, memory_order_acquire) < s->begun)
            return false;
    return true;
}

static void slots_free(struct fw_shm_coll *s)
{
    if (s->place != s->world)
        free((void *)(uintptr_t)s->place);
    free((void *)(uintptr_t)s->world);
    free(s);
}

static void reclaim(struct fw *fw)
{
    for (struct fw_shm_coll **at = &fw->shm_retired; *at;) {
        struct fw_shm_coll *s = *at;
        if (is_quiet(s)) {
            *at = s->next;
            fw->shm_free |= UINT32_C(1) << s->area;
            slots_free(s);
        } else {
            at = &s->next;
        }
    }
}

uint32_t mpi_fw_shm_coll_areas(struct fw *fw)
{
    reclaim(fw);
    return fw->shm_free;
}

uint64_t mpi_fw_shm_coll_high(const struct fw *fw) { return fw->shm_high; }

void mpi_fw_shm_coll_take(struct fw *fw, unsigned area) { fw->shm_free &= ~(UINT32_C(1) << area); }
void mpi_fw_shm_coll_give(struct fw *fw, unsigned area) { fw->shm_free |= UINT32_C(1) << area; }

static unsigned char *at(struct fw *fw, unsigned area, unsigned rank)
{
    uint64_t offset = fw->shm_areas + area * sizeof(struct fw_shm_area);
    return nic_spad_at(fw->nic, rank, offset, sizeof(struct fw_shm_area));
}

static unsigned world_rank(const int *world, uint32_t i) { return world ? (unsigned)world[i] : i; }

/* Where ranks of the job are elsewhere, places are counted in steps that all distances are made
 * of.  False: no memory. */
static bool find_places(struct fw *fw, struct fw_shm_coll *s)
{
    enum { STEP = _Alignof(struct fw_shm_area) };
    int *place = malloc(s->size * sizeof *place);
    if (!place)
        return false;
    s->stride = STEP;
    s->first = at(fw, s->area, world_rank(s->world, 0));
    for (uint32_t i = 1; i < s->size; i++) {
        unsigned char *other = at(fw, s->area, world_rank(s->world, i));
        s->first = other < s->first ? other : s->first;
    }
    for (uint32_t i = 0; i < s->size; i++)
        place[i] = (int)((at(fw, s->area, world_rank(s->world, i)) - s->first) / STEP);
    s->place = place;
    return true;
}

static bool find_areas(struct fw *fw, struct fw_shm_coll *s)
{
    if (nic_has_far_ranks(fw->nic))
        return find_places(fw, s);
    s->first = at(fw, s->area, 0);
    s->stride = (size_t)(at(fw, s->area, nic_ranks(fw->nic) > 1) - s->first);
    s->place = s->world;
    return true;
}

struct fw_shm_coll *mpi_fw_shm_coll_new(struct fw *fw, unsigned area, uint64_t base, uint32_t rank,
                                        uint32_t size, const int *world)
{
    struct fw_shm_coll *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->world = world;
    s->rank = rank;
    s->size = size;
    s->area = area;
    if (!find_areas(fw, s)) {
        free(s);
        return NULL;
    }
    s->own = fw_shm_area_of(s, rank);
    s->few = size <= FW_SHM_FEW && !nic_oversubscribed(fw->nic);
    s->begun = s->done = s->told = s->known = base;
    s->grain = FW_SHM_GRAIN;
    s->asked = size;                /* none */
    s->high = &fw->shm_high;
    mpi_fw_shm_coll_take(fw, area);
    if (fw->shm_high < base)
        fw->shm_high = base;
    atomic_store_explicit(&s->own->done, base, memory_order_release);
    return s;
}

/* Who waits for us to come on marks `awaited` and, before it sleeps, runs the heavy fence and looks
 * at `done` once more: so either it sees the new value or we see its mark (see nic_notify, which
 * needs no more from the side that stores).  One mark is good for one ring: who is not asleep yet
 * when we ring, and not content with what we have done, sees that we have heard, and marks again
 * (tests/model/awaited.pml). */
void mpi_fw_shm_tell_done(struct fw *fw, struct fw_shm_coll *s)
{
    struct fw_shm_area *own = s->own;
    s->told = s->done;
    atomic_store_explicit(&own->done, s->done, memory_order_release);       /* S3, pairs with S4 */
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t awaited = atomic_load_explicit(&own->awaited, memory_order_relaxed);
    if (__builtin_expect(!(awaited & FW_SHM_MARKS), 1))
        return;
    awaited = atomic_exchange(&own->awaited, (awaited | FW_SHM_MARKS) + 1);     /* heard: 1 more */
    if (awaited & FW_SHM_SOME)
        fw_shm_notify_others(fw, s);
    else if (s->rank)
        fw_shm_notify(fw, s, s->rank - 1);
}

void mpi_fw_shm_coll_show(struct fw_shm_coll *s, const int *shown) { s->shown = shown; }

bool mpi_fw_shm_coll_few(const struct fw_shm_coll *s) { return s->few; }

void mpi_fw_shm_coll_retire(struct fw *fw, struct fw_shm_coll *s, int *world)
{
    if (s->place == s->world)
        s->place = world;
    s->world = world;
    s->shown = NULL;
    s->grain = 1;
    mpi_fw_shm_tell_done(fw, s);
    s->next = fw->shm_retired;
    fw->shm_retired = s;
}

void mpi_fw_shm_coll_delete(struct fw *fw)
{
    while (fw->shm_retired) {
        struct fw_shm_coll *s = fw->shm_retired;
        fw->shm_retired = s->next;
        slots_free(s);
    }
}

void mpi_fw_count_windows(struct fw *fw) { FW_COUNT(fw, collectives_windows, 1); }
void mpi_fw_count_levels(struct fw *fw) { FW_COUNT(fw, collectives_levels, 1); }
