/* Names that come from programs: what prints is UTF-8 as it stands, all else is told by its number,
 * and what does not fit is cut behind a whole character. */
#include <string.h>

#include "base/printable.h"
#include "suite.h"

START_TEST(sequences)
{
    static const struct { const char *bytes; size_t length; } all[] = {
        { "a", 1 }, { "\x1b", 1 }, { "\x7f", 1 },
        { "\x80", 0 }, { "\xbf", 0 }, { "\xc0\x80", 0 }, { "\xc1\xbf", 0 },
        { "\xc2\x80", 2 }, { "\xc2\xbf", 2 }, { "\xdf\xbf", 2 }, { "\xc2", 0 }, { "\xc2" "a", 0 },
        { "\xc2\xc0", 0 },
        { "\xe0\x9f\xbf", 0 }, { "\xe0\xa0\x80", 3 }, { "\xec\xbf\xbf", 3 }, { "\xe1\x80", 0 },
        { "\xe1\x80" "a", 0 }, { "\xed\x9f\xbf", 3 }, { "\xed\xa0\x80", 0 },
        { "\xed\xbf\xbf", 0 }, { "\xee\x80\x80", 3 }, { "\xef\xbf\xbf", 3 },
        { "\xf0\x8f\xbf\xbf", 0 }, { "\xf0\x90\x80\x80", 4 }, { "\xf1\x80\x80\x80", 4 },
        { "\xf4\x8f\xbf\xbf", 4 }, { "\xf4\x90\x80\x80", 0 }, { "\xf5\x80\x80\x80", 0 },
        { "\xf0\x90\x80", 0 }, { "\xff", 0 },
    };

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (printable_sequence((const unsigned char *)all[i].bytes) != all[i].length)
            ck_abort_msg("sequence %u", i);
}
END_TEST

static void shows(const char *from, const char *keep, const char *to)
{
    char text[64];
    ck_assert_str_eq(printable(text, sizeof text, from, keep), to);
}

START_TEST(controls)
{
    shows("a~ ", "", "a~ ");
    shows("\x1f\x1b\x7f", "", "\\x1f\\x1b\\x7f");
    shows("a\tb\nc\rd", "\n\t", "a\tb\nc\\x0dd");
    shows("\xc2\x80\xc2\x9f\xc2\xa0", "", "\\xc2\\x80\\xc2\\x9f\xc2\xa0");
    shows("\xc3\x80\xd0\x80", "", "\xc3\x80\xd0\x80");
    shows("\xff" "a\xe2\x82\xac\xe2\x82", "", "\\xffa\xe2\x82\xac\\xe2\\x82");
}
END_TEST

/* Room for `size` bytes with the end: what is there, and what is left. */
static void cut(size_t size, const char *from, const char *to, const char *left)
{
    char text[64] = "?";
    const char *rest = printable_fill(text, size, from, "");
    ck_assert_str_eq(text, to);
    ck_assert_str_eq(rest, left);
}

START_TEST(room)
{
    cut(4, "abc", "abc", "");
    cut(4, "abcd", "abc", "d");
    cut(1, "a", "", "a");
    cut(0, "a", "?", "a");
    cut(3, "a\xc3\xbc", "a", "\xc3\xbc");
    cut(4, "a\xc3\xbc", "a\xc3\xbc", "");
    cut(5, "a\x1b" "b", "a", "\x1b" "b");
    cut(6, "a\x1b" "b", "a\\x1b", "b");
}
END_TEST

static void shortened(size_t size, const char *from, const char *to)
{
    char text[64] = "?";
    ck_assert_str_eq(printable_short(text, size, from), to);
}

START_TEST(shorter)
{
    shortened(6, "abcde", "abcde");
    shortened(6, "abcdef", "ab...");
    shortened(4, "abcd", "...");
    shortened(3, "abcd", "ab");
    shortened(7, "ab\xc3\xbc" "def", "ab...");
    shortened(8, "ab\xc3\xbc" "def", "ab\xc3\xbc" "def");
    shortened(8, "ab\xc3\xbc" "defg", "ab\xc3\xbc...");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("printable");
    TCase *t = tcase_create("printable");
    tcase_add_test(t, sequences);
    tcase_add_test(t, controls);
    tcase_add_test(t, room);
    tcase_add_test(t, shorter);
    suite_add_tcase(s, t);
    return suite_run(s);
}
