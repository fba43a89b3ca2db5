/* The trees of collectives. */
#include "suite.h"

#include "loop.h"
#include "coll/tree.h"

/* Latency 1: who hears in a round is the one told by the rank a power of two below. */
START_TEST(binomial)
{
    for (int size = 1; size <= 300; size++) {
        const int *parent = mpi_tree_postal(size, 1);
        must(parent && parent[0] == -1);
        for (int i = 1, power = 1; i < size; i++) {
            if (i == 2 * power)
                power = i;
            must(parent[i] == i - power);
        }
    }
}
END_TEST

/* Nobody can hear sooner: with n(t) who have heard by time t, n(t) = n(t - 1) + n(t - latency), and
 * each parent sends in turn. */
START_TEST(postal)
{
    enum { SIZE = 500 };
    static int heard[SIZE], sent[SIZE];

    for (int latency = 1; latency <= 9; latency++) {
        const int *parent = mpi_tree_postal(SIZE, latency);
        must(parent);
        memset(sent, 0, sizeof sent);
        for (int i = 1; i < SIZE; i++) {
            must(parent[i] >= 0 && parent[i] < i);
            heard[i] = heard[parent[i]] + sent[parent[i]]++ + latency;
        }
        for (int now = 0; now < 60; now++) {
            int known[3] = { 0 };
            for (int i = 0; i < SIZE; i++) {
                known[0] += heard[i] <= now;
                known[1] += heard[i] <= now - 1;
                known[2] += heard[i] <= now - latency;
            }
            must(known[0] == SIZE || now < latency || known[0] == known[1] + known[2]);
        }
    }
}
END_TEST

/* A tree is kept while four others are asked for, and made anew behind them. */
START_TEST(kept)
{
    const int *first = mpi_tree_postal(20, 2);
    for (int size = 21; size < 24; size++)
        must(mpi_tree_postal(size, 2)[size - 1] < size - 1);
    ck_assert_ptr_eq(mpi_tree_postal(20, 2), first);
    mpi_tree_postal(24, 2);
    must(mpi_tree_postal(20, 2)[0] == -1 && mpi_tree_postal(20, 2)[1] == 0);
}
END_TEST

START_TEST(degrees)
{
    for (int degree = 1; degree < 6; degree++)
        for (int rank = 0; rank < 50; rank++)
            for (int i = 0; i < degree; i++)
                must(mpi_tree_parent(mpi_tree_first_child(rank, degree) + i, degree) == rank);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tree");
    TCase *tcase = tcase_create("tree");

    tcase_add_test(tcase, binomial);
    tcase_add_test(tcase, postal);
    tcase_add_test(tcase, kept);
    tcase_add_test(tcase, degrees);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
