/* Whether who reads a buffer that is filled again and again is to claim its lines. */
#include <string.h>
#include <time.h>

#include "fw/refill.h"
#include "fw/tuning.h"
#include "suite.h"

enum { BYTES = 64 * 1024 * 1024 };
#define S UINT64_C(1000000000)

/* A fill that is over now and began so long ago; what takes place in between is nothing to that. */
static bool fill(struct fw_refill *r, enum fw_lines lines, uint64_t seconds)
{
    bool asks = fw_refill_asks(r);
    uint64_t begin = mpi_fw_refill_begin(r, lines);
    mpi_fw_refill_end(r, lines, begin ? begin - seconds * S : 0, BYTES);
    return asks;
}

/* As buffers go to a reader, and come back as it was asked to leave them; so long fills take. */
static void rounds(struct fw_refill *r, unsigned count, uint64_t read, uint64_t claimed)
{
    enum fw_lines lines = FW_LINES_NEW;
    while (count--)
        lines = fill(r, lines, lines == FW_LINES_CLAIMED ? claimed : read) ? FW_LINES_CLAIMED
                : FW_LINES_READ;
}

START_TEST(what_pays)
{
    struct fw_refill r;
    mpi_fw_refill_init(&r, false);
    ck_assert(r.trial);
    rounds(&r, FW_REFILL_TRIAL, 40, 10);
    ck_assert(!r.trial && r.claims && fw_refill_asks(&r));
    mpi_fw_refill_init(&r, false);
    rounds(&r, FW_REFILL_TRIAL, 14, 10);        /* no more than the reader loses */
    ck_assert(!r.trial && !r.claims && !fw_refill_asks(&r));
}
END_TEST

/* The machine, or where its memory is, may be another later on. */
START_TEST(looks_again)
{
    struct fw_refill r;
    mpi_fw_refill_init(&r, false);
    rounds(&r, FW_REFILL_TRIAL, 40, 10);
    rounds(&r, FW_REFILL_PAUSE - 1, 40, 10);
    ck_assert(!r.trial && r.claims);
    rounds(&r, 1, 40, 10);
    ck_assert(r.trial && r.claims);
    rounds(&r, FW_REFILL_TRIAL, 10, 10);
    ck_assert(!r.trial && !r.claims);
}
END_TEST

/* One fill that was disturbed says nothing, nor do buffers that nobody has read. */
START_TEST(disturbed)
{
    struct fw_refill r;
    mpi_fw_refill_init(&r, false);
    fill(&r, FW_LINES_CLAIMED, 1000);
    fill(&r, FW_LINES_READ, 1);
    ck_assert_uint_eq(mpi_fw_refill_begin(&r, FW_LINES_NEW), 0);
    for (unsigned i = 2; i < FW_REFILL_TRIAL; i++)
        fill(&r, i % 2 ? FW_LINES_READ : FW_LINES_CLAIMED, i % 2 ? 40 : 10);
    ck_assert(!r.trial && !r.claims);           /* 1 s for what was read */
}
END_TEST

/* A trial ends when both have been seen. */
START_TEST(one_sided)
{
    struct fw_refill r;
    mpi_fw_refill_init(&r, false);
    for (unsigned i = 0; i < 3 * FW_REFILL_TRIAL; i++)
        fill(&r, i ? FW_LINES_CLAIMED : FW_LINES_NEW, 10);
    ck_assert(r.trial);
    for (unsigned i = 0; i < FW_REFILL_TRIAL; i++)
        fill(&r, i % 2 ? FW_LINES_READ : FW_LINES_CLAIMED, i % 2 ? 40 : 10);
    ck_assert(!r.trial && r.claims);
}
END_TEST

/* On the model clock, and if it is said what to do, nothing is measured. */
START_TEST(never)
{
    static const char *const wanted[] = { "claim", "leave", NULL };
    for (unsigned i = 0; i < 3; i++) {
        struct fw_refill r;
        if (wanted[i])
            setenv("MPILITE_REFILL", wanted[i], 1);
        else
            unsetenv("MPILITE_REFILL");
        mpi_fw_refill_init(&r, !wanted[i]);
        for (unsigned n = 0; n < FW_REFILL_TRIAL + FW_REFILL_PAUSE + 1; n++) {
            ck_assert(fw_refill_asks(&r) == (i == 0));
            ck_assert_uint_eq(mpi_fw_refill_begin(&r, FW_LINES_READ), 0);
            mpi_fw_refill_end(&r, FW_LINES_READ, 0, BYTES);
        }
    }
}
END_TEST

START_TEST(claim)
{
    char data[300], before[300];
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = before[i] = (char)(i * 7);
    mpi_fw_refill_claim(data, sizeof data);
    ck_assert(!memcmp(data, before, sizeof data));
    mpi_fw_refill_claim(NULL, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("refill");
    TCase *t = tcase_create("refill");
    tcase_add_test(t, what_pays);
    tcase_add_test(t, looks_again);
    tcase_add_test(t, disturbed);
    tcase_add_test(t, one_sided);
    tcase_add_test(t, never);
    tcase_add_test(t, claim);
    suite_add_tcase(s, t);
    return suite_run(s);
}
