/* guarded: what an atomic operation takes where the target's NIC shares a mutex with its host.
 *
 * After Buntinas' thesis on NIC support for collective operations, chapter 5: as atomic.c, but the
 * word is in registered memory that nicemu/mutex.h guards, which no program of OpenSHMEM can ask
 * for; so this one is for the NIC without MPI.  Rank 0 compares and swaps at rank 1, whose host
 * waits and never enters the mutex.
 *
 *     mpirun -n 2 --model lanai91 guarded [-p] [ROUNDS]       -p: plain, without the mutex */
#include <inttypes.h>
#include <nicemu/atomic.h>
#include <nicemu/job.h>
#include <nicemu/model.h>
#include <nicemu/mutex.h>
#include <nicemu/remote.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 10, MOST = 1 << 20 };

static struct nic *nic;
static uint64_t told;               /* what the other rank has said; 0: nothing yet */
static struct nic_mutex mutex;
static uint64_t word;

static void must(const char *what, int rc)
{
    if (!rc)
        return;
    fprintf(stderr, "guarded: %s: %s\n", what, strerror(-rc));
    exit(1);
}

static void on_packet(struct nic *n, void *context, const struct nic_packet *packet)
{
    (void)n, (void)context;
    told = packet->match;
}

static const struct nic_program program = {.name = "guarded", .packet = on_packet};

/* A number that is not 0, to the other rank. */
static void tell(unsigned peer, uint64_t number)
{
    struct nic_tx m = {.type = 1, .match = number};
    must("nic_send", nic_send(nic, peer, &m));
}

static uint64_t hear(void)
{
    struct nic_wait wait = {0};
    while (!told)
        nic_wait_turn(nic, &wait);
    return told;
}

/* Each one hits: the word counts them. */
static void measure(long rounds)
{
    struct nic_address at = {.rank = 1, .key = (uint32_t)hear()};
    uint64_t start = 0, old;

    for (long i = -WARM_UP; i < rounds; i++) {
        struct nic_atomic a = {.op = NIC_ATOMIC_COMPARE, .type = NIC_ATOMIC_UINT64, .target = at,
                               .compare = (uint64_t)(i + WARM_UP),
                               .operand = (uint64_t)(i + WARM_UP + 1), .result = &old,
                               .counter = NIC_SPAD_NONE};
        if (i == 0)
            start = nic_moment(nic);
        must("nic_atomic", nic_atomic_wait(nic, &a));
        if (old != a.compare) {
            fprintf(stderr, "guarded: the word was %" PRIu64 ", not %" PRIu64 "\n", old, a.compare);
            exit(1);
        }
    }
    printf("operation (ns)\n%.3f\n", (double)(nic_moment(nic) - start) / 1e3 / (double)rounds);
    tell(1, 1);
}

static void serve(int guards)
{
    uint32_t key;
    must("nic_register", nic_register(nic, &word, sizeof word, NIC_RIGHT_ALL, &key));
    if (guards)
        must("nic_guard", nic_guard(nic, key, &mutex));
    tell(0, key);
    hear();
    must("nic_guard", nic_guard(nic, key, NULL));
    must("nic_deregister", nic_deregister(nic, key));
}

int main(int argc, char **argv)
{
    struct nic_config config = {.link = "shm", .program = &program};
    const int plain = argc > 1 && !strcmp(argv[1], "-p"), wrong = argc > plain + 2;
    const long rounds = !wrong && argc > plain + 1 ? atol(argv[plain + 1]) : 50;

    if (wrong || rounds < 1 || rounds > MOST) {
        fprintf(stderr, "usage: mpirun -n 2 guarded [-p] [ROUNDS]\n\n"
                        "A compare and swap under a mutex (-p: without it), in ns.\n");
        return 2;
    }
    must("no job", nic_job_from_environment(&config.job, &config.rank));
    must("two ranks are needed", nic_job_ranks(config.job) == 2 ? 0 : -22);
    must("no NIC", nic_open(&config, &nic));
    nic_enter(nic);
    if (config.rank == 0)
        measure(rounds);
    else
        serve(!plain);
    nic_leave(nic);
    nic_close(nic);
    nic_job_close(config.job);
    return 0;
}
