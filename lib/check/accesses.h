/* What this rank does to the parts that other ranks, and it itself, have of windows: what is not
 * complete yet, and what of that goes to the same bytes. */
#ifndef CHECK_ACCESSES_H
#define CHECK_ACCESSES_H

#include "check/buffers.h"
#include "check/windows.h"

/* What is done there.  Combining is atomic, element by element, as is fetching, which is combining
 * with MPI_NO_OP: these go with each other, and fetching goes with reading. */
enum check_effect { CHECK_READS, CHECK_WRITES, CHECK_COMBINES, CHECK_FETCHES };
bool check_effects_clash(enum check_effect a, enum check_effect b);
const char *check_effect_name(enum check_effect effect);    /* "writes" */

struct check_access {
    const char *call;
    const void *caller;
    enum check_effect effect;
    bool fetches;               /* what is there comes here: then it is over there as well */
    int target;
    MPI_Aint disp;
    MPI_Count count;            /* there */
    MPI_Datatype type;
    struct check_buffer from, to;       /* here: what is read, and what is written to */
};

/* Bytes of the target's part. */
struct check_piece { uint64_t begin, end; };

struct check_open {
    struct check_access a;
    uint64_t sum;               /* of what is in `from` */
    struct check_piece *piece;
    size_t pieces;              /* 0: where it goes is not known */
};

/* The call has returned: reports what it has in common with others. */
void check_access_made(MPI_Win win, const struct check_access *a);

/* What two calls have in common is told once: false from then on. */
bool check_access_is_news(const void *caller, const void *other);

/* Both write the same data to the same bytes. */
bool check_accesses_same(const struct check_open *a, const struct check_open *b);

/* Before a call that completes accesses to a target, or to all: reports buffers that were written
 * too early. */
enum { CHECK_ALL_TARGETS = -1 };
void check_accesses_look(MPI_Win win, int target);
/* And after it: they are complete at their target too, or only here. */
void check_accesses_done(MPI_Win win, int target, bool there);
/* All of them are forgotten. */
void check_accesses_drop(struct check_window *w);

#endif
