/* Marks behind the notes of ranks that wait in collectives: what is written is read, what is none
 * is left alone, and who disagrees in what. */
#include <string.h>

#include "base/note_mark.h"
#include "suite.h"

static const struct note_mark one = { .context = 0xa1, .first = 2, .number = 0x30, .kind = 4,
                                      .root = 5, .bytes = UINT64_C(0x600000001) };

START_TEST(written)
{
    char text[64] = "MPI_Bcast(4 bytes)";
    struct note_mark m = { 0 };

    note_mark_add(text, sizeof text, &one);
    ck_assert_str_eq(text, "MPI_Bcast(4 bytes) #a1.2.30.4.5.600000001");
    ck_assert(note_mark_take(text, &m));
    ck_assert_str_eq(text, "MPI_Bcast(4 bytes)");
    ck_assert(note_marks_same(&m, &one));
    ck_assert(!note_mark_take(text, &m));
}
END_TEST

/* One with its end fits, or nothing is there. */
START_TEST(room)
{
    char text[64] = "a";

    note_mark_add(text, strlen("a #a1.2.30.4.5.600000001"), &one);
    ck_assert_str_eq(text, "a");
    note_mark_add(text, sizeof "a #a1.2.30.4.5.600000001", &one);
    ck_assert_str_eq(text, "a #a1.2.30.4.5.600000001");
}
END_TEST

START_TEST(none)
{
    static const char *const texts[] = {
        "", "a", "#1.2.3.4.5.6", "a#1.2.3.4.5.6", "a #1.2.3.4.5", "a #1.2.3.4.5.6x",
        "a #1.2.3.4.5.6 b", "dup #1", "a #1.2.3.4.5.6 dup #2",
    };
    struct note_mark m;

    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[64];
        strcpy(text, texts[i]);
        ck_assert(!note_mark_take(text, &m));
        ck_assert_str_eq(text, texts[i]);
    }
}
END_TEST

static struct note_mark with(unsigned which)
{
    struct note_mark m = one;
    m.context += which == 0;
    m.first += which == 1;
    m.number += which == 2;
    m.kind += which == 3;
    m.root += which == 4;
    m.bytes += which == 5;
    return m;
}

START_TEST(same)
{
    for (unsigned i = 0; i < 6; i++) {
        struct note_mark other = with(i);
        ck_assert(!note_marks_same(&one, &other));
    }
}
END_TEST

static void differ(const struct note_mark *other, const char *a, const char *b, const char *what)
{
    const char *said = note_marks_differ(&one, other, a, b);
    ck_assert_str_eq(said ? said : "", what);
}

START_TEST(differing)
{
    static const char bcast[] = "MPI_Bcast(4)", longer[] = "MPI_Bcast(8)";
    static const char reduce[] = "MPI_Reduce(4)";
    static const char wait[] = "MPI_Wait: MPI_Ibcast(4)", all[] = "MPI_Waitall: MPI_Ibcast(4)";
    struct note_mark m[6];

    for (unsigned i = 0; i < 6; i++)
        m[i] = with(i);
    /* other communicators, or another call of this one, have nothing to do with each other */
    for (unsigned i = 0; i < 3; i++) {
        m[i].kind++;
        differ(&m[i], bcast, reduce, "");
    }
    differ(&m[3], bcast, reduce, "different collectives");
    differ(&m[3], bcast, bcast, "");
    differ(&m[4], bcast, longer, "a collective with different roots");
    differ(&m[4], bcast, reduce, "different collectives");
    differ(&m[5], bcast, longer, "a collective with different lengths");
    differ(&m[5], bcast, wait, "different collectives");
    differ(&one, bcast, longer, "");
    differ(&one, wait, all, "");
    differ(&one, bcast, wait, "a blocking collective and a non-blocking one, which do not match");
    differ(&one, "MPI_Bcast(a: b)", wait,
           "a blocking collective and a non-blocking one, which do not match");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("note");
    TCase *t = tcase_create("note");
    tcase_add_test(t, written);
    tcase_add_test(t, room);
    tcase_add_test(t, none);
    tcase_add_test(t, same);
    tcase_add_test(t, differing);
    suite_add_tcase(s, t);
    return suite_run(s);
}
