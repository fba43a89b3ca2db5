/* What the kernel tells of a rank's threads: whether they wait in MPI for ever, or may go on. */
#ifndef LIB_TASKS_H
#define LIB_TASKS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "nicemu/job.h"

struct nic_rank_threads;

/* The process of the rank's NIC, which a launcher started as `started` or which that one has
 * started; 0: it is not to be found (it has ended, /proc is hidden, or numbers processes
 * otherwise). */
pid_t mpi_tasks_process(const struct nic_rank_threads *threads, pid_t started);

/* Every thread that may call MPI waits in MPI.  Where other threads than the main one may call,
 * but the kernel does not list them, nobody knows, which is no.  So it is of a rank that may be
 * helped from outside of MPI: by a debugger, or by a timer that it has set up. */
bool mpi_tasks_all_wait(const struct nic_rank_threads *threads, pid_t started);

/* Nothing goes on in the threads that its NIC has of its own, as far as the kernel tells. */
bool mpi_tasks_nic_sleeps(const struct nic_rank_threads *threads, pid_t process);

/* Threads of the process that run its program: not the NIC's own, nor the sanitizer's, nor any that
 * has ended.  0: the kernel does not tell. */
size_t mpi_tasks_count(const struct nic_rank_threads *threads, pid_t process);

/* Writes what the process does outside of MPI: "computes ...", "waits ...",
 * "is stopped ...". */
void mpi_tasks_print(FILE *out, const struct nic_rank_threads *threads, pid_t process);

#endif
