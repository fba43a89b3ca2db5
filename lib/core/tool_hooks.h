/* What the tool interface wants to be told: filled by the first MPI_T_init_thread.  A header
 * without a .c: world.c has the pointer. */
#ifndef MPI_TOOL_HOOKS_H
#define MPI_TOOL_HOOKS_H

struct mpi_tool_hooks {
    void (*opened)(void);       /* at the end of MPI_Init, without the baton */
    void (*closing)(void);      /* in MPI_Finalize, before the NIC is closed; without the baton */
};

extern const struct mpi_tool_hooks *mpi_tool_hooks;     /* NULL: nobody has asked */

#endif
