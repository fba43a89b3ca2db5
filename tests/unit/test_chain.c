/* Prefix reductions along the chain of ranks, driven by hand: what each gets, in whatever order
 * they come; who looks back; and that nothing is written over which somebody still reads. */
#include <stdatomic.h>

#include "core/nic.h"
#include "ranks.h"
#include "fw/shm_info.h"

enum { MEMBERS = 8, WORDS = FW_SHM_BYTES / 8, OPS = 600 };

static struct fw_shm_coll *slots[MEMBERS];

/* One at a rank; an allreduce ends a row of prefix reductions. */
struct one {
    struct fw_shm_op op;
    uint64_t in[WORDS], out[WORDS];
};
static struct one now[MEMBERS];

static void open_slots(void)
{
    ranks_start(MEMBERS);
    for (unsigned r = 0; r < MEMBERS; r++) {
        slots[r] = mpi_fw_shm_coll_new(at[r].fw, 1, 100, r, MEMBERS, NULL);
        must(slots[r] && !mpi_fw_shm_coll_few(slots[r]));
    }
}

static void close_slots(void)
{
    for (unsigned r = 0; r < MEMBERS; r++)
        mpi_fw_shm_coll_retire(at[r].fw, slots[r], NULL);
    ranks_end(0);
}

static uint64_t word_of(unsigned rank, unsigned number, unsigned i)
{
    return rank * 1000003u + number * 1009u + i * 7u + 1;
}

/* Neither commutes nor associates: who combines in another order, or from the other side, is
 * seen. */
static void mix(const void *context, const void *in, void *inout, size_t bytes)
{
    const uint64_t *lower = in;
    uint64_t *higher = inout;
    (void)context;
    for (size_t i = 0; i < bytes / 8; i++)
        higher[i] = (lower[i] ^ lower[i] >> 7) * 31 + higher[i];
}

static uint64_t mixed(unsigned ranks, unsigned number, unsigned i)
{
    uint64_t sum = word_of(0, number, i);
    for (unsigned r = 1; r < ranks; r++)
        sum = (sum ^ sum >> 7) * 31 + word_of(r, number, i);
    return sum;
}

static void begin(unsigned rank, enum fw_shm_kind kind, unsigned number, bool exclusive)
{
    struct one *o = &now[rank];
    for (unsigned i = 0; i < WORDS; i++) {
        o->in[i] = word_of(rank, number, i);
        o->out[i] = 0;
    }
    o->op.data = (struct fw_shm_data){ .in = o->in, .out = o->out, .row = sizeof o->in,
                                       .part = sizeof o->in };
    mpi_fw_shm_begin(slots[rank], &o->op, fw_shm_info(kind, 8, exclusive ? FW_SHM_EXCLUSIVE : 0,
                                                      0, number), mix, NULL);
}

static bool advance(unsigned rank)
{
    struct fw_shm_op *op = &now[rank].op;
    return (!op->put || mpi_fw_shm_ready(op)) && mpi_fw_shm_advance(at[rank].fw, op);
}

static void check(unsigned rank, unsigned number, bool exclusive)
{
    const unsigned ranks = rank + !exclusive;
    must(!now[rank].op.mismatch);
    for (unsigned i = 0; i < WORDS; i++)
        must(now[rank].out[i] == (ranks ? mixed(ranks, number, i) : 0));
}

/* Rows of 1 to 200, between which all wait for all; odd ones are exclusive. */
START_TEST(any_order)
{
    static bool is_row[OPS];
    uint64_t state = 88172645463325252u + (uint64_t)_i;
    unsigned next[MEMBERS] = { 0 }, left = MEMBERS;
    bool under_way[MEMBERS] = { false };

    for (unsigned i = 0, row; i < OPS; i += row + 1) {
        row = 1 + (unsigned)loop_below(&state, loop_below(&state, 2) ? 6 : 200);
        for (unsigned k = i; k < i + row && k < OPS; k++)
            is_row[k] = true;
    }
    open_slots();
    for (unsigned turns = 0; left; turns++) {
        must(turns < TURNS_MAX);
        unsigned r = (unsigned)loop_below(&state, MEMBERS);
        unsigned most = loop_below(&state, 2) ? 1 : 100;    /* operations in a turn */
        for (bool on = true; on && most-- && next[r] < OPS; ) {
            if (!under_way[r])
                begin(r, is_row[next[r]] ? FW_SHM_SCAN : FW_SHM_ALLREDUCE, next[r],
                      is_row[next[r]] && next[r] % 2);
            under_way[r] = true;
            on = advance(r);
            if (!on)
                break;
            if (is_row[next[r]])
                check(r, next[r], next[r] % 2);
            under_way[r] = false;
            left -= ++next[r] == OPS;
        }
    }
    close_slots();
}
END_TEST

static void give_from_above(unsigned number)
{
    for (unsigned r = MEMBERS; r-- > 1;) {
        begin(r, FW_SHM_SCAN, number, false);
        must(!advance(r));
    }
    begin(0, FW_SHM_SCAN, number, false);
    must(advance(0));
}

/* Nobody but the first and the last has had a second turn. */
START_TEST(the_last_needs_no_other)
{
    open_slots();
    give_from_above(1);
    for (unsigned r = MEMBERS; r-- > 1;) {
        must(advance(r));
        check(r, 1, false);
    }
    close_slots();
}
END_TEST

/* Behind a long row the next is taken to be long, and goes from rank to rank; and behind that,
 * which was short, they look back. */
START_TEST(behind_a_long_row)
{
    open_slots();
    for (unsigned n = 0; n <= FW_SHM_WINDOW; n++)
        for (unsigned r = 0; r < MEMBERS; r++) {
            begin(r, FW_SHM_SCAN, n, false);
            must(advance(r));
        }
    for (unsigned long_row = 2; long_row--;) {
        for (unsigned r = 0; r < MEMBERS; r++) {
            begin(r, FW_SHM_BARRIER, 0, false);
            must(advance(r) == (r == MEMBERS - 1));
        }
        for (unsigned r = 0; r + 1 < MEMBERS; r++)
            must(advance(r));
        give_from_above(1000 + long_row);
        must(advance(MEMBERS - 1) == !long_row);
        for (unsigned r = 1; r < MEMBERS - !long_row; r++)
            must(advance(r));
        check(MEMBERS - 1, 1000 + long_row, false);
    }
    close_slots();
}
END_TEST

/* Those who sleep and are woken by a rank that gets further, a bit each. */
static unsigned rung_by(unsigned rank)
{
    uint32_t before[MEMBERS];
    unsigned rung = 0;
    for (unsigned r = 0; r < MEMBERS; r++) {
        before[r] = atomic_load(&at[r].nic->own->doorbell);
        atomic_fetch_or(&at[r].nic->own->attention, NIC_PARKED);
    }
    must(advance(rank));
    for (unsigned r = 0; r < MEMBERS; r++) {
        atomic_fetch_and(&at[r].nic->own->attention, ~(uint32_t)NIC_PARKED);
        if (atomic_load(&at[r].nic->own->doorbell) != before[r])
            rung |= 1u << r;
    }
    return rung;
}

/* The next one, which may wait for nobody else; while they look back two more. */
START_TEST(who_wakes_whom)
{
    static const unsigned rung[MEMBERS] = { 1 << 1 | 1 << 2, 1 << 2 | 1 << 3 | 1 << 4,
                                            1 << 3 | 1 << 5 | 1 << 6, 1 << 4 | 1 << 7,
                                            1 << 5, 1 << 6, 1 << 7, 0 };
    open_slots();
    for (unsigned n = 0; n <= FW_SHM_LOOK_BACK; n++)
        for (unsigned r = 0; r < MEMBERS; r++) {
            begin(r, FW_SHM_SCAN, n, false);
            unsigned next = r + 1 < MEMBERS ? 1u << (r + 1) : 0;
            must(rung_by(r) == (n < FW_SHM_LOOK_BACK ? rung[r] : next));
        }
    close_slots();
}
END_TEST

/* A rank that called something else in between is named by who looks over it. */
START_TEST(another_length)
{
    struct fw_shm_call one, other;
    open_slots();
    for (unsigned r = MEMBERS; r-- > 1;) {
        begin(r, FW_SHM_SCAN, 1, r == 3);
        must(!advance(r));
    }
    begin(0, FW_SHM_SCAN, 1, false);
    must(advance(0));
    must(advance(MEMBERS - 1) && now[MEMBERS - 1].op.mismatch);
    mpi_fw_shm_blame(&now[MEMBERS - 1].op, &one, &other);
    ck_assert_uint_eq(one.rank, MEMBERS - 1);
    ck_assert_uint_eq(other.rank, 3);
    ck_assert_uint_eq(other.root, FW_SHM_EXCLUSIVE);
    for (unsigned r = 1; r < MEMBERS - 1; r++)
        must(advance(r) && now[r].op.mismatch == (r >= 3));
    close_slots();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("chain");
    TCase *tc = tcase_create("chain");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, any_order, 0, 60);
    tcase_add_test(tc, the_last_needs_no_other);
    tcase_add_test(tc, behind_a_long_row);
    tcase_add_test(tc, who_wakes_whom);
    tcase_add_test(tc, another_length);
    suite_add_tcase(suite, tc);
    return loop_run(suite);
}
