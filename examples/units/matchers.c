/* matchers: a unit of one's own, and how it compares with those that are there.
 *
 * A NIC has own.depth receives posted; a message matches the last of them.  Who finds it: the
 * list that the NIC's processor searches (alpu.posted = 0), the ALPU (alpu.posted > 0), or the
 * unit made here, a hash table (own.hash = 1).  It does the real work in C and says what it would
 * have cost with nic_charge_key; what its parts cost are keys of its own, which profiles and
 * --set may change.
 *
 *     mpirun -n 2 --model redstorm-alpu --set own.hash=1 ./matchers
 *     nicsweep --model redstorm-alpu --sweep own.depth=1,50:400:50 --sweep alpu.posted=0,256 \
 *         --sweep own.hash=0,1 --metric column:ns ./matchers       # all of them in one picture */
#include <nicemu.h>
#include <nicemu/list.h>
#include <nicemu/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASK, ANSWER, ROUNDS = 50 };

/* -- the unit: buckets of entries, chained; wildcards it does not have */

enum { DEPTH, HASH, LOOKUP, PROBE, INSERT };
static const struct nic_program_key keys[] = {
    [DEPTH] = {"depth", "entries", 1, 4000, 100}, [HASH] = {"hash", "units", 0, 1, 0},
    [LOOKUP] = {"lookup", "cycles", 0, 10000, 20}, [PROBE] = {"probe", "cycles", 0, 10000, 8},
    [INSERT] = {"insert", "cycles", 0, 10000, 12}, {NULL, NULL, 0, 0, 0},
};
enum { BUCKETS = 256 };
struct entry { struct entry *next; uint64_t bits; uint32_t tag; };
struct table { struct entry *bucket[BUCKETS]; };

static struct entry **bucket_of(struct table *t, uint64_t bits)
{
    return &t->bucket[(bits * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

static void insert(struct nic *nic, struct table *t, uint64_t bits, uint32_t tag)
{
    struct entry **place = bucket_of(t, bits), *e = malloc(sizeof *e);

    while (*place)                              /* the oldest comes first */
        place = &(*place)->next;
    if (!e)
        abort();
    *e = (struct entry){.bits = bits, .tag = tag};
    *place = e;
    nic_charge_key(nic, NIC_UNIT_PROCESSOR, INSERT, 1);
}

static int take(struct nic *nic, struct table *t, uint64_t bits, uint32_t *tag)
{
    struct entry **place = bucket_of(t, bits), *e;
    uint64_t probes = 1;

    for (; (e = *place) && e->bits != bits; place = &e->next)
        probes++;
    nic_charge_key(nic, NIC_UNIT_PROCESSOR, LOOKUP, 1);
    nic_charge_key(nic, NIC_UNIT_PROCESSOR, PROBE, probes);
    if (!e)
        return 0;
    *tag = e->tag;
    *place = e->next;
    free(e);
    return 1;
}

/* -- the NIC */

struct state { struct nic_timed_list *list; struct table table; int filled, answers, wrong; };

static void post(struct nic *nic, struct state *s, uint64_t bits)
{
    if (nic_key(nic, HASH))
        insert(nic, &s->table, bits, (uint32_t)bits);
    else
        nic_timed_list_append(s->list, bits, 0, (uint32_t)bits);
}

/* Finds what the message matches, posts it again and answers. */
static void on_packet(struct nic *nic, void *context, const struct nic_packet *packet)
{
    struct nic_tx answer = {.type = ANSWER};
    struct state *s = context;
    uint32_t tag = 0;

    if (packet->type == ANSWER) {
        s->answers++;
        return;
    }
    for (; !s->filled; s->filled = 1)
        for (uint64_t i = 0; i < nic_key(nic, DEPTH); i++)
            post(nic, s, i);
    if (!(nic_key(nic, HASH) ? take(nic, &s->table, packet->match, &tag)
          : nic_timed_list_match(s->list, packet->match, 0, &tag)) || tag != packet->match)
        s->wrong = 1;
    post(nic, s, packet->match);
    s->answers++;
    nic_post(nic, 0, &answer);
}

static int attach(struct nic *nic, void *context)
{
    return nic_timed_list_new(nic, NIC_ALPU_POSTED, &((struct state *)context)->list);
}

static const struct nic_program program = {
    .name = "matchers", .attach = attach, .packet = on_packet, .keys = keys,
};

/* -- the hosts: rank 0 asks, each rank counts; the first round fills the queue */

static uint64_t ask(struct nic *nic, struct state *s)
{
    struct nic_tx m = {.type = ASK, .match = nic_key(nic, DEPTH) - 1};
    uint64_t began = 0;

    for (int i = 0; i <= ROUNDS; i++) {
        struct nic_wait wait = {0};
        began = i == 1 ? nic_time(nic) : began;
        if (nic_rank(nic) == 0 && nic_send(nic, 1, &m))
            s->wrong = 1;
        while (s->answers <= i)
            nic_wait_turn(nic, &wait);
    }
    return (nic_time(nic) - began) / ROUNDS;
}

int main(void)
{
    struct state s = {0};
    struct nic_config config = {.link = "shm", .program = &program, .context = &s};
    struct nic *nic;
    int rc = nic_job_from_environment(&config.job, &config.rank);

    if (rc || (rc = nic_open(&config, &nic)) || nic_ranks(nic) != 2) {
        fprintf(stderr, "usage: mpirun -n 2 --model PROFILE matchers (%s)\n",
                *nic_open_error() ? nic_open_error() : strerror(rc < 0 ? -rc : 0));
        return 2;
    }
    nic_enter(nic);
    uint64_t ps = ask(nic, &s);
    nic_leave(nic);
    if (config.rank == 0)
        printf("depth\tns\n%llu\t%.3f\n", (unsigned long long)nic_key(nic, DEPTH),
               (double)ps / 1000);
    nic_close(nic);
    nic_job_close(config.job);
    return s.wrong;
}
