/* Functions of MPI that somebody else has, too: profiling wrappers. */
#ifndef CHECK_SHADOWED_H
#define CHECK_SHADOWED_H

#include <stdbool.h>
#include <stddef.h>

/* The program calls some functions of others that go past the checks (PMPI_X).  What is noted would
 * not be true then, a wait that is not seen the least: nothing is checked.  Set before main. */
extern bool check_is_aside;

/* Sets it.  True: there is something to say of it, or of wrappers that are not called, as the
 * checks stand before them. */
bool check_look_for_others(char *text, size_t size);

/* The functions that count, NULL behind the last; made of mpi.h by made.awk. */
extern const char *const check_watched[];

#endif
