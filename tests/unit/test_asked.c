/* Small requests to a target's NIC: what a flush waits for, here of requests to this process; and
 * the parts in which two ends share a long transfer. */
#include <pthread.h>

#include "nicemu/threads.h"
#include "rma/ask.h"
#include "rma/chunks.h"
#include "rma/transfer.h"
#include "suite.h"

static int64_t memory[4];
static MPI_Win win;
static struct mpi_win *w;
static struct mpi_rma_asked_of *asked;
static struct mpi_rma_place place;

/* A window whose memory this process has to ask its own NIC for. */
static void fresh(void)
{
    const int64_t one = 1;
    ck_assert_int_eq(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win),
                     MPI_SUCCESS);
    w = mpi_win_get(win);
    w->part[0].at = NULL;
    asked = &w->part[0].asked;
    place = (struct mpi_rma_place){ .address = w->own_address };
    memory[0] = 0;
    ck_assert(mpi_rma_ask_put(w, 0, &place, &one, sizeof one));
    ck_assert_int_eq(mpi_rma_flush(w, 0, "MPI_Win_flush").class, MPI_SUCCESS);
    ck_assert_int_eq(memory[0], 1);
    ck_assert_int_eq(w->asking, 0);
}

/* -- a get that is asked for while another thread waits for a put, which is made up */

static void *flusher(void *argument)
{
    mpi_rma_flush(w, 0, "MPI_Win_flush");
    return argument;
}

START_TEST(beside_flush)
{
    int64_t got = 0;
    pthread_t thread;
    fresh();
    nic_enter(mpi_nic);
    asked->open = asked->puts = true;
    w->asking++;
    const uint32_t put = ++asked->last_put;
    nic_leave(mpi_nic);
    ck_assert(!pthread_create(&thread, NULL, flusher, NULL));
    usleep(20000);                  /* until it waits: if it is later it finds nothing amiss */
    ck_assert(mpi_rma_ask_get(w, 0, &place, &got, sizeof got));
    __atomic_store_n(&mpi_rma_answers_of(w, 0)->handled, put, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    ck_assert_int_eq(mpi_rma_flush(w, 0, "MPI_Win_flush").class, MPI_SUCCESS);
    ck_assert_int_eq(got, 1);
    ck_assert_int_eq(w->asking, 0);
    ck_assert_int_eq(MPI_Win_free(&win), MPI_SUCCESS);
}
END_TEST

/* -- a put behind so many other requests that their numbers have gone half round */

START_TEST(behind_many)
{
    const int64_t two = 2;
    fresh();
    asked->number += UINT32_C(0x80000064);
    for (int i = 1; i < 3; i++) {
        memory[0] = 0;
        ck_assert(mpi_rma_ask_put(w, 0, &place, &two, sizeof two));
        ck_assert_int_eq(mpi_rma_flush(w, 0, "MPI_Win_flush").class, MPI_SUCCESS);
        ck_assert_uint_eq(mpi_rma_answers_of(w, 0)->handled, asked->last_put);
        ck_assert_int_eq(memory[0], 2);
        asked->last_put = mpi_rma_answers_of(w, 0)->handled = UINT32_MAX;
    }
    ck_assert_int_eq(MPI_Win_free(&win), MPI_SUCCESS);
}
END_TEST

/* -- shares */

static void expect_chunks(size_t bytes, size_t each, unsigned count)
{
    ck_assert_uint_eq(mpi_rma_chunk_bytes(bytes), each);
    ck_assert_uint_eq(mpi_rma_chunks(bytes), count);
}

/* Whole pages, no less than it pays to claim, and as many as have a place; the last is the rest. */
START_TEST(chunks)
{
    const size_t most = MPI_RMA_CHUNK * (size_t)MPI_RMA_CHUNKS;
    expect_chunks(MPI_RMA_SHARED_MIN, MPI_RMA_CHUNK, 2);
    expect_chunks(MPI_RMA_SHARED_MIN + 1, MPI_RMA_CHUNK, 3);
    expect_chunks(most, MPI_RMA_CHUNK, MPI_RMA_CHUNKS);
    expect_chunks(most + MPI_RMA_CHUNKS, MPI_RMA_CHUNK + MPI_RMA_PAGE, MPI_RMA_CHUNKS);
    expect_chunks(MPI_RMA_SHARED_MAX, MPI_RMA_SHARED_MAX / MPI_RMA_CHUNKS, MPI_RMA_CHUNKS);
}
END_TEST

/* Each once, of the request that is under way. */
START_TEST(claims)
{
    static struct mpi_rma_answers a;
    uint32_t chunk;
    a.claims = UINT64_C(7) << 32;
    ck_assert(!mpi_rma_claim(&a, 6, 2, &chunk));
    ck_assert(!mpi_rma_claim(&a, 8, 2, &chunk));
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert(mpi_rma_claim(&a, 7, 2, &chunk));
        ck_assert_uint_eq(chunk, i);
    }
    ck_assert(!mpi_rma_claim(&a, 7, 2, &chunk));
    ck_assert_uint_eq(a.claims, (UINT64_C(7) << 32) + 2);
}
END_TEST

int main(void)
{
    int provided;
    Suite *suite = suite_create("asked");
    TCase *all = tcase_create("all");
    tcase_add_test(all, beside_flush);
    tcase_add_test(all, behind_many);
    tcase_add_test(all, chunks);
    tcase_add_test(all, claims);
    suite_add_tcase(suite, all);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    int failed = suite_run(suite);
    MPI_Finalize();
    return failed;
}
