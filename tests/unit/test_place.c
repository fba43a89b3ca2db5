/* Placement: the processors of a NIC's thread, the memory node of a rank's part of the job, and the
 * names of progress modes. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <string.h>
#include "loop.h"
#include "core/nic.h"
#include "modelled.h"
#include "time/governor.h"

START_TEST(progress_names)
{
    enum nic_progress progress = NIC_PROGRESS_THREAD;

    ck_assert_int_eq(nic_progress_parse("auto", &progress), 0);
    ck_assert_int_eq(progress, NIC_PROGRESS_AUTO);
    ck_assert_int_eq(nic_progress_parse("thread", &progress), 0);
    ck_assert_int_eq(progress, NIC_PROGRESS_THREAD);
    ck_assert_int_eq(nic_progress_parse("host", &progress), 0);
    ck_assert_int_eq(progress, NIC_PROGRESS_HOST);
    ck_assert_int_eq(nic_progress_parse("", &progress), -EINVAL);
    ck_assert_int_eq(nic_progress_parse("Host", &progress), -EINVAL);
    ck_assert_int_eq(nic_progress_parse("hosts", &progress), -EINVAL);
    ck_assert_int_eq(progress, NIC_PROGRESS_HOST);
}
END_TEST

/* -- the NIC's thread */

static int open_with(struct nic_job *job, struct catcher *catcher, const char *cpus,
                     struct nic **nic)
{
    struct nic_config config = { .job = job, .link = "loop", .progress = NIC_PROGRESS_THREAD,
                                 .program = &catcher_program, .context = catcher,
                                 .thread_cpus = cpus };
    return nic_open(&config, nic);
}

/* The thread goes there by itself, soon after it has been started. */
static void expect_thread_on(const struct nic *nic, const cpu_set_t *wanted)
{
    cpu_set_t set;

    do {
        sched_yield();
        must(pthread_getaffinity_np(nic->thread, sizeof set, &set) == 0);
    } while (!CPU_EQUAL(&set, wanted));
}

static unsigned last_allowed(cpu_set_t *all)
{
    unsigned last = CPU_SETSIZE;

    must(sched_getaffinity(0, sizeof *all, all) == 0);
    while (!CPU_ISSET(--last, all))
        ;
    return last;
}

START_TEST(thread_is_bound)
{
    static struct catcher catcher;
    struct nic_job *job = loop_job(1);
    cpu_set_t all, one, host;
    unsigned cpu = last_allowed(&all);
    char list[16];

    snprintf(list, sizeof list, "%u", cpu);
    ck_assert_int_eq(open_with(job, &catcher, list, &catcher.nic), 0);
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    expect_thread_on(catcher.nic, &one);
    ck_assert_int_eq(sched_getaffinity(0, sizeof host, &host), 0);
    must(CPU_EQUAL(&host, &all));       /* the host itself stays where it was */
    nic_close(catcher.nic);
    nic_job_close(job);
}
END_TEST

/* A host bound to one processor does not keep its NIC's thread there. */
START_TEST(thread_is_free)
{
    static struct catcher catcher;
    struct nic_job *job = loop_job(1);
    cpu_set_t all, one;

    CPU_ZERO(&one);
    CPU_SET(last_allowed(&all), &one);
    must(sched_setaffinity(0, sizeof one, &one) == 0);
    ck_assert_int_eq(open_with(job, &catcher, NULL, &catcher.nic), 0);
    expect_thread_on(catcher.nic, &all);
    nic_close(catcher.nic);
    must(sched_setaffinity(0, sizeof all, &all) == 0);
    nic_job_close(job);
}
END_TEST

START_TEST(wrong_list)
{
    static struct catcher catcher;
    struct nic_job *job = loop_job(1);

    ck_assert_int_eq(open_with(job, &catcher, "0,", &catcher.nic), -EINVAL);
    ck_assert_int_eq(open_with(job, &catcher, "8192", &catcher.nic), -EINVAL);
    ck_assert_int_eq(nic_job_rank_state(job, 0), NIC_RANK_ABSENT);
    /* there is none: the thread runs where it may */
    ck_assert_int_eq(open_with(job, &catcher, "8191", &catcher.nic), 0);
    nic_close(catcher.nic);
    nic_job_close(job);
}
END_TEST

/* On the model clock, where ranks share cores, a host keeps to one while its NIC is open; then it
 * may run anywhere again. */
START_TEST(host_is_bound_for_a_while)
{
    cpu_set_t all, host;

    last_allowed(&all);
    const unsigned cores = (unsigned)CPU_COUNT(&all);
    struct nic_job *job = model_job_on(cores, cores + 1, false, NULL);
    struct nic *nic = loop_nic(job, 0, NIC_PROGRESS_AUTO, &catcher_program, NULL);
    must(sched_getaffinity(0, sizeof host, &host) == 0);
    ck_assert_int_eq(CPU_COUNT(&host), nic_job_governor(job)->set.groups == cores ? 1 : (int)cores);
    nic_close(nic);
    must(sched_getaffinity(0, sizeof host, &host) == 0);
    ck_assert(CPU_EQUAL(&host, &all));
    nic_job_close(job);
}
END_TEST

/* -- memory */

/* Policy of the memory at an address; -1: the kernel does not tell. */
static int policy_at(void *address)
{
    int mode;

    return syscall(SYS_get_mempolicy, &mode, NULL, 0, address, MPOL_F_ADDR) < 0 ? -1 : mode;
}

/* A node that we may use; -1: the kernel does not tell. */
static int some_node(void)
{
    unsigned long nodes[NIC_NODES_MAX / 64] = { 0 };

    if (syscall(SYS_get_mempolicy, NULL, nodes, NIC_NODES_MAX + 1ul, NULL, MPOL_F_MEMS_ALLOWED) < 0)
        return -1;
    for (int node = 0; node < NIC_NODES_MAX; node++)
        if (nodes[node / 64] >> node % 64 & 1)
            return node;
    return -1;
}

/* What the launcher asks for holds in every process, and for no other rank. */
START_TEST(memory_prefers_node)
{
    struct nic_job *job = loop_job(3), *other;
    int node = some_node();

    ck_assert_int_eq(nic_job_prefer_node(job, 3, 0), -EINVAL);
    ck_assert_int_eq(nic_job_prefer_node(job, 0, NIC_NODES_MAX), -EINVAL);
    ck_assert_int_eq(nic_job_attach(dup(nic_job_fd(job)), &other), 0);
    if (node >= 0 && nic_job_prefer_node(job, 1, (unsigned)node) == 0) {
        ck_assert_int_eq(policy_at(nic_job_ring(other, 1)), MPOL_PREFERRED);
        ck_assert_int_eq(policy_at(nic_job_scratchpad(other, 1)), MPOL_PREFERRED);
        ck_assert_int_eq(policy_at(nic_job_ring(other, 0)), MPOL_DEFAULT);
        ck_assert_int_eq(policy_at(nic_job_scratchpad(other, 0)), MPOL_DEFAULT);
        ck_assert_int_eq(policy_at(nic_job_ring(other, 2)), MPOL_DEFAULT);
        ck_assert_int_eq(policy_at(nic_job_scratchpad(other, 2)), MPOL_DEFAULT);
    }
    nic_job_close(other);
    nic_job_close(job);
}
END_TEST

/* What the launcher tells of where ranks sit is known in every process. */
START_TEST(seats_are_told)
{
    struct nic_job *job = loop_job(3), *other;
    const struct nic_seat told = { { 1, 2, 3, 65535, 5 } };
    struct nic_seat read = { { 0 } };

    ck_assert_int_eq(nic_job_attach(dup(nic_job_fd(job)), &other), 0);
    ck_assert_int_eq(nic_job_seat(other, 1, &read), -ENOENT);
    ck_assert_int_eq(nic_job_set_seat(job, 3, &told), -EINVAL);
    ck_assert_int_eq(nic_job_set_seat(job, 2, &told), 0);
    ck_assert_int_eq(nic_job_seat(other, 2, &read), 0);
    must(!memcmp(&read, &told, sizeof told));
    ck_assert_int_eq(nic_job_seat(other, 1, &read), -ENOENT);
    ck_assert_int_eq(nic_job_seat(other, 3, &read), -ENOENT);
    nic_job_close(other);
    nic_job_close(job);
}
END_TEST

/* A node that does not exist, or a kernel that refuses: the job runs all the same. */
START_TEST(memory_of_no_node)
{
    struct loop l;
    struct nic_job *job = loop_job(2);
    struct nic_tx m = { .type = 1, .data = loop_payload(5), .data_bytes = 1000 };

    must(nic_job_prefer_node(job, 0, NIC_NODES_MAX - 1) < 0);
    loop_open_in(&l, job, NIC_PROGRESS_HOST);
    ck_assert_int_eq(loop_send(l.nic[1], 0, &m), 0);
    loop_drain(l.nic[0]);
    ck_assert_uint_eq(l.catcher[0]->packets, 1);
    must(loop_is_payload(l.catcher[0]->data, 1000, 5));
    loop_close(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("place");
    TCase *tcase = tcase_create("place");

    tcase_add_test(tcase, progress_names);
    tcase_add_test(tcase, thread_is_bound);
    tcase_add_test(tcase, thread_is_free);
    tcase_add_test(tcase, wrong_list);
    tcase_add_test(tcase, host_is_bound_for_a_while);
    tcase_add_test(tcase, memory_prefers_node);
    tcase_add_test(tcase, memory_of_no_node);
    tcase_add_test(tcase, seats_are_told);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
