/* Who gets which place of a grid, so that neighbours share packages, caches and cores. */
#ifndef MPI_GRID_PLACE_H
#define MPI_GRID_PLACE_H

#include <stdbool.h>

#include "nicemu/place.h"

/* Of pairs of neighbours, how many have the seats of their ranks in different objects of a level
 * and in the same ones of all higher levels. */
struct mpi_crossings { int of[NIC_SEAT_LEVELS]; };

/* rank_at[place] becomes the rank for each place of the grid: those from 0 on, one for each place,
 * whose seats these are.  It stays in order where no other one is found that is better: fewer pairs
 * cross packages, or as many and fewer the next level, and so on.  False: no memory. */
bool mpi_grid_place(int ndims, const int *dims, const int *periods, const struct nic_seat *seat,
                    int *rank_at);

struct mpi_crossings mpi_grid_crossings(int ndims, const int *dims, const int *periods,
                                        const struct nic_seat *seat, const int *rank_at);

#endif
