/* Barriers (Buntinas et al.): pairwise exchange, in which all ranks are busy at once; or gathering
 * and release along a tree, in which a rank gets a core about once where ranks outnumber them. */
#include <stdio.h>
#include <string.h>

#include "coll/choice.h"
#include "coll/pairs.h"
#include "coll/tree.h"
#include "coll/tuning.h"

static void pairwise(struct mpi_build *b)
{
    struct mpi_pairs p = mpi_pairs_of(b);
    if (p.v < 0) {
        mpi_build_exchange(b, b->rank - 1, NULL, NULL, 0);
        return;
    }
    if (mpi_pairs_has_guest(b, &p))
        mpi_build_take(b, b->rank + 1, NULL, 0);
    for (int bit = 1; bit < p.power; bit *= 2)
        mpi_build_exchange(b, mpi_pairs_rank(&p, p.v ^ bit), NULL, NULL, 0);
    if (mpi_pairs_has_guest(b, &p))
        mpi_build_send(b, b->rank + 1, NULL, 0);
}

static void gather_and_release(struct mpi_build *b, int degree)
{
    int first = mpi_tree_first_child(b->rank, degree);
    int end = first + degree < b->size ? first + degree : b->size;
    for (int child = first; child < end; child++)
        mpi_build_take(b, child, NULL, 0);
    if (b->rank)
        mpi_build_exchange(b, mpi_tree_parent(b->rank, degree), NULL, NULL, 0);
    for (int child = first; child < end; child++)
        mpi_build_send(b, child, NULL, 0);
}

struct mpi_barrier_algorithm mpi_build_barrier_algorithm(const struct mpi_build *b)
{
    int degree;
    if (b->barrier && !strcmp(b->barrier, "pairwise"))
        return (struct mpi_barrier_algorithm){ false, 0 };
    if (b->barrier && sscanf(b->barrier, "gather:%d", &degree) == 1 && degree >= 1
        && degree <= MPI_TREE_DEGREE_MAX)
        return (struct mpi_barrier_algorithm){ true, degree };
    int usual = b->crowded ? MPI_TREE_CROWDED_DEGREE : MPI_TREE_DEGREE;
    bool tree = mpi_choose(mpi_choices_barrier, b->crowded, b->size, 0, 0) == MPI_ALGORITHM_TREE;
    return (struct mpi_barrier_algorithm){ tree, usual };
}

void mpi_build_barrier(struct mpi_build *b)
{
    struct mpi_barrier_algorithm algorithm = mpi_build_barrier_algorithm(b);
    if (algorithm.tree)
        gather_and_release(b, algorithm.degree);
    else
        pairwise(b);
    mpi_build_wait(b);
}
