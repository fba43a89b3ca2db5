/* Two calls that disagree: what class of error that is, and what is said of it. */
#include "loop.h"
#include "mpi.h"
#include "coll/coll.h"
#include "coll/fingerprint.h"
#include "core/request.h"

static void expect(const struct mpi_coll_call *a, const struct mpi_coll_call *b,
                   int class, const char *text)
{
    char said[256];
    ck_assert_int_eq(mpi_coll_describe_mismatch(a, b, said, sizeof said), class);
    ck_assert_str_eq(said, text);
}

START_TEST(classes)
{
    struct mpi_coll_call bcast = mpi_coll_call_own("MPI_Bcast", 1, MPI_COLL_BCAST, 8, 0);
    struct mpi_coll_call longer = mpi_coll_call_own("MPI_Bcast", 2, MPI_COLL_BCAST, 1, 0);
    struct mpi_coll_call other_root = mpi_coll_call_own("MPI_Bcast", 2, MPI_COLL_BCAST, 8, 1);
    struct mpi_coll_call barrier = mpi_coll_call_own("MPI_Barrier", 2, MPI_COLL_BARRIER, 0, 0);
    struct mpi_coll_call vector = mpi_coll_call_own("MPI_Gatherv", 2, MPI_COLL_GATHERV, 8, 3);
    expect(&bcast, &longer, MPI_ERR_COUNT,
           "the ranks disagree: rank 1 called MPI_Bcast with 8 bytes, root 0; rank 2 called "
               "MPI_Bcast with 1 byte, root 0");
    expect(&bcast, &other_root, MPI_ERR_ROOT,
           "the ranks disagree: rank 1 called MPI_Bcast with 8 bytes, root 0; rank 2 called "
               "MPI_Bcast with 8 bytes, root 1");
    expect(&bcast, &barrier, MPI_ERR_OTHER,
           "the ranks disagree: rank 1 called MPI_Bcast with 8 bytes, root 0; rank 2 called "
               "MPI_Barrier");
    expect(&barrier, &vector, MPI_ERR_OTHER,
           "the ranks disagree: rank 2 called MPI_Barrier; rank 2 called MPI_Gatherv with root 3");
}
END_TEST

/* A root belongs to these kinds, and ranks that name two of them disagree about it. */
START_TEST(roots)
{
    static const enum mpi_coll_kind kinds[] = { MPI_COLL_BCAST, MPI_COLL_REDUCE, MPI_COLL_GATHER,
                                                MPI_COLL_SCATTER, MPI_COLL_GATHERV,
                                                MPI_COLL_SCATTERV };
    struct mpi_coll_call one = mpi_coll_call_own("one", 0, kinds[_i], 8, 4);
    struct mpi_coll_call other = mpi_coll_call_own("other", 2, kinds[_i], 8, 5);
    char said[256];
    int class = mpi_coll_describe_mismatch(&one, &other, said, sizeof said);
    ck_assert_int_eq(class, MPI_ERR_ROOT);
    ck_assert_ptr_nonnull(strstr(said, "root 4;"));
    ck_assert_str_eq(strstr(said, "root 5"), "root 5");
}
END_TEST

/* What the other's match bits do not say is not made up. */
START_TEST(another_count)
{
    struct mpi_coll_call mine = mpi_coll_call_own("MPI_Bcast", 1, MPI_COLL_BCAST, 8, 0),
        other = mine;
    other.rank = 2;
    other.call = NULL;
    other.bytes_known = false;
    expect(&mine, &other, MPI_ERR_COUNT,
           "the ranks disagree: rank 1 called MPI_Bcast with 8 bytes, root 0; "
                                        "rank 2 called MPI_Bcast with root 0 with another count");
}
END_TEST

/* As long as it can be: all of it finds room in an error. */
START_TEST(longest)
{
    struct mpi_coll_call one = {
        .rank = 1000000, .kind = MPI_COLL_REDUCE_SCATTER, .bytes = SIZE_MAX, .root = 1,
        .bytes_known = true, .root_known = true, .either = true,
    }, other = { .rank = 1000001, .kind = MPI_COLL_SCATTERV, .bytes = SIZE_MAX, .root = 1000000,
                 .bytes_known = true, .root_known = true, .either = true };
    struct mpi_why why;
    mpi_coll_describe_mismatch(&one, &other, why.text, sizeof why.text);
    ck_assert_str_eq(why.text,
                     "the ranks disagree: rank 1000000 called MPI_Reduce_scatter_block or "
                     "MPI_Ireduce_scatter_block with 18446744073709551615 bytes; "
                     "rank 1000001 called MPI_Scatterv or MPI_Iscatterv "
                     "with 18446744073709551615 bytes, root 1000000");
}
END_TEST

static void expect_note(struct mpi_coll_call call, const char *note)
{
    char said[256];
    ck_assert_str_eq(mpi_coll_note_of(&call, "MPI_COMM_WORLD", said, sizeof said), note);
}

/* What a rank is said to wait for. */
START_TEST(notes)
{
    expect_note(mpi_coll_call_own("MPI_Bcast", 1, MPI_COLL_BCAST, 1, 2),
                "MPI_Bcast(1 byte, root 2, MPI_COMM_WORLD)");
    expect_note(mpi_coll_call_own("MPI_Allreduce", 1, MPI_COLL_ALLREDUCE, 8, 0),
                "MPI_Allreduce(8 bytes, MPI_COMM_WORLD)");
    expect_note(mpi_coll_call_own("MPI_Gatherv", 1, MPI_COLL_GATHERV, 8, 0),
                "MPI_Gatherv(root 0, MPI_COMM_WORLD)");
    expect_note(mpi_coll_call_own("MPI_Barrier", 1, MPI_COLL_BARRIER, 0, 0),
                "MPI_Barrier(MPI_COMM_WORLD)");
    expect_note(mpi_coll_call_own("MPI_Finalize", 1, MPI_COLL_FINALIZE, 0, 0),
                "MPI_Finalize: waits for the other ranks");
}
END_TEST

/* Of a call that is made of others, they do not change what it says of itself. */
START_TEST(outermost)
{
    struct mpi_coll x = { .match = fw_match_bits(5, 0, 12) };
    const uint64_t before = x.match;
    mpi_coll_set_fingerprint(&x, MPI_COLL_COMM, 8, MPI_MADE_SPLIT);
    mpi_coll_set_fingerprint(&x, MPI_COLL_ALLREDUCE, 24, 3);
    ck_assert_uint_eq(x.match, before | mpi_fingerprint(MPI_COLL_COMM, 8, MPI_MADE_SPLIT));
    ck_assert_int_eq(mpi_fingerprint_kind(x.match), MPI_COLL_COMM);
    ck_assert_uint_eq(x.bytes, 8);
    ck_assert_int_eq(x.root, MPI_MADE_SPLIT);
}
END_TEST

/* Of a part of a communicator, messages name the ranks of the whole. */
START_TEST(shown)
{
    static const int whole[] = { 4, 7, 2 };
    const struct mpi_comm part = { .size = 3, .shown = whole }, all = { .size = 3 };
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(mpi_coll_shown(&part, i), whole[i]);
        ck_assert_int_eq(mpi_coll_shown(&all, i), i);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sign");
    TCase *tcase = tcase_create("sign");

    tcase_add_test(tcase, classes);
    tcase_add_loop_test(tcase, roots, 0, 6);
    tcase_add_test(tcase, another_count);
    tcase_add_test(tcase, longest);
    tcase_add_test(tcase, notes);
    tcase_add_test(tcase, outermost);
    tcase_add_test(tcase, shown);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
