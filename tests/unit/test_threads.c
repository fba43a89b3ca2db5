/* The firmware under many threads at once: on each of two ranks several host threads and the NIC's
 * own, in every way of progress. Both ranks live in this process, so that the thread sanitizer sees
 * what goes on between them too. */
#include <pthread.h>
#include <sched.h>

#include "ranks.h"

enum { THREADS = 2, ROUNDS = 80, BYTES_MAX = 200000, LATE_US = 3000 };

static const struct { enum nic_progress progress; bool fenced; const char *rdma; } modes[] = {
    { NIC_PROGRESS_HOST, false, NULL }, { NIC_PROGRESS_AUTO, false, NULL },
    { NIC_PROGRESS_THREAD, false, NULL },
    { NIC_PROGRESS_HOST, true, "staged" }, { NIC_PROGRESS_AUTO, true, "staged" },
    { NIC_PROGRESS_THREAD, true, "staged" },
};
enum { MODES = sizeof modes / sizeof *modes };

static const size_t sizes[] = { 0, 8, 48, 49, 700, EAGER_MAX, EAGER_MAX + 1, 20000, 70000,
                                BYTES_MAX };
enum { SIZES = sizeof sizes / sizeof *sizes };

static unsigned char table[BYTES_MAX + 256];
static bool has_thread;             /* requests go on while all hosts are away */

static const unsigned char *bytes_of(unsigned rank, unsigned thread, unsigned round)
{
    return table + (rank * 101 + thread * 37 + round * 11) % 256;
}

struct worker { unsigned rank, number; unsigned char in[BYTES_MAX]; };

/* Half of the requests go by command, as those of a host that finds the baton taken. */
static struct fw_req *begin(const struct worker *w, enum fw_kind kind, unsigned round,
                            void *buffer, size_t bytes)
{
    unsigned source = kind == FW_SEND ? w->rank : 1 - w->rank;
    struct nic *nic = at[w->rank].nic;
    nic_enter(nic);
    struct fw_req *r = new_request(w->rank, kind, buffer, bytes);
    r->peer = 1 - w->rank;
    r->sync = round % 5 == 1;
    r->match = fw_match_bits(CONTEXT, source, w->number);
    r->mask = 0;
    if (round % 2)
        mpi_fw_start(at[w->rank].fw, r);
    nic_leave(nic);
    if (round % 2 == 0)
        nic_submit(nic, &(struct nic_command){ .op = FW_COMMAND_START, .object = r });
    return r;
}

/* Waits inside, which ends asleep where the partner is late; or outside, where somebody else has to
 * get it done. */
static void await(const struct worker *w, struct fw_req *r, bool outside)
{
    struct nic_wait wait = { 0 };
    struct nic *nic = at[w->rank].nic;
    while (outside && !fw_req_done(r))
        usleep(50);
    nic_enter(nic);
    while (!fw_req_done(r))
        nic_wait_turn(nic, &wait);
    must(r->error == FW_OK);
    mpi_fw_req_free(at[w->rank].fw, r);
    nic_leave(nic);
}

static void *work(void *argument)
{
    struct worker *w = argument;

    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t bytes = sizes[(round + w->number) % SIZES];
        bool late = round % 8 == 3 + w->rank, outside = has_thread && bytes > EAGER_MAX
                    && round % 3 == 0;
        if (late)
            usleep(LATE_US);
        memset(w->in, 0, bytes);
        struct fw_req *recv = begin(w, FW_RECV, round, w->in, bytes);
        struct fw_req *send = begin(w, FW_SEND, round,
                                    (void *)(uintptr_t)bytes_of(w->rank, w->number, round), bytes);
        await(w, round % 2 ? recv : send, outside);
        await(w, round % 2 ? send : recv, outside);
        must(!memcmp(w->in, bytes_of(1 - w->rank, w->number, round), bytes));
    }
    return NULL;
}

/* A rank that has nothing more to do itself still serves the other. */
START_TEST(all_at_once)
{
    static struct worker worker[2][THREADS];
    pthread_t thread[2][THREADS];
    uint64_t random = 7;

    for (size_t i = 0; i < sizeof table; i++)
        table[i] = (unsigned char)loop_random(&random);
    setenv("NICEMU_MEMBARRIER", modes[_i].fenced ? "off" : "on", 1);
    ranks_open_as(2, modes[_i].progress, NULL, modes[_i].rdma);
    has_thread = modes[_i].progress != NIC_PROGRESS_HOST;
    for (unsigned r = 0; r < 2; r++) {
        nic_enter(at[r].nic);
        nic_share(at[r].nic);
        nic_leave(at[r].nic);
    }
    for (unsigned r = 0; r < 2; r++)
        for (unsigned i = 0; i < THREADS; i++) {
            worker[r][i].rank = r;
            worker[r][i].number = i;
            must(!pthread_create(&thread[r][i], NULL, work, &worker[r][i]));
        }
    for (unsigned r = 0; r < 2; r++)
        for (unsigned i = 0; i < THREADS; i++)
            must(!pthread_join(thread[r][i], NULL));
    unsetenv("NICEMU_MEMBARRIER");
    ranks_end(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("threads");
    TCase *tcase = tcase_create("threads");

    tcase_add_loop_test(tcase, all_at_once, 0, MODES);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
