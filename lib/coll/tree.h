/* Trees that collectives run along, in ranks relative to the root, which is 0. */
#ifndef MPI_TREE_H
#define MPI_TREE_H

/* The tree by which a message reaches `size` ranks soonest, if a rank can send it off once per unit
 * of time and it takes `latency` (at least 1) of them to be there (Bar-Noy and Kipnis' postal
 * model; latency 1 gives the binomial tree).  parent[i] for each rank, -1 for 0; the children of a
 * rank, in the order in which it serves them, are in rising order.  Valid until four other trees
 * have been asked for; baton held.  NULL: no memory. */
const int *mpi_tree_postal(int size, int latency);

/* A tree of any degree: the children of r are r * degree + 1 .. r * degree + degree. */
static inline int mpi_tree_parent(int rank, int degree) { return rank ? (rank - 1) / degree : -1; }
static inline int mpi_tree_first_child(int rank, int degree) { return rank * degree + 1; }

#endif
