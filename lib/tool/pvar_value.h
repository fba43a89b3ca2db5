/* The performance variables: the figures of NIC and firmware, by the names that MPILITE_STATS has
 * for them, and a few of the job.  Values are read under the tool's lock, with the baton if there
 * is a NIC; after MPI_Finalize they are what they were then. */
#ifndef TOOL_PVAR_VALUE_H
#define TOOL_PVAR_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi.h"

struct mpi_tool_pvar {
    const char *name, *text;
    char unit[24];              /* "": none that has a name */
    int class;                  /* MPI_T_PVAR_CLASS_X */
    MPI_Datatype type;
    bool counts;                /* from where a handle is started; else it is as it is */
};

int mpi_tool_pvar_count(void);
/* False: there is none of this index. */
bool mpi_tool_pvar(int index, struct mpi_tool_pvar *pvar);

/* How many of the first are the hardware's, and how many of those behind are the firmware's. */
int mpi_tool_pvars_hardware(void);
int mpi_tool_pvars_figures(void);

/* The value, of which a handle of one that counts takes differences; and how it goes into the
 * program's place. */
uint64_t mpi_tool_value(int index);
void mpi_tool_value_give(int index, uint64_t value, void *place);
uint64_t mpi_tool_value_take(int index, const void *place);

/* MPI_Finalize: what the figures are now they stay. */
void mpi_tool_keep_values(void);

#endif
