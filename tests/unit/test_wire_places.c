/* Jobs of several machines: who is where, and the addresses of their wires. */
#include <errno.h>
#include <fcntl.h>

#include "machines.h"
#include "wire/address.h"
#include "wire/directory.h"

/* -- who is where */

START_TEST(test_places)
{
    struct machines m;
    machines_deal(&m, 5, 2);
    machines_jobs(&m);
    for (unsigned i = 0; i < 2; i++) {
        struct nic_job *view;
        must(nic_job_attach(dup(nic_job_fd(m.job[i])), &view) == 0);
        ck_assert_uint_eq(nic_job_ranks(view), 5);
        ck_assert_uint_eq(nic_job_machines(view), 2);
        for (unsigned r = 0; r < 5; r++) {
            ck_assert_uint_eq(nic_job_machine(view, r), r % 2);
            ck_assert(nic_job_is_here(view, r) == (r % 2 == i));
        }
        ck_assert(!nic_job_is_here(view, 5));
        nic_job_scratchpad(m.job[i], i + 2)[100] = (unsigned char)(i + 7);
        ck_assert_uint_eq(nic_job_scratchpad(view, i + 2)[100], i + 7);
        ck_assert_ptr_eq(nic_job_scratchpad(view, i),
                         nic_job_scratchpad(view, i + 2) - view->layout.scratchpad_stride);
        ck_assert_ptr_eq(nic_job_heap(view, i),
                         nic_job_heap(view, i + 2) - view->layout.heap_stride);
        ck_assert_ptr_eq((unsigned char *)nic_job_owned(view, i),
                         (unsigned char *)nic_job_owned(view, i + 2) - view->layout.owned_stride);
        ck_assert_uint_eq(view->layout.here, i ? 2 : 3);
        nic_job_close(view);
        nic_job_close(m.job[i]);
    }
}
END_TEST

/* Tables that cannot be; one machine in a table is the same as no table. */
START_TEST(test_tables)
{
    uint16_t of[] = { 0, 1, 1, 0 }, wild[] = { 0, 2 }, same[] = { 1, 1 };
    struct nic_model_config model = { 0 };
    struct nic_machines one = { same, 1 }, none_here = { of, 2 }, bad = { wild, 0 };
    struct nic_machines two = { of, 1 };
    struct nic_job *job;
    ck_assert_int_eq(nic_job_create(&(struct nic_job_config){ .ranks = 4, .machines = &none_here },
                                    &job), -EINVAL);
    ck_assert_int_eq(nic_job_create(&(struct nic_job_config){ .ranks = 2, .machines = &bad }, &job),
                     -EINVAL);
    ck_assert_int_eq(nic_job_create(&(struct nic_job_config){ .ranks = 4, .machines = &two,
                                                              .model = &model }, &job), -EINVAL);
    ck_assert_ptr_nonnull(strstr(nic_job_step(), "one machine"));
    must(nic_job_create(&(struct nic_job_config){ .ranks = 2, .machines = &one }, &job) == 0);
    ck_assert_uint_eq(nic_job_machines(job), 1);
    ck_assert(nic_job_is_here(job, 0) && nic_job_is_here(job, 1));
    nic_job_close(job);
}
END_TEST

/* A foreign file whose table has more ranks here than it has memory for, or fewer: it is no job,
 * and its descriptor stays with whoever has it. */
START_TEST(test_wrong_table)
{
    uint16_t of[] = { 0, 1, 0 };
    struct nic_machines machines = { of, 0 };
    struct nic_job *job, *view = NULL;
    must(nic_job_create(&(struct nic_job_config){ .ranks = 3, .machines = &machines }, &job) == 0);
    uint16_t *table = (uint16_t *)(void *)(job->base + job->layout.machines);
    int fd = dup(nic_job_fd(job));
    for (unsigned rank = 0; rank < 2; rank++) {
        table[rank] ^= 1;
        ck_assert_int_eq(nic_job_attach(fd, &view), -EPROTO);
        ck_assert_ptr_null(view);
        ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
        table[rank] ^= 1;
    }
    ck_assert_int_eq(nic_job_attach(fd, &view), 0);
    nic_job_close(view);
    nic_job_close(job);
}
END_TEST

/* -- addresses */

/* A machine's name behind an address, where there is room for all of it; what is no name is not
 * taken for one. */
START_TEST(test_host_names)
{
    char host[65] = "";
    unsigned char address[200] = { 1, 2, 3, 4 };
    must(gethostname(host, 64) == 0);
    const size_t whole = 4 + strlen(host) + 2;
    ck_assert_uint_eq(nic_address_add_host(address, 4, whole - 1), 4);
    ck_assert_ptr_null(nic_address_host(address, 4));
    ck_assert_uint_eq(nic_address_add_host(address, 4, whole), whole);
    ck_assert_str_eq(nic_address_host(address, whole), host);
    ck_assert_ptr_null(nic_address_host(address, 0));
    ck_assert_ptr_null(nic_address_host(address, whole - 1));
    for (unsigned i = 0; i < 3; i++) {
        static const unsigned char wrong[] = { ' ', 127, '\n' };
        address[5] = wrong[i];
        ck_assert_ptr_null(nic_address_host(address, whole));
    }
}
END_TEST

/* Addresses of ranks that count as elsewhere, in the memory that they share. */
START_TEST(test_posted)
{
    const struct nic_directory *d = &nic_directory_in_job;
    unsigned char address[NIC_ADDRESS_MAX + 1] = "here", read[NIC_ADDRESS_MAX];
    struct loop l;
    size_t bytes = 77;
    loop_open(&l, 2);
    ck_assert_int_eq(d->get(l.nic[0], 1, read, sizeof read, &bytes), -ENOENT);
    ck_assert_int_eq(d->put(l.nic[1], address, sizeof address), -ENOSPC);
    ck_assert_int_eq(d->put(l.nic[1], address, 5), 0);
    ck_assert_int_eq(d->get(l.nic[0], 1, read, 4, &bytes), -ENOSPC);
    ck_assert_int_eq(d->get(l.nic[0], 1, read, 5, &bytes), 0);
    ck_assert_uint_eq(bytes, 5);
    ck_assert_mem_eq(read, address, 5);
    ck_assert_int_eq(d->get(l.nic[1], 0, read, sizeof read, &bytes), -ENOENT);
    loop_close(&l);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("wire places");
    TCase *t = tcase_create("wire places");
    tcase_add_test(t, test_places);
    tcase_add_test(t, test_tables);
    tcase_add_test(t, test_wrong_table);
    tcase_add_test(t, test_host_names);
    tcase_add_test(t, test_posted);
    suite_add_tcase(s, t);
    return loop_run(s);
}
