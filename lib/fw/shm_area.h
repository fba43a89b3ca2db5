/* What lies in the scratchpads for short collectives, and what one rank knows of a communicator's
 * slots; see shm_coll.h. */
#ifndef FW_SHM_AREA_H
#define FW_SHM_AREA_H

#include "fw/shm_coll.h"
#include "fw/state.h"

/* awaited: by a rank or more, by the next lower one; in steps of the last, how often the owner has
 * taken such marks away. */
enum { FW_SHM_SOME = 1, FW_SHM_BELOW = 2, FW_SHM_MARKS = 3, FW_SHM_HEARD = 4 };

/* A contribution or a result.  Written by one rank at a time, read by all. */
struct fw_shm_slot {
    _Alignas(64) _Atomic uint64_t stamp;
    _Atomic uint64_t info;
    unsigned char data[FW_SHM_BYTES];
};
static_assert(sizeof(struct fw_shm_slot) == 128, "shared layout");

struct fw_shm_arrivals { _Alignas(64) _Atomic uint32_t count; };    /* 0 before and after */

struct fw_shm_area {
    _Alignas(64) _Atomic uint64_t done;     /* owner: all operations up to this are finished here */
    _Atomic uint32_t awaited;               /* who waits for `done`: the owner wakes them, once */
    struct fw_shm_slot own[FW_SHM_WINDOW];          /* owner: its contributions */
    struct fw_shm_slot result[FW_SHM_WINDOW];       /* at rank 0; the last to arrive writes it.
                                                     * Of a chain: owner, what it gives */
    struct fw_shm_arrivals arrived[FW_SHM_WINDOW];  /* at rank 0 */
    unsigned char wide[FW_SHM_WIDE_WINDOW][FW_SHM_WIDE_BYTES];  /* owner: what a slot is too
                                                                 * short for */
};
static_assert(sizeof(struct fw_shm_area) == 64 + FW_SHM_WINDOW * (128 + 128 + 64)
                                            + FW_SHM_WIDE_WINDOW * FW_SHM_WIDE_BYTES,
              "shared layout");

struct fw_shm_coll {
    /* area in place 0; rank i's is place[i] times `stride` behind it */
    unsigned char *first;
    size_t stride;
    const int *place;               /* NULL: i; where all ranks of the job are here, `world` */
    const int *world;
    const int *shown;               /* NULL: the same: ranks, as messages to the user name them */
    struct fw_shm_area *own;        /* this rank's */
    uint32_t rank, size, area;
    bool few;
    uint64_t begun, done;           /* the last operation begun; all up to `done` are finished */
    uint64_t told;                  /* of that, what the others can see */
    uint32_t at_once;               /* operations in a row for which nobody was waited */
    uint32_t grain;                 /* they are told after so many: see FW_SHM_GRAIN */
    uint64_t finished;              /* bit i: done + 1 + i is finished */
    uint64_t *high;                 /* the highest number of any communicator */
    uint64_t known;                 /* every other rank has finished this */
    uint32_t scan;                  /* next rank to be asked for that */
    uint64_t least;                 /* of those asked so far */
    uint64_t chain_first, chain_last;   /* the last operations in a row that went along the chain */
    uint64_t chain_rest;            /* of them, those before this one look back */
    uint64_t above;                 /* the rank above has finished this */
    uint32_t asked, heard;          /* the rank marked last, and how often it had heard then */
    struct fw_shm_coll *next;       /* among the retired */
};
static_assert(FW_SHM_WINDOW <= 64, "bits of finished");
static_assert((int)FW_SHM_GRAIN <= FW_SHM_WIDE_WINDOW, "else all might wait");
static_assert(FW_SHM_AREAS < 32, "bits of shm_free");

/* What is finished becomes visible, and who waits for it is woken. */
void mpi_fw_shm_tell_done(struct fw *fw, struct fw_shm_coll *s);

static inline struct fw_shm_area *fw_shm_area_of(const struct fw_shm_coll *s, uint32_t rank)
{
    uint32_t place = s->place ? (uint32_t)s->place[rank] : rank;
    return (struct fw_shm_area *)(s->first + s->stride * place);
}

/* One that may sleep has something to look at; or all others have. */
static inline void fw_shm_notify(struct fw *fw, const struct fw_shm_coll *s, uint32_t rank)
{
    nic_notify(fw->nic, s->world ? (uint32_t)s->world[rank] : rank);
}

static inline void fw_shm_notify_others(struct fw *fw, const struct fw_shm_coll *s)
{
    for (uint32_t i = 0; i < s->size; i++)
        if (i != s->rank)
            fw_shm_notify(fw, s, i);
}

#endif
