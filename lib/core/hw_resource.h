/* The kinds of hardware that a process runs on, and which of each it is bound to.  The kernel says
 * (/sys); nothing is cached, since a process may be bound anew.  Any thread, at any time. */
#ifndef MPI_HW_RESOURCE_H
#define MPI_HW_RESOURCE_H

/* From the whole machine down to a hardware thread: "hwloc://Machine" ... "hwloc://PU"; NULL: no
 * more.  The names are hwloc's, behind its prefix. */
const char *mpi_hw_resource_name(unsigned kind);

/* The kind of that name; with or without the prefix, in any case.  -1: there is none. */
int mpi_hw_resource_by_name(const char *name);

/* The one of this kind that the process may run on, by the least number of its processors;
 * MPI_HW_SEVERAL: it may run on more than one, MPI_HW_UNKNOWN: this machine has none, or does not
 * say. */
enum { MPI_HW_SEVERAL = -1, MPI_HW_UNKNOWN = -2 };
int mpi_hw_resource_mine(unsigned kind);

#endif
