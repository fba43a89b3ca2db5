/* remote_memory: put, get and fetch-and-add on other ranks' memory, without MPI.
 *
 * Each rank opens a table to the others and tells them how to name it: the key of the registered
 * memory and the place of its counters.  Then the hosts of the targets have nothing to do with it:
 *   - every rank puts a block into every table; each put counts its bytes at the target, whose
 *     counter says when all
 *     blocks are there;
 *   - every rank gets back the block that it put at its neighbour;
 *   - all ranks draw tickets from one word of rank 0 by fetch-and-add, and no two get the same.
 *
 *     mpirun -n 4 remote_memory */
#include <errno.h>
#include <inttypes.h>
#include <nicemu/atomic.h>
#include <nicemu/counter.h>
#include <nicemu/job.h>
#include <nicemu/remote.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1000, BLOCK_BYTES = BLOCK * sizeof(uint64_t), TICKETS = 100 };

/* What the others must know of a rank. */
struct names { uint32_t key, reserved; uint64_t arrived, finished; };

static struct nic *nic;
static unsigned rank, ranks;
static struct names *names;         /* of each rank; written by the NIC */
static unsigned named;              /* how many of them have come */
static int wrong;

static int must(const char *what, int rc)
{
    if (rc < 0) {
        fprintf(stderr, "remote_memory: rank %u: %s: %s\n", rank, what, strerror(-rc));
        exit(1);
    }
    return rc;
}

static void check(const char *what, int right)
{
    if (!right) {
        fprintf(stderr, "remote_memory: rank %u: %s\n", rank, what);
        wrong = 1;
    }
}

/* -- how the ranks learn each other's names: one packet from each to each, of which the match bits
 * are the source */

static void on_packet(struct nic *nic, void *context, const struct nic_packet *packet)
{
    (void)nic, (void)context;
    if (packet->match < ranks && packet->length == sizeof *names) {
        memcpy(&names[packet->match], packet->head, sizeof *names);
        named++;
    }
}

static const struct nic_program program = {.name = "remote_memory", .packet = on_packet};

static void tell_names(const struct names *mine)
{
    struct nic_tx m = {.type = 1, .match = rank, .data = mine, .data_bytes = sizeof *mine};
    struct nic_wait wait = {0}, room = {.polled = true};    /* no bell rings when there is room */
    int rc;

    for (unsigned peer = 0; peer < ranks; peer++)
        while ((rc = nic_send(nic, peer, &m)) != 0) {
            if (rc != -EAGAIN)
                must("nic_send", rc);
            nic_wait_turn(nic, &room);
        }
    while (named < ranks)
        nic_wait_turn(nic, &wait);
}

/* Memory for all blocks and, at the end, the tickets' word; and two counters: bytes to arrive,
 * ranks to finish. */
static void open_table(uint64_t *table, struct names *mine)
{
    struct nic_counter_config arrived = {.bits = 64, .size = (uint64_t)ranks * BLOCK_BYTES};
    struct nic_counter_config finished = {.bits = 64, .size = ranks};

    must("nic_register",
         nic_register(nic, table, (ranks * BLOCK + 1) * sizeof *table, NIC_RIGHT_ALL, &mine->key));
    must("nic_counter_create", nic_counter_create(nic, &arrived, &mine->arrived));
    must("nic_counter_create", nic_counter_create(nic, &finished, &mine->finished));
}

/* -- the three operations */

/* Where block `owner` is in the table of `peer`. */
static struct nic_address block_at(unsigned peer, unsigned owner)
{
    struct nic_address a = {.rank = peer, .key = names[peer].key,
                             .offset = (uint64_t)owner * BLOCK_BYTES};

    return a;
}

static uint64_t element(unsigned from, unsigned to, unsigned i)
{
    return (uint64_t)from * 1000003 + (uint64_t)to * 1009 + i;
}

/* The data of each put must stay until it has ended. */
static void put_blocks(void)
{
    uint64_t *data = malloc((size_t)ranks * BLOCK_BYTES);
    struct nic_outcome *outcome = calloc(ranks, sizeof *outcome);

    for (unsigned peer = 0; peer < ranks; peer++) {
        struct nic_transfer t = nic_transfer_of(data + peer * BLOCK, block_at(peer, rank),
                                                BLOCK_BYTES);

        for (unsigned i = 0; i < BLOCK; i++)
            data[peer * BLOCK + i] = element(rank, peer, i);
        t.remote_counter = names[peer].arrived;
        t.remote_amount = BLOCK_BYTES;
        must("nic_put", nic_put(nic, &t, &outcome[peer]));
    }
    for (unsigned peer = 0; peer < ranks; peer++)
        must("a put", nic_outcome_wait(nic, &outcome[peer]));
    free(outcome);
    free(data);
}

static void check_table(const uint64_t *table)
{
    int right = 1;

    must("nic_counter_wait", nic_counter_wait(nic, names[rank].arrived));
    for (unsigned from = 0; from < ranks; from++)
        for (unsigned i = 0; i < BLOCK; i++)
            right &= table[from * BLOCK + i] == element(from, rank, i);
    check("a block in the table is not what was put there", right);
}

static void get_block(void)
{
    unsigned peer = (rank + 1) % ranks;
    static uint64_t data[BLOCK];
    struct nic_transfer t = nic_transfer_of(data, block_at(peer, rank), BLOCK_BYTES);
    struct nic_outcome outcome = {0};
    int right = 1;

    must("nic_get", nic_get(nic, &t, &outcome));
    must("a get", nic_outcome_wait(nic, &outcome));
    for (unsigned i = 0; i < BLOCK; i++)
        right &= data[i] == element(rank, peer, i);
    check("the block that comes back is not the one that was put", right);
}

static void draw_tickets(void)
{
    struct nic_address word = block_at(0, ranks);       /* behind the last block */
    uint64_t before = 0, ticket;
    int right = 1;

    for (int i = 0; i < TICKETS; i++) {
        struct nic_atomic add = {.op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_UINT64, .target = word,
                                  .operand = 1,
                                 .result = &ticket, .counter = NIC_SPAD_NONE};
        must("nic_atomic", nic_atomic_wait(nic, &add));
        right &= ticket < (uint64_t)ranks * TICKETS && (i == 0 || ticket > before);
        before = ticket;
    }
    check("a ticket is out of order", right);
}

/* Nobody may close its NIC while others still name its memory: all count at all, and wait. */
static void finish(void)
{
    for (unsigned peer = 0; peer < ranks; peer++)
        must("nic_counter_add", nic_counter_add(nic, peer, names[peer].finished, 1));
    must("nic_counter_wait", nic_counter_wait(nic, names[rank].finished));
}

static void run(void)
{
    uint64_t *table = calloc(ranks * BLOCK + 1, sizeof *table);
    struct names mine = {0};

    nic_enter(nic);
    open_table(table, &mine);
    tell_names(&mine);
    put_blocks();
    check_table(table);
    get_block();
    draw_tickets();
    finish();
    if (rank == 0)
        check("tickets are missing", table[ranks * BLOCK] == (uint64_t)ranks * TICKETS);
    must("nic_deregister", nic_deregister(nic, mine.key));
    nic_leave(nic);
    free(table);
    printf("rank %u of %u: %u blocks of %zu bytes, %d tickets: %s\n", rank, ranks, ranks,
           (size_t)BLOCK_BYTES, TICKETS,
           wrong ? "WRONG" : "right");
}

int main(int argc, char **argv)
{
    struct nic_config config = {.link = "shm", .program = &program};

    if (argc > 1) {
        int help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;

        fprintf(help ? stdout : stderr, "usage: mpirun -n RANKS remote_memory\n\n"
                                        "Put, get and fetch-and-add on the memory of other "
                                            "ranks.\n");
        return help ? 0 : 2;
    }
    must("no job", nic_job_from_environment(&config.job, &config.rank));
    rank = config.rank;
    ranks = nic_job_ranks(config.job);
    /* before the NIC is open: from then on packets may come */
    names = calloc(ranks, sizeof *names);
    must("no NIC", nic_open(&config, &nic));
    run();
    nic_close(nic);
    nic_job_close(config.job);
    free(names);
    return wrong;
}
