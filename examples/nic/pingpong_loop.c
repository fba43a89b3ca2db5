/* pingpong_loop: two NICs in one process, and how long a packet takes from one host thread to the
 * other.
 *
 * On link "loop" all NICs of a job live in the process that made it: no launcher, no second
 * process, and a debugger sees both ends.  Each NIC has one host thread here, which steps it while
 * it waits. */
#include <nicemu.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WARM_UP = 1000 };

struct side {
    struct nic *nic;
    long rounds;
    uint64_t value;                 /* of the last packet; written by the NIC */
    long arrived;                   /* packets so far; written by the NIC */
    int wrong;
    double seconds;
};

static void usage(FILE *out)
{
    fprintf(out, "usage: pingpong_loop [ROUNDS]\n\n"
                 "Sends 8 bytes ROUNDS times (default 100000) there and back.\n");
}

/* -- the NICs */

static void on_packet(struct nic *nic, void *context, const struct nic_packet *packet)
{
    struct side *s = context;

    (void)nic;
    if (packet->length == sizeof s->value)
        memcpy(&s->value, packet->head, sizeof s->value);
    s->arrived++;
}

static const struct nic_program program = {.name = "pingpong", .packet = on_packet};

/* -- the hosts */

static void send_value(struct side *s, uint64_t value)
{
    struct nic_tx m = {.type = 1, .data = &value, .data_bytes = sizeof value};

    /* one packet at a time: there is always room */
    if (nic_send(s->nic, !nic_rank(s->nic), &m))
        s->wrong = 1;
}

static void wait_for(struct side *s, long packets, uint64_t value)
{
    struct nic_wait wait = {0};

    while (s->arrived < packets)
        nic_wait_turn(s->nic, &wait);
    if (s->value != value)
        s->wrong = 1;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Rank 0 sends i, rank 1 answers i + 1. */
static void *host(void *argument)
{
    struct side *s = argument;
    double start = 0;

    nic_enter(s->nic);
    for (long i = 0; i < s->rounds + WARM_UP; i++) {
        if (i == WARM_UP)
            start = now();
        if (nic_rank(s->nic) == 0) {
            send_value(s, (uint64_t)i);
            wait_for(s, i + 1, (uint64_t)i + 1);
        } else {
            wait_for(s, i + 1, (uint64_t)i);
            send_value(s, (uint64_t)i + 1);
        }
    }
    s->seconds = now() - start;
    nic_leave(s->nic);
    return NULL;
}

static int must(const char *what, int rc)
{
    if (rc < 0) {
        fprintf(stderr, "pingpong_loop: %s: %s\n", what, strerror(-rc));
        exit(1);
    }
    return rc;
}

static int run(long rounds)
{
    struct nic_job_config shape = {.ranks = 2};
    struct side side[2] = {{.rounds = rounds}, {.rounds = rounds}};
    pthread_t thread[2];
    struct nic_job *job;

    must("no job", nic_job_create(&shape, &job));
    for (unsigned rank = 0; rank < 2; rank++) {
        struct nic_config c = {.job = job, .rank = rank, .link = "loop", .program = &program,
                               .progress = NIC_PROGRESS_HOST, .context = &side[rank]};
        must("no NIC", nic_open(&c, &side[rank].nic));
    }
    for (int i = 0; i < 2; i++)
        must("no thread", -pthread_create(&thread[i], NULL, host, &side[i]));
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    int wrong = side[0].wrong || side[1].wrong;
    printf("half round trip of 8 bytes: %.3f us\n", side[0].seconds / (double)rounds / 2 * 1e6);
    printf("%ld packets each way: %s\n", side[0].arrived, wrong ? "WRONG" : "right");
    for (int i = 0; i < 2; i++)
        nic_close(side[i].nic);
    nic_job_close(job);
    return wrong;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 100000;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        usage(stdout);
        return 0;
    }
    if (argc > 2 || rounds < 1) {
        usage(stderr);
        return 2;
    }
    return run(rounds);
}
