/* multicast: a message to many nodes, by a send for each or by one whose copies the NIC makes.
 *
 * After Buntinas' thesis on NIC support for collective operations, chapter 2, as on Fast Messages:
 * packets of at most 1,536 bytes, which hosts write into their NICs and read out of memory.  That
 * is below MPI, so this program is for the NIC without MPI.  Rank 0 sends along the tree by which
 * the last node of the postal model hears soonest (2.3); those on the way send each packet on when
 * they have it, or the message when it is complete.  A leaf that is its parent's last child sends 0
 * bytes back, each in its turn; the slowest counts.
 *
 *     mpirun -n NODES --model lanai43-fm multicast [OPTIONS]
 *
 *       -s SIZES    bytes: 1536, or 0,32,1536         -l LATENCIES  of trees, in sends; 0: no tree
 *       -e  a send for each child                     -m  messages are complete first
 *       -r ROUNDS   behind -k ROUNDS that do not count
 *
 * Prints, for each size and tree, in ns: until the answer is there; until that leaf has the
 * message; and how long rank 0 was in its calls. */
#include <inttypes.h>
#include <nicemu/job.h>
#include <nicemu/model.h>
#include <nicemu/multi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PACKET = 1536, NODES = 64, LIST = 64, SIZE_MOST = 64 * PACKET, ROUNDS_MOST = 1 << 20 };
enum { DATA = 1, ANSWER, READY };

struct tree { unsigned children[NODES][NODES], count[NODES], leaves[NODES], answering; };

static struct {
    struct nic *nic;
    unsigned rank, ranks;
    uint64_t arrived, taken;            /* packets of data: in memory; asked for */
    uint64_t landed_ps;                 /* when the newest was there */
    uint64_t answers, ready;            /* rank 0: how many have come */
    uint64_t answer_ps;                 /* when the answering leaf had its message */
    unsigned char message[SIZE_MOST];
} node;

static int unicast, whole;
static long sizes[LIST] = {PACKET}, latencies[LIST], rounds = 10, warm_up = 2;
static int n_sizes = 1, n_latencies = 1;

static void must(const char *what, int rc)
{
    if (!rc)
        return;
    fprintf(stderr, "multicast: %s: %s\n", what, strerror(-rc));
    exit(1);
}

/* -- packets */

static unsigned char byte_of(size_t place) { return (unsigned char)(place * 7 + place / 256 + 1); }

/* The cookie is the packet's end. */
static void landed(struct nic *nic, void *context, void *cookie)
{
    const unsigned char *end = cookie;
    const size_t bytes = (size_t)(end - node.message);
    (void)context;
    for (size_t i = bytes - (bytes ? (bytes - 1) % PACKET + 1 : 0); i < bytes; i++)
        if (node.message[i] != byte_of(i)) {
            fprintf(stderr, "multicast: byte %zu is wrong at rank %u\n", i, node.rank);
            exit(1);
        }
    node.landed_ps = nic_moment(nic);
    node.arrived++;
}

static void on_packet(struct nic *nic, void *context, const struct nic_packet *packet)
{
    const uint32_t rest = packet->length - packet->head_bytes;
    if (packet->type == ANSWER) {
        node.answers++;
        node.answer_ps = packet->match;
    } else if (packet->type == READY) {
        node.ready++;
    } else if (packet->length <= PACKET && packet->match < SIZE_MOST / PACKET) {
        unsigned char *at = node.message + packet->match * PACKET;
        nic_copied(nic, packet->length);
        memcpy(at, packet->head, packet->head_bytes);
        if (rest)
            nic_receive_body(nic, at + packet->head_bytes, rest, at + packet->length);
        else
            landed(nic, context, at + packet->length);
    }
}

/* Hosts do what there is to do; NICs move packets. */
static int on_attach(struct nic *nic, void *context)
{
    (void)context;
    nic_host_runs_handlers(nic, true);
    return 0;
}

static const struct nic_program program = {.name = "multicast", .attach = on_attach,
                                           .packet = on_packet, .landed = landed};

static void wait_until(const uint64_t *counter, uint64_t number)
{
    struct nic_wait wait = {0};
    while (*counter < number)
        nic_wait_turn(node.nic, &wait);
}

static void tell(unsigned peer, uint8_t type, uint64_t match)
{
    const struct nic_tx m = {.type = type, .match = match};
    nic_work_slow(node.nic, NIC_WORK_SEND_BEFORE);
    must("nic_send", nic_send(node.nic, peer, &m));
}

/* -- a message */

static long packets_of(long size) { return size ? (size + PACKET - 1) / PACKET : 1; }

static struct nic_tx packet_of(long size, long number)
{
    const long rest = size - number * PACKET;
    return (struct nic_tx){.type = DATA, .match = (uint64_t)number,
                           .data = node.message + number * PACKET,
                           .data_bytes = (uint32_t)(rest < PACKET ? rest : PACKET)};
}

/* To these children, of one send or more. */
static void send_packet(const unsigned *children, unsigned count, const struct nic_tx *m)
{
    for (unsigned i = 0; unicast && i < count; i++) {
        nic_work_slow(node.nic, NIC_WORK_SEND_BEFORE);
        must("nic_send", nic_send(node.nic, children[i], m));
    }
    if (unicast || !count)
        return;
    nic_work_slow(node.nic, NIC_WORK_SEND_BEFORE);
    must("nic_multi_send", nic_multi_send(node.nic, children, count, 0, m));
}

/* A send of a message is over before the next begins. */
static void send_message(const struct tree *t, long size)
{
    const unsigned count = t->count[node.rank], at_once = unicast ? 1 : count;
    for (unsigned child = 0; child < count; child += at_once)
        for (long i = 0; i < packets_of(size); i++) {
            const struct nic_tx m = packet_of(size, i);
            send_packet(t->children[node.rank] + child, at_once, &m);
        }
}

static void receive_message(const struct tree *t, long size)
{
    for (long i = 0; i < packets_of(size); i++) {
        wait_until(&node.arrived, ++node.taken);
        if (whole)
            continue;
        const struct nic_tx m = packet_of(size, i);
        send_packet(t->children[node.rank], t->count[node.rank], &m);
    }
    if (whole)
        send_message(t, size);
}

/* -- the tree */

struct queue { unsigned node[2 * NODES], time[2 * NODES], head, tail; };

static void enqueue(struct queue *q, unsigned who, unsigned time)
{
    q->node[q->tail] = who;
    q->time[q->tail++] = time;
}

/* Of 2.3, by two queues; of equal times the old one goes first, as only so four nodes have a flat
 * tree at latency 2, which 2.5 says.  Without a tree all are children of rank 0. */
static void grow(struct tree *t, unsigned latency)
{
    struct queue fresh = {.tail = 0}, old = {.tail = 0};
    memset(t, 0, sizeof *t);
    enqueue(&fresh, 0, 0);
    for (unsigned p = 1; p < node.ranks; p++) {
        const int none = old.head == old.tail;
        const int newer = none || (fresh.head < fresh.tail
                                   && fresh.time[fresh.head] < old.time[old.head]);
        struct queue *q = newer ? &fresh : &old;
        const unsigned who = q->node[q->head], time = q->time[q->head];
        q->head++;
        t->children[who][t->count[who]++] = p;
        if (latency)
            enqueue(&fresh, p, time + latency);
        enqueue(&old, who, time + 1);
    }
    for (unsigned p = 0; p < node.ranks; p++) {
        const unsigned last = t->count[p] ? t->children[p][t->count[p] - 1] : 0;
        if (last && !t->count[last])
            t->leaves[t->answering++] = last;
    }
}

/* -- rank 0 asks, the others answer */

struct times { uint64_t answered, there, calls; };

static void one_round(const struct tree *t, long size, unsigned leaf, struct times *sum)
{
    if (node.rank) {
        receive_message(t, size);
        if (node.rank == leaf)
            tell(0, ANSWER, node.landed_ps);
        return;
    }
    const uint64_t start = nic_moment(node.nic), answers = node.answers;
    send_message(t, size);
    sum->calls += nic_moment(node.nic) - start;
    wait_until(&node.answers, answers + 1);
    sum->answered += nic_moment(node.nic) - start;
    sum->there += node.answer_ps - start;
}

static struct times of_leaf(const struct tree *t, long size, unsigned leaf)
{
    struct times sum = {0};
    for (long i = 0; i < warm_up; i++)
        one_round(t, size, leaf, &(struct times){0});
    for (long i = 0; i < rounds; i++)
        one_round(t, size, leaf, &sum);
    return sum;
}

/* Nobody has a packet of it left when the next begins. */
static void measure(long size, unsigned latency)
{
    static struct tree t;
    struct times most = {0};
    grow(&t, latency);
    for (unsigned i = 0; i < t.answering; i++) {
        const uint64_t ready = node.ready;
        const struct times now = of_leaf(&t, size, t.leaves[i]);
        if (now.answered > most.answered)
            most = now;
        if (node.rank)
            tell(0, READY, 0);
        else
            wait_until(&node.ready, ready + node.ranks - 1);
    }
    if (!node.rank)
        printf("%u\t%u\t%ld\t%.3f\t%.3f\t%.3f\n", node.ranks, latency, size,
               (double)most.calls / 1e3 / (double)rounds, (double)most.there / 1e3 / (double)rounds,
               (double)most.answered / 1e3 / (double)rounds);
}

/* -- options */

/* Numbers with commas between.  0: they are none. */
static int read_list(long *list, const char *text, long most)
{
    for (int n = 0; n < LIST; text++) {
        char *end;
        list[n] = strtol(text, &end, 10);
        if (end == text || list[n] < 0 || list[n++] > most || (*end && *end != ','))
            return 0;
        if (!*(text = end))
            return n;
    }
    return 0;
}

static int read_options(int argc, char **argv)
{
    for (int o; (o = getopt(argc, argv, "s:l:emr:k:")) != -1;) {
        if (o == 's')
            n_sizes = read_list(sizes, optarg, SIZE_MOST);
        else if (o == 'l')
            n_latencies = read_list(latencies, optarg, NODES);
        else if (o == 'e')
            unicast = 1;
        else if (o == 'm')
            whole = 1;
        else if (o == 'r')
            rounds = atol(optarg);
        else if (o == 'k')
            warm_up = atol(optarg);
        else
            return 0;
    }
    return optind == argc && n_sizes && n_latencies && rounds > 0 && rounds <= ROUNDS_MOST
           && warm_up >= 0 && warm_up <= ROUNDS_MOST;
}

int main(int argc, char **argv)
{
    struct nic_config config = {.link = "shm", .program = &program};

    if (!read_options(argc, argv)) {
        fprintf(stderr, "usage: mpirun -n NODES multicast [-s SIZES] [-l LATENCIES] [-e] [-m] "
                        "[-r ROUNDS] [-k ROUNDS]\n\nA message to all other nodes, in ns.\n");
        return 2;
    }
    must("no job", nic_job_from_environment(&config.job, &config.rank));
    node.rank = config.rank;
    node.ranks = nic_job_ranks(config.job);
    must("2 to 64 nodes are needed", node.ranks >= 2 && node.ranks <= NODES ? 0 : -22);
    must("no NIC", nic_open(&config, &node.nic));
    if (!node.rank)
        printf("nodes\tlatency\tbytes\tcalls (ns)\tthere (ns)\tanswered (ns)\n");
    for (size_t i = 0; !node.rank && i < SIZE_MOST; i++)
        node.message[i] = byte_of(i);
    nic_enter(node.nic);
    for (int s = 0; s < n_sizes; s++)
        for (int l = 0; l < n_latencies; l++)
            measure(sizes[s], (unsigned)latencies[l]);
    nic_leave(node.nic);
    nic_close(node.nic);
    nic_job_close(config.job);
    return 0;
}
