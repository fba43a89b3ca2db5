/* Proxy copies: where the kernel does not copy, the process that has the memory does, whoever asks
 * meanwhile for what; an address that is nobody's is an error and no more. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "job/proxy_box.h"
#include "model/proxy_copy.h"
#include "loop.h"
#include "model/state.h"
#include "modelled.h"

enum { RANKS = 3, BYTES = 5 * NIC_PROXY_BYTES + 77 };

static struct nic_job *job;
/* what each rank's memory holds, before and after */
static unsigned char wanted[RANKS][BYTES];
static struct worker { struct nic *nic; unsigned rank, ends; unsigned char own[BYTES], got[BYTES];
                       } worker[RANKS];

static void on_message(struct nic *nic, void *context, const struct nic_words *m)
{
    (void)nic;
    struct worker *w = context;
    (void)m;
    w->ends++;
}

static const struct nic_program program = { .name = "worker", IDLE_PROGRAM,
                                            .message = on_message };

static uint64_t address(const void *p) { return (uint64_t)(uintptr_t)p; }

/* Reads all of the next rank, and writes some of it back. */
static void exchange(struct worker *w, struct worker *peer)
{
    static const size_t sizes[] = { 1, 4096, NIC_PROXY_BYTES, NIC_PROXY_BYTES + 1, BYTES };
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(w->got, 0, BYTES);
        must(!nic_rdma_read(w->nic, peer->rank, address(peer->own), w->got, sizes[i]));
        must(!memcmp(w->got, wanted[peer->rank], sizes[i]));
        must(sizes[i] == BYTES || !w->got[sizes[i]]);
        must(!nic_rdma_write(w->nic, peer->rank, wanted[peer->rank], address(peer->own), sizes[i]));
    }
    must(nic_rdma_read(w->nic, peer->rank, 16, w->got, 100) == -EFAULT);
    must(nic_rdma_write(w->nic, peer->rank, w->got, 16, 100) == -EFAULT);
    must(!nic_rdma_read(w->nic, peer->rank, address(peer->own), w->got, 100));
}

static void *worker_main(void *argument)
{
    struct worker *w = argument;
    uint64_t end = 1;
    nic_enter(w->nic);
    exchange(w, &worker[(w->rank + 1) % RANKS]);
    for (unsigned r = 0; r < RANKS; r++)
        must(!nic_message_send(w->nic, r, &end, 1));
    while (w->ends < RANKS)
        nic_wait_turn(w->nic, &(struct nic_wait){ 0 });
    must(nic_stat_read(w->nic, NIC_STAT_bytes_by_peer) > 2 * (uint64_t)BYTES);
    nic_leave(w->nic);
    nic_close(w->nic);
    return NULL;
}

static void run(bool serial)
{
    struct nic_model_config model = { .profile = test_profile(), .serial = serial };
    struct nic_job_config config = { .ranks = RANKS, .cores = 1, .model = &model };
    pthread_t thread[RANKS];

    must(!nic_job_create(&config, &job));
    for (unsigned r = 0; r < RANKS; r++) {
        worker[r] = (struct worker){ .rank = r };
        memcpy(worker[r].own, wanted[r], BYTES);
        worker[r].nic = loop_nic(job, r, NIC_PROGRESS_AUTO, &program, &worker[r]);
    }
    for (unsigned r = 0; r < RANKS; r++)
        must(!pthread_create(&thread[r], NULL, worker_main, &worker[r]));
    for (unsigned r = 0; r < RANKS; r++) {
        must(!pthread_join(thread[r], NULL));
        must(!memcmp(worker[r].own, wanted[r], BYTES));
    }
    nic_job_close(job);
}

START_TEST(round_the_ring)
{
    uint64_t state = 7;
    for (size_t i = 0; i < sizeof wanted; i++)
        wanted[i / BYTES][i % BYTES] = (unsigned char)(loop_random(&state) | 1);
    setenv("NICEMU_RDMA", "staged", 1);
    run(_i);
}
END_TEST

/* -- somebody who sleeps is woken for a proxy copy: no message comes before it is done */

static bool is_asleep(unsigned rank)
{
    struct nic_governor *g = nic_job_governor(job);
    nic_governor_lock(g);
    bool asleep = nic_governor_rank(g, rank)->state == NIC_GOVERNED_ASLEEP;
    nic_governor_unlock(g);
    return asleep;
}

static void *sleeper_main(void *argument)
{
    struct worker *w = argument;
    nic_enter(w->nic);
    while (!w->ends)
        nic_wait_turn(w->nic, &(struct nic_wait){ 0 });
    nic_leave(w->nic);
    nic_close(w->nic);
    return NULL;
}

START_TEST(sleeper)
{
    struct nic_model_config model = { .profile = test_profile(), .serial = _i };
    struct nic_job_config config = { .ranks = 2, .cores = 1, .model = &model };
    pthread_t thread;
    uint64_t end = 1;

    setenv("NICEMU_RDMA", "staged", 1);
    must(!nic_job_create(&config, &job));
    for (unsigned r = 0; r < 2; r++) {
        worker[r] = (struct worker){ .rank = r, .own = { 7 } };
        worker[r].nic = loop_nic(job, r, NIC_PROGRESS_AUTO, &program, &worker[r]);
    }
    must(!pthread_create(&thread, NULL, sleeper_main, &worker[1]));
    while (!is_asleep(1))
        sched_yield();
    nic_enter(worker[0].nic);
    ck_assert_int_eq(nic_rdma_read(worker[0].nic, 1, address(worker[1].own), worker[0].got, 1), 0);
    ck_assert_uint_eq(worker[0].got[0], 7);
    must(!nic_message_send(worker[0].nic, 1, &end, 1));
    nic_leave(worker[0].nic);
    nic_close(worker[0].nic);
    must(!pthread_join(thread, NULL));
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("proxy copy");
    TCase *c = tcase_create("proxy_copies");

    tcase_add_loop_test(c, round_the_ring, 0, 2);
    tcase_add_loop_test(c, sleeper, 0, 2);
    suite_add_tcase(suite, c);
    return loop_run(suite);
}
