/* Whether a message past the cores is copied once, by the kernel, or twice, through buffers. */
#include "fw/copies.h"
#include "fw/tuning.h"
#include "suite.h"

enum { BYTES = 256 * 1024 };

/* A message, and what its copies take: nanoseconds each. */
static bool message(struct fw_copies *c, uint64_t fill, uint64_t take, uint64_t read)
{
    bool once = mpi_fw_copies_once(c, BYTES);
    if (once) {
        mpi_fw_copies_count(c, FW_COPY_READ, read, BYTES);
    } else {
        mpi_fw_copies_count(c, FW_COPY_TAKE, take, BYTES);
        if (fill)
            mpi_fw_copies_count(c, FW_COPY_FILL, fill, BYTES);
    }
    return once;
}

static unsigned messages(struct fw_copies *c, unsigned count, uint64_t fill, uint64_t take,
                         uint64_t read)
{
    unsigned once = 0;
    while (count--)
        once += message(c, fill, take, read);
    return once;
}

/* Half of a trial goes each way; then all go the one that took less. */
START_TEST(what_pays)
{
    struct fw_copies c;
    mpi_fw_copies_init(&c, 0);
    ck_assert_uint_eq(messages(&c, FW_COPIES_TRIAL, 400, 700, 1000), FW_COPIES_TRIAL / 2);
    ck_assert_uint_eq(messages(&c, 50, 400, 700, 1000), 50);
    mpi_fw_copies_init(&c, 0);
    ck_assert_uint_eq(messages(&c, FW_COPIES_TRIAL, 400, 500, 1000), FW_COPIES_TRIAL / 2);
    ck_assert_uint_eq(messages(&c, 50, 400, 500, 1000), 0);
}
END_TEST

/* Through buffers only what gains more by them than a turn of all who share a core takes. */
START_TEST(takes_turns)
{
    enum { GAIN = 2 * FW_COPIES_TURN_NS };      /* in a message of BYTES */
    struct fw_copies c;
    mpi_fw_copies_init(&c, 4);
    messages(&c, FW_COPIES_TRIAL, 400, 600, 1000 + GAIN);
    ck_assert(mpi_fw_copies_once(&c, BYTES));
    ck_assert(mpi_fw_copies_once(&c, 2 * BYTES));
    ck_assert(!mpi_fw_copies_once(&c, 2 * BYTES + 4096));
    ck_assert(!mpi_fw_copies_once(&c, (size_t)1 << 40));
    mpi_fw_copies_init(&c, 4);
    messages(&c, FW_COPIES_TRIAL, 600, 600, 1000);
    ck_assert(mpi_fw_copies_once(&c, (size_t)1 << 40));
}
END_TEST

/* After pauses that get longer, up to a length. */
START_TEST(looks_again)
{
    static const unsigned pauses[] = { 64, 256, 1024, 4096, 4096 };
    struct fw_copies c;
    mpi_fw_copies_init(&c, 0);
    messages(&c, FW_COPIES_TRIAL, 100, 100, 1000);
    for (unsigned i = 0; i < sizeof pauses / sizeof *pauses; i++) {
        ck_assert_uint_eq(messages(&c, pauses[i], 9000, 9000, 1000), i ? pauses[i] : 0);
        ck_assert_uint_eq(messages(&c, FW_COPIES_TRIAL, 9000, 9000, 1000), FW_COPIES_TRIAL / 2);
    }
    ck_assert_uint_eq(messages(&c, 100, 100, 100, 1000), 100);
}
END_TEST

/* A copy that was disturbed says nothing; all others count by their length. */
START_TEST(disturbed)
{
    struct fw_copies c;
    mpi_fw_copies_init(&c, 0);
    messages(&c, FW_COPIES_TRIAL - 1, 400, 700, 1000);
    mpi_fw_copies_count(&c, FW_COPY_READ, FW_COPIES_DISTURBED_NS, BYTES);
    messages(&c, 1, 400, 700, 1000);
    ck_assert(mpi_fw_copies_once(&c, BYTES));
    mpi_fw_copies_init(&c, 0);
    messages(&c, FW_COPIES_TRIAL, 400, 700, 1000);
    mpi_fw_copies_count(&c, FW_COPY_TAKE, 0, FW_COPIES_TRIAL / 2 * BYTES);
    ck_assert(!mpi_fw_copies_once(&c, BYTES));
}
END_TEST

/* Who only receives fills none. */
START_TEST(receiver)
{
    struct fw_copies c;
    mpi_fw_copies_init(&c, 0);
    messages(&c, FW_COPIES_TRIAL, 0, 600, 1000);
    ck_assert(mpi_fw_copies_once(&c, BYTES));
    mpi_fw_copies_init(&c, 0);
    messages(&c, FW_COPIES_TRIAL, 0, 400, 1000);
    ck_assert(!mpi_fw_copies_once(&c, BYTES));
}
END_TEST

/* A trial of which one way has told nothing goes on. */
START_TEST(goes_on)
{
    struct fw_copies c;
    mpi_fw_copies_init(&c, 0);
    for (unsigned i = 0; i < 3 * FW_COPIES_TRIAL; i++)
        if (mpi_fw_copies_once(&c, BYTES))
            mpi_fw_copies_count(&c, FW_COPY_READ, 1000, BYTES);
    ck_assert(c.trial);
    messages(&c, 2 * FW_COPIES_TRIAL, 100, 100, 1000);
    ck_assert(!c.trial && c.lead > 0);
}
END_TEST

/* Whatever is known, and of what nothing is learned. */
START_TEST(short_ones)
{
    struct fw_copies c;
    mpi_fw_copies_init(&c, 0);
    for (unsigned i = 0; i < 2 * FW_COPIES_TRIAL; i++) {
        ck_assert(mpi_fw_copies_once(&c, FW_COPIES_BYTES - 1));
        mpi_fw_copies_count(&c, FW_COPY_READ, 100000, FW_STAGE_PART_MIN - 1);
    }
    ck_assert(!c.trial && !c.left);
    messages(&c, FW_COPIES_TRIAL, 400, 500, 1000);
    ck_assert(!mpi_fw_copies_once(&c, FW_COPIES_BYTES));
    ck_assert(mpi_fw_copies_once(&c, FW_COPIES_BYTES - 1));
    ck_assert_uint_eq(c.sum[FW_COPY_READ].ns, FW_COPIES_TRIAL / 2 * 1000);
}
END_TEST

/* The clock is looked at in a trial only. */
START_TEST(in_a_trial)
{
    struct fw_copies c;
    mpi_fw_copies_init(&c, 0);
    ck_assert_uint_eq(mpi_fw_copies_begin(&c), 0);      /* where nobody asks */
    mpi_fw_copies_once(&c, BYTES);
    uint64_t begin = mpi_fw_copies_begin(&c);
    ck_assert(begin > 0);
    mpi_fw_copies_end(&c, FW_COPY_READ, begin, BYTES);
    ck_assert_uint_eq(c.sum[FW_COPY_READ].bytes, BYTES);
    messages(&c, FW_COPIES_TRIAL + 1, 100, 100, 1000);
    ck_assert_uint_eq(mpi_fw_copies_begin(&c), 0);
    uint64_t before = c.sum[FW_COPY_READ].bytes;
    mpi_fw_copies_end(&c, FW_COPY_READ, 0, BYTES);
    ck_assert_uint_eq(c.sum[FW_COPY_READ].bytes, before);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("copies");
    TCase *t = tcase_create("copies");
    tcase_add_test(t, what_pays);
    tcase_add_test(t, takes_turns);
    tcase_add_test(t, looks_again);
    tcase_add_test(t, disturbed);
    tcase_add_test(t, receiver);
    tcase_add_test(t, goes_on);
    tcase_add_test(t, short_ones);
    tcase_add_test(t, in_a_trial);
    suite_add_tcase(s, t);
    return suite_run(s);
}
