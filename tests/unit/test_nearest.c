/* The name that somebody means: how far two are apart, what is too far, and what begins alike. */
#include <string.h>

#include "base/nearest.h"
#include "suite.h"

static const char *const *names;

static const char *at(unsigned i) { return names[i]; }

static void meant(const char *name, unsigned far, const char *expected)
{
    const char *got = mpi_nearest_name(at, name, strlen(name), far);
    ck_assert_str_eq(got ? got : "", expected);
}

START_TEST(apart)
{
    static const char *const all[] = { "abcdef", "uvwxyz", NULL };

    names = all;
    meant("abcdef", 1, "abcdef");
    meant("abdef", 1, "");
    meant("abdef", 2, "abcdef");        /* one that lacks, is too many, or is another */
    meant("abcxdef", 2, "abcdef");
    meant("abxdef", 2, "abcdef");
    meant("bcdef", 2, "abcdef");
    meant("abcde", 2, "abcdef");
    meant("abcdefg", 2, "abcdef");
    meant("bacdef", 2, "");             /* two */
    meant("bacdef", 3, "abcdef");
    meant("uvwxef", 3, "uvwxyz");
    meant("abczzz", 3, "");
}
END_TEST

START_TEST(nearer)
{
    static const char *const all[] = { "abcdef", "abcdex", "abxxex", NULL };

    names = all;
    meant("abcdey", 3, "abcdef");       /* the first of two that are as near */
    meant("abcdxx", 3, "abcdex");
    meant("abxdex", 3, "abcdex");
}
END_TEST

/* What has the whole name as its beginning, from four characters on, the shortest; but a name that
 * is next to another one is that. */
START_TEST(begun)
{
    static const char *const all[] = { "report-bindings", "report-binding", "report-all", "repost",
                                       NULL };

    names = all;
    meant("rep", 2, "");
    meant("repo", 2, "repost");
    meant("report", 2, "repost");
    meant("report-b", 2, "report-binding");
    meant("report-bindin", 2, "report-binding");
    meant("report-a", 3, "report-all");
}
END_TEST

START_TEST(longest)
{
    static const char *const all[] = { "12345678901234567890123456789012", NULL };

    names = all;
    meant("1234567890123456789012345678901x", 2, all[0]);
    meant("123456789012345678901234567890123", 2, "");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nearest");
    TCase *t = tcase_create("nearest");
    tcase_add_test(t, apart);
    tcase_add_test(t, nearer);
    tcase_add_test(t, begun);
    tcase_add_test(t, longest);
    suite_add_tcase(s, t);
    return suite_run(s);
}
