/* count_sizes: a NIC program of one's own, without MPI.
 *
 * The control program (struct nic_program) is what a NIC does with a packet.  This one counts
 * packets by size and looks at nothing else.  Each rank's host sends packets of random sizes to all
 * ranks, then says how many there were, so that every NIC can check its count.
 *
 *     mpirun -n 4 count_sizes          four ranks, one NIC each
 *     count_sizes                      one rank, which sends to itself
 *     mpirun -n 4 --model ideal --set own.lookup=40 count_sizes
 *                                      in the time of a NIC that needs 40 cycles for each packet */
#include <errno.h>
#include <inttypes.h>
#include <nicemu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_DATA = 1, TYPE_END };               /* types of packets are the program's own affair */
/* class 0: empty, class i: 2^(i-1) to 2^i - 1 bytes */
enum { CLASSES = 16, LARGEST = 8192 };

struct total { uint64_t packets, bytes; };

/* What the program costs on modelled hardware; profiles may say otherwise: [own] lookup = ... */
enum { LOOKUP };
static const struct nic_program_key count_keys[] = {
    [LOOKUP] = {"lookup", "cycles", 0, 100000, 20}, {NULL, NULL, 0, 0, 0},
};

/* What the NIC keeps.  Only its control program writes here. */
struct counts {
    uint64_t packets[CLASSES];
    struct total seen, announced;
    unsigned ended;                             /* ranks that have sent all they had */
};

static void usage(FILE *out)
{
    fprintf(out, "usage: mpirun -n RANKS count_sizes [PACKETS]\n\n"
                 "Every rank sends PACKETS packets (default 10000) of random sizes; the NICs "
                     "count them.\n");
}

/* -- the NIC */

static unsigned class_of(uint32_t bytes)
{
    unsigned class = 0;

    while (bytes >> class && class < CLASSES - 1)
        class++;
    return class;
}

/* A packet has arrived.  A handler runs on the NIC: it must be short and must not wait.  The data
 * of a long packet would go where nic_receive_body says; without it they are dropped, which is all
 * right for one who only counts. */
static void on_packet(struct nic *nic, void *context, const struct nic_packet *packet)
{
    struct counts *c = context;

    nic_charge(nic, NIC_UNIT_PROCESSOR, nic_key(nic, LOOKUP));      /* on the model clock */
    if (packet->type == TYPE_END) {
        struct total sent;
        memcpy(&sent, packet->head, sizeof sent);
        c->announced.packets += sent.packets;
        c->announced.bytes += sent.bytes;
        c->ended++;
        return;
    }
    c->packets[class_of(packet->length)]++;
    c->seen.packets++;
    c->seen.bytes += packet->length;
}

static const struct nic_program count_program = {
    .name = "count_sizes", .packet = on_packet, .keys = count_keys,
};

/* -- the host */

/* Sends; where the peer's inbox is full it steps its own NIC meanwhile, as the peer may be waiting
 * for that. */
static void send_packet(struct nic *nic, unsigned peer, const struct nic_tx *message)
{
    struct nic_wait wait = {.polled = true};    /* no bell rings when there is room again */
    int rc;

    while ((rc = nic_send(nic, peer, message)) == -EAGAIN)
        nic_wait_turn(nic, &wait);
    if (rc) {
        fprintf(stderr, "count_sizes: nic_send: %s\n", strerror(-rc));
        exit(1);
    }
}

/* Short packets are more frequent than long ones. */
static uint32_t random_size(void)
{
    return (uint32_t)(rand() % LARGEST) >> rand() % 14;
}

static void send_all(struct nic *nic, long packets)
{
    unsigned ranks = nic_ranks(nic);
    struct total *sent = calloc(ranks, sizeof *sent);
    static char data[LARGEST];

    for (long i = 0; i < packets; i++) {
        unsigned peer = (unsigned)(nic_rank(nic) + i) % ranks;
        struct nic_tx m = {.type = TYPE_DATA, .data = data, .data_bytes = random_size()};
        send_packet(nic, peer, &m);
        sent[peer].packets++;
        sent[peer].bytes += m.data_bytes;
    }
    for (unsigned peer = 0; peer < ranks; peer++) {
        struct nic_tx m = {.type = TYPE_END, .data = &sent[peer], .data_bytes = sizeof *sent};
        send_packet(nic, peer, &m);
    }
    free(sent);
}

static void print_table(const struct counts *c)
{
    printf("rank 0 received\n%16s  %10s\n", "bytes", "packets");
    for (int i = 0; i < CLASSES; i++)
        if (c->packets[i])
            printf("%7d to %5d  %10" PRIu64 "\n", i ? 1 << (i - 1) : 0, i ? (1 << i) - 1 : 0,
                   c->packets[i]);
}

static int run(struct nic *nic, const struct counts *c, long packets)
{
    struct nic_wait wait = {0};

    /* the baton: from here on this thread may step the NIC */
    nic_enter(nic);
    srand(nic_rank(nic) + 1);
    send_all(nic, packets);
    while (c->ended < nic_ranks(nic))           /* each turn of the NIC may call on_packet */
        nic_wait_turn(nic, &wait);
    nic_leave(nic);

    int wrong = memcmp(&c->seen, &c->announced, sizeof c->seen) != 0;
    if (nic_rank(nic) == 0)
        print_table(c);
    printf("rank %u of %u: %" PRIu64 " packets, %" PRIu64 " bytes: %s\n", nic_rank(nic),
           nic_ranks(nic), c->seen.packets, c->seen.bytes, wrong ? "WRONG" : "right");
    return wrong;
}

int main(int argc, char **argv)
{
    long packets = argc > 1 ? atol(argv[1]) : 10000;
    struct counts counts = {0};
    struct nic_config config = {.link = "shm", .program = &count_program, .context = &counts};
    struct nic *nic;
    int rc, wrong;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        usage(stdout);
        return 0;
    }
    if (argc > 2 || packets < 1) {
        usage(stderr);
        return 2;
    }
    rc = nic_job_from_environment(&config.job, &config.rank);
    if (rc || (rc = nic_open(&config, &nic))) {
        fprintf(stderr, "count_sizes: no NIC: %s\n",
                *nic_open_error() ? nic_open_error() : strerror(-rc));
        return 1;
    }
    wrong = run(nic, &counts, packets);
    nic_close(nic);
    nic_job_close(config.job);
    return wrong;
}
