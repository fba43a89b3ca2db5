/* Sizes as texts: units, what is no size, ranges and the message for people. */
#include <errno.h>
#include "base/shmem_size.h"
#include "loop.h"

START_TEST(parsed)
{
    static const struct { const char *text; uint64_t bytes; } good[] = {
        { "0", 0 }, { "1", 1 }, { "4096", 4096 }, { "4k", 4096 }, { "4K", 4096 }, { "4KiB", 4096 },
        { "4kb", 4096 }, { "7b", 7 }, { "7B", 7 },
        { "1M", 1 << 20 }, { "3m", 3 << 20 }, { "2G", UINT64_C(2) << 30 },
        { "1TiB", UINT64_C(1) << 40 }, { "007", 7 },
        { "18446744073709551615", UINT64_MAX }, { "16777215T", UINT64_C(16777215) << 40 },
    };
    static const struct { const char *text; int error; } bad[] = {
        { "", -EINVAL }, { "k", -EINVAL }, { "-1", -EINVAL }, { "+1", -EINVAL }, { " 1", -EINVAL },
        { "1 k", -EINVAL }, { "1kk", -EINVAL }, { "1x", -EINVAL },
        { "1.5M", -EINVAL }, { "0x10", -EINVAL }, { "1kiBs", -EINVAL }, { "1i", -EINVAL },
        { "1bk", -EINVAL }, { "18446744073709551616", -ERANGE },
        { "16777216T", -ERANGE }, { "99999999999999999999999k", -ERANGE },
        { "18014398509481984k", -ERANGE },
    };
    uint64_t bytes;

    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_int_eq(nic_size_parse(good[i].text, &bytes), 0);
        ck_assert_uint_eq(bytes, good[i].bytes);
    }
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        if (nic_size_parse(bad[i].text, &bytes) != bad[i].error)
            ck_abort_msg("'%s' is taken for a size, or for another error", bad[i].text);
}
END_TEST

START_TEST(configured)
{
    struct nic_job_config c = { .ranks = 5 };
    char why[200];

    ck_assert_int_eq(nic_job_config_set(&c, "scratchpad", "4k", why, sizeof why), 0);
    ck_assert_int_eq(nic_job_config_set(&c, "heap", "64M", why, sizeof why), 0);
    ck_assert_uint_eq(c.scratchpad, 4096);
    ck_assert_uint_eq(c.heap, 64 << 20);
    ck_assert_int_eq(nic_job_config_set(&c, "heap", "none", why, sizeof why), 0);
    ck_assert_uint_eq(c.heap, NIC_HEAP_OFF);
    c.heap = 1;
    ck_assert_int_eq(nic_job_config_set(&c, "heap", "0", why, sizeof why), 0);
    ck_assert_uint_eq(c.heap, NIC_HEAP_OFF);
    ck_assert_int_eq(nic_job_config_set(&c, "scratchpad", "4095", why, sizeof why), -ERANGE);
    ck_assert_str_eq(why, "scratchpad: '4095' is out of range: 4k to 1T");
    ck_assert_int_eq(nic_job_config_set(&c, "heap", "2T", why, sizeof why), -ERANGE);
    ck_assert_str_eq(why, "heap: '2T' is out of range: 64k to 1T, or none");
    ck_assert_int_eq(nic_job_config_set(&c, "scratchpad", "none", why, sizeof why), -EINVAL);
    ck_assert_str_eq(why,
                     "scratchpad: 'none' is not a size: it must be a number of bytes, or a number "
                         "with k, M, G or T");
    ck_assert_int_eq(nic_job_config_set(&c, "cellar", "1M", why, sizeof why), -EINVAL);
    ck_assert_int_eq(nic_job_config_set(&c, "scratchpad", "x", why, 12), -EINVAL);
    ck_assert_str_eq(why, "scratchpad:");
    ck_assert_uint_eq(c.scratchpad, 4096);      /* what failed changed nothing */
    ck_assert_uint_eq(c.ranks, 5);
}
END_TEST

START_TEST(environment)
{
    struct nic_job_config c = { .ranks = 1 };
    char why[200];

    unsetenv(NIC_ENV_HEAP);
    setenv(NIC_ENV_SCRATCHPAD, "", 1);
    ck_assert_int_eq(nic_job_config_environment(&c, why, sizeof why), 0);
    ck_assert_uint_eq(c.scratchpad | c.heap, 0);
    setenv(NIC_ENV_SCRATCHPAD, "16k", 1);
    setenv(NIC_ENV_HEAP, "1M", 1);
    ck_assert_int_eq(nic_job_config_environment(&c, why, sizeof why), 0);
    ck_assert_uint_eq(c.scratchpad, 16384);
    ck_assert_uint_eq(c.heap, 1 << 20);
    setenv(NIC_ENV_HEAP, "lots", 1);
    ck_assert_int_eq(nic_job_config_environment(&c, why, sizeof why), -EINVAL);
    ck_assert_str_eq(why,
                     "NICEMU_HEAP: 'lots' is not a size: it must be a number of bytes, or a "
                         "number with k, M, G or T");
    unsetenv(NIC_ENV_SCRATCHPAD);
    unsetenv(NIC_ENV_HEAP);
}
END_TEST

/* Of a symmetric heap: with fractions, not above what there can be, and never too small. */
START_TEST(symmetric)
{
    static const struct { const char *text; uint64_t bytes; } good[] = {
        { NULL, 64 << 20 }, { "", 64 << 20 }, { "0", 64 << 10 }, { "65535", 64 << 10 },
        { "65536", 64 << 10 }, { "65537", 65537 }, { "64k", 64 << 10 }, { "65K", 65 << 10 },
        { "1m", 1 << 20 }, { "1.5M", 3 << 19 }, { "2g", UINT64_C(2) << 30 }, { ".5G", 1 << 29 },
        { "3t", UINT64_C(3) << 40 }, { "64T", UINT64_C(1) << 46 }, { "1e6", 1000000 },
        { "70368744177664", UINT64_C(1) << 46 },
    };
    static const char *const bad[] = { "x", "k", "-1", "1kk", "1kb", "1x", "1 k", "nan", "inf",
                                       "65T", "70368744177665", "1e300" };
    uint64_t bytes;

    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        if (!mpi_shmem_size_parse(good[i].text, &bytes))
            ck_abort_msg("'%s' is not taken for a size", good[i].text);
        ck_assert_uint_eq(bytes, good[i].bytes);
    }
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        if (mpi_shmem_size_parse(bad[i], &bytes))
            ck_abort_msg("'%s' is taken for a size", bad[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sizes");
    TCase *tcase = tcase_create("sizes");

    tcase_add_test(tcase, parsed);
    tcase_add_test(tcase, configured);
    tcase_add_test(tcase, environment);
    tcase_add_test(tcase, symmetric);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
