/* Which node each rank is on, as launchers write it: "(vector,(FIRST,COUNT,EACH),...)" puts EACH
 * ranks on each of COUNT nodes from FIRST on, and begins again at its end. */
#ifndef MPI_PMI_MAPPING_H
#define MPI_PMI_MAPPING_H

#include <stdint.h>

/* Sets the node of each rank.  -EPROTO: the text makes no sense. */
int mpi_pmi_mapping_read(const char *text, uint32_t *node, unsigned ranks);

/* Numbers nodes as their lowest ranks come, from 0; sets the lowest rank of each in `leader`, which
 * has room for one per rank.  Returns how many there are; 0: no memory. */
unsigned mpi_pmi_mapping_number(uint32_t *node, uint32_t *leader, unsigned ranks);

#endif
