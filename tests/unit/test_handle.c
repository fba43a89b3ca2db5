/* The handle table: what is alive is found, everything else is not, from any number of threads. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "alone.h"
#include "core/handle.h"
#include "core/request.h"

static int objects[2000];

START_TEST(found_until_freed)
{
    uintptr_t a = mpi_handle_new(MPI_KIND_GROUP, &objects[0]),
        b = mpi_handle_new(MPI_KIND_GROUP, &objects[1]);

    ck_assert(a >= MPI_HANDLE_PREDEFINED && b >= MPI_HANDLE_PREDEFINED && a != b);
    ck_assert_ptr_eq(mpi_handle_get(MPI_KIND_GROUP, a), &objects[0]);
    ck_assert_ptr_eq(mpi_handle_get(MPI_KIND_GROUP, b), &objects[1]);
    mpi_handle_free(a);
    ck_assert_ptr_null(mpi_handle_get(MPI_KIND_GROUP, a));
    ck_assert_ptr_eq(mpi_handle_get(MPI_KIND_GROUP, b), &objects[1]);
    mpi_handle_free(b);
    ck_assert_ptr_null(mpi_handle_get(MPI_KIND_GROUP, b));
}
END_TEST

START_TEST(stale_handles_stay_dead)
{
    uintptr_t old[100], h;

    for (int i = 0; i < 100; i++) {     /* all in the same slot */
        old[i] = mpi_handle_new(MPI_KIND_OP, &objects[i]);
        mpi_handle_free(old[i]);
    }
    h = mpi_handle_new(MPI_KIND_OP, &objects[0]);
    for (int i = 0; i < 100; i++) {
        ck_assert(old[i] != h);
        ck_assert_ptr_null(mpi_handle_get(MPI_KIND_OP, old[i]));
        mpi_handle_free(old[i]);        /* has no effect */
    }
    ck_assert_ptr_eq(mpi_handle_get(MPI_KIND_OP, h), &objects[0]);
    mpi_handle_free(h);
}
END_TEST

START_TEST(foreign_values)
{
    uintptr_t h = mpi_handle_new(MPI_KIND_COMM, &objects[0]);

    for (int kind = MPI_KIND_COMM; kind < MPI_KINDS; kind++)
        ck_assert_int_eq(mpi_handle_get((enum mpi_kind)kind, h) != NULL, kind == MPI_KIND_COMM);
    for (int bit = 0; bit < 64; bit++)
        ck_assert_ptr_null(mpi_handle_get(MPI_KIND_COMM, h ^ (uintptr_t)1 << bit));
    for (uintptr_t v = 0; v < MPI_HANDLE_PREDEFINED; v++)
        ck_assert_ptr_null(mpi_handle_get(MPI_KIND_COMM, v));
    ck_assert_ptr_null(mpi_handle_get(MPI_KIND_COMM, (uintptr_t)&h));
    ck_assert_ptr_null(mpi_handle_get(MPI_KIND_COMM, UINTPTR_MAX));
    mpi_handle_free(0);
    mpi_handle_free(UINTPTR_MAX);
    mpi_handle_free(h);
}
END_TEST

/* More than one chunk of slots; freed slots are used again before new ones. */
START_TEST(many)
{
    static uintptr_t h[2000], again[2000];
    uint32_t highest = 0, index;

    for (int i = 0; i < 2000; i++) {
        h[i] = mpi_handle_new(MPI_KIND_TYPE, &objects[i]);
        ck_assert(h[i] != 0);
        index = (uint32_t)(h[i] & 0x0fffffffu);
        highest = index > highest ? index : highest;
    }
    for (int i = 0; i < 2000; i++)
        ck_assert_ptr_eq(mpi_handle_get(MPI_KIND_TYPE, h[i]), &objects[i]);
    for (int i = 0; i < 2000; i += 2)
        mpi_handle_free(h[i]);
    for (int i = 0; i < 2000; i += 2) {
        again[i] = mpi_handle_new(MPI_KIND_TYPE, &objects[i]);
        ck_assert((again[i] & 0x0fffffffu) <= highest);
    }
    for (int i = 0; i < 2000; i++) {
        ck_assert_int_eq(mpi_handle_get(MPI_KIND_TYPE, h[i]) != NULL, i % 2);
        mpi_handle_free(i % 2 ? h[i] : again[i]);
    }
}
END_TEST

/* As many as there are places, and then none, until one is free again. */
START_TEST(all_of_them)
{
    enum { ALL = MPI_SLOTS_PER_CHUNK * MPI_SLOT_CHUNKS };
    uintptr_t *handle = malloc(ALL * sizeof *handle);

    ck_assert_ptr_nonnull(handle);
    for (int i = 0; i < ALL; i++)
        if (!(handle[i] = mpi_handle_new(MPI_KIND_MESSAGE, &objects[i % 2000])))
            ck_abort_msg("there is no place for number %d of %d", i, ALL);
    ck_assert_uint_eq(mpi_handle_new(MPI_KIND_MESSAGE, objects), 0);
    mpi_handle_free(handle[77]);
    handle[77] = mpi_handle_new(MPI_KIND_MESSAGE, &objects[5]);
    ck_assert_ptr_eq(mpi_handle_get(MPI_KIND_MESSAGE, handle[77]), &objects[5]);
    ck_assert_uint_eq(mpi_handle_new(MPI_KIND_MESSAGE, objects), 0);
    for (int i = 0; i < ALL; i++)
        mpi_handle_free(handle[i]);
    free(handle);
}
END_TEST

START_TEST(integers)
{
    static uintptr_t h[600];

    for (int i = 0; i < 600; i++) {
        h[i] = mpi_handle_new(MPI_KIND_INFO, &objects[i]);
        if (i % 3 == 0) {               /* some later generations */
            mpi_handle_free(h[i]);
            h[i] = mpi_handle_new(MPI_KIND_INFO, &objects[i]);
        }
    }
    for (int i = 0; i < 600; i++) {
        int value = mpi_handle_toint(MPI_KIND_INFO, h[i]);
        ck_assert_int_ge(value, MPI_HANDLE_PREDEFINED);
        ck_assert(mpi_handle_fromint(MPI_KIND_INFO, value) == h[i]);
        ck_assert(mpi_handle_fromint(MPI_KIND_COMM, value) == 0);
        ck_assert(mpi_handle_toint(MPI_KIND_COMM, h[i]) == 0);
        mpi_handle_free(h[i]);
        ck_assert(mpi_handle_fromint(MPI_KIND_INFO, value) == 0);
        ck_assert(mpi_handle_toint(MPI_KIND_INFO, h[i]) == 0);
    }
    ck_assert(mpi_handle_fromint(MPI_KIND_INFO, -1) == 0);
    ck_assert(mpi_handle_fromint(MPI_KIND_INFO, INT32_MAX) == 0);
    for (int v = 0; v < (int)MPI_HANDLE_PREDEFINED; v++)
        ck_assert(mpi_handle_toint(MPI_KIND_INFO, (uintptr_t)v) == v &&
                  mpi_handle_fromint(MPI_KIND_INFO, v) == (uintptr_t)v);
}
END_TEST

START_TEST(conversions)
{
    MPI_Group group = (MPI_Group)mpi_handle_new(MPI_KIND_GROUP, &objects[0]);

    ck_assert_int_eq(MPI_Comm_toint(MPI_COMM_WORLD), 257);
    ck_assert_int_eq(MPI_Type_toint(MPI_INT), 521);
    ck_assert_int_eq(MPI_Op_toint(MPI_SUM), 33);
    ck_assert_int_eq(MPI_Errhandler_toint(MPI_ERRORS_RETURN), 323);
    ck_assert_int_eq(MPI_Request_toint(MPI_REQUEST_NULL), 384);
    ck_assert_int_eq(MPI_Message_toint(MPI_MESSAGE_NO_PROC), 297);
    ck_assert_int_eq(MPI_Group_toint(MPI_GROUP_EMPTY), 265);
    ck_assert_ptr_eq(MPI_Comm_fromint(258), MPI_COMM_SELF);
    ck_assert_ptr_eq(MPI_Type_fromint(532), MPI_DOUBLE);
    ck_assert_ptr_eq(MPI_Op_fromint(35), MPI_MAX);
    ck_assert_ptr_eq(MPI_Errhandler_fromint(321), MPI_ERRORS_ARE_FATAL);
    ck_assert_ptr_eq(MPI_Request_fromint(384), MPI_REQUEST_NULL);
    ck_assert_ptr_eq(MPI_Message_fromint(296), MPI_MESSAGE_NULL);
    ck_assert_ptr_eq(MPI_Group_fromint(MPI_Group_toint(group)), group);
    ck_assert_ptr_eq(MPI_Comm_fromint(MPI_Group_toint(group)), MPI_COMM_NULL);
    mpi_handle_free((uintptr_t)group);
    ck_assert_ptr_eq(MPI_Group_fromint(12345678), MPI_GROUP_NULL);
    ck_assert_int_eq(MPI_Group_toint(group), MPI_Group_toint(MPI_GROUP_NULL));
}
END_TEST

/* Requests of these numbers, as if all below were open, too. */
static void request_integer(struct fw_slab *slab, uint32_t index, uint32_t generation)
{
    struct fw_req *r = fw_slab_at(slab, index);
    r->object.kind = FW_HOST;
    r->index = index;
    r->generation = generation;
    MPI_Request handle = mpi_req_handle(r);
    int value = MPI_Request_toint(handle);
    ck_assert(value < 0 || value >= (int)MPI_HANDLE_PREDEFINED);
    ck_assert_ptr_eq(MPI_Request_fromint(value), handle);
    r->generation++;
    ck_assert_ptr_eq(MPI_Request_fromint(value), MPI_REQUEST_NULL);
    ck_assert_int_ne(MPI_Request_toint(mpi_req_handle(r)), value);
}

/* More than a million requests can be open: each has an integer, and its own. */
START_TEST(many_requests)
{
    enum { FIRST = (1 << 20) - FW_SLAB_CHUNK, USED = FIRST + 2 * FW_SLAB_CHUNK };
    static void *chunk[USED / FW_SLAB_CHUNK];
    struct fw_fast_path fast = {
        .requests = { .chunk = chunk, .chunks = USED / FW_SLAB_CHUNK, .used = USED,
                      .object_bytes = sizeof(struct fw_req) },
    };
    for (int i = 1; i <= 2; i++)
        chunk[USED / FW_SLAB_CHUNK - i] = calloc(FW_SLAB_CHUNK, sizeof(struct fw_req));
    mpi_fw = (struct fw *)&fast;
    for (uint32_t index = FIRST; index < USED; index++)
        request_integer(&fast.requests, index, index * 37);
    ck_assert_int_ne(MPI_Request_toint(mpi_req_handle(fw_slab_at(&fast.requests, FIRST))),
                     MPI_Request_toint(mpi_req_handle(fw_slab_at(&fast.requests, 1 << 20))));
    ck_assert_ptr_eq(MPI_Request_fromint(-1), MPI_REQUEST_NULL);
    ck_assert_ptr_eq(MPI_Request_fromint((int)(1u << 31 | FIRST)), MPI_REQUEST_NULL);
    mpi_fw = NULL;
    free(chunk[USED / FW_SLAB_CHUNK - 1]);
    free(chunk[USED / FW_SLAB_CHUNK - 2]);
}
END_TEST

/* Threads create and free handles of the same kind while all look up what the others have
 * published.  An object knows the handle by which it was published last, so that a look-up that
 * succeeds shows whether it found the right one. */

enum { THREADS = 4, ROUNDS = 20000 };

struct worker {
    pthread_t thread;
    _Atomic uintptr_t published;        /* 0 or a handle of this worker's object */
    bool failed;
};

static struct worker workers[THREADS];

/* True if what `h` gives is the object of worker `owner` or, freed in the meantime, nothing. */
static bool plausible(uintptr_t h, const struct worker *owner)
{
    const void *found = mpi_handle_get(MPI_KIND_REQUEST, h);

    return !found || found == owner;
}

static void *work(void *arg)
{
    struct worker *self = arg;

    for (int i = 0; i < ROUNDS && !self->failed; i++) {
        uintptr_t h = mpi_handle_new(MPI_KIND_REQUEST, self);
        const struct worker *other = &workers[i % THREADS];

        atomic_store_explicit(&self->published, h, memory_order_release);
        self->failed |= mpi_handle_get(MPI_KIND_REQUEST, h) != self;
        self->failed |= !plausible(atomic_load_explicit(&other->published, memory_order_acquire),
                                   other);
        mpi_handle_free(h);
        self->failed |= mpi_handle_get(MPI_KIND_REQUEST, h) != NULL;
    }
    return NULL;
}

START_TEST(threads)
{
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        ck_assert(!workers[i].failed);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("handle");
    TCase *tc = tcase_create("table");

    alone_start();
    tcase_add_test(tc, found_until_freed);
    tcase_add_test(tc, stale_handles_stay_dead);
    tcase_add_test(tc, foreign_values);
    tcase_add_test(tc, many);
    tcase_add_test(tc, all_of_them);
    tcase_add_test(tc, integers);
    tcase_add_test(tc, conversions);
    tcase_add_test(tc, many_requests);
    tcase_add_test(tc, threads);
    suite_add_tcase(suite, tc);
    return alone_run(suite);
}
