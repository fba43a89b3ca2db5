/* Libraries of other MPIs that ranks load while they run, as an interpreter does for an extension
 * (mpi4py): nothing in the program's file tells. */
#ifndef LAUNCH_LOADED_H
#define LAUNCH_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct job;

/* Looks for such a library in the memory of a process, or, of a shell, of what it has started.
 * False: there is none, or it cannot be found out.  Else its name is in `name`. */
bool loaded_look(pid_t pid, char *name, size_t size);

/* From now on the job's ranks are looked at, at times ever farther apart. */
void loaded_begin(struct job *job, int64_t now);

/* When loaded_tick is due next; -1: never. */
int64_t loaded_due(const struct job *job);

/* Looks at ranks that have not opened their NIC, one of each program, and notes in the job what has
 * been found. */
void loaded_tick(struct job *job, int64_t now);

#endif
