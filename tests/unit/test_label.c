/* Names in messages: what prints of them, how communicators are called, and lists of which
 * nothing is left. */
#include <string.h>

#include "base/note_mark.h"
#include "base/printable.h"
#include "alone.h"
#include "core/label.h"
#include "core/wait_reason.h"

static void shown(const char *from, const char *keep, size_t size, const char *want)
{
    char to[64];
    memset(to, '#', sizeof to);
    ck_assert_str_eq(printable(to, size, from, keep), want);
    for (size_t i = size; i < sizeof to; i++)
        ck_assert_int_eq(to[i], '#');
}

START_TEST(controls)
{
    shown("plain name", "", 64, "plain name");
    shown("a\033[2Kb", "", 64, "a\\x1b[2Kb");
    shown("\r\n\t\177", "", 64, "\\x0d\\x0a\\x09\\x7f");
    shown("\r\n\t", "\n\t", 64, "\\x0d\n\t");
    shown("", "\n", 64, "");
}
END_TEST

START_TEST(utf8)
{
    static const char text[] = "m\303\244h \342\202\254 \360\237\230\200";
    shown(text, "", 64, text);
    shown("\302\205\302\233x", "", 64, "\\xc2\\x85\\xc2\\x9bx");   /* control characters too */
    shown("\302\240", "", 64, "\302\240");
    shown("\233x\200", "", 64, "\\x9bx\\x80");
    shown("\303", "", 64, "\\xc3");
    shown("\342\202x\300\200", "", 64, "\\xe2\\x82x\\xc0\\x80");
}
END_TEST

START_TEST(cut)
{
    shown("abcdef", "", 4, "abc");
    shown("ab\033", "", 4, "ab");
    shown("ab\033", "", 7, "ab\\x1b");
    shown("a\342\202\254b", "", 4, "a");
    shown("a\342\202\254b", "", 5, "a\342\202\254");
    shown("abc", "", 1, "");
}
END_TEST

START_TEST(shortened)
{
    char to[8];
    ck_assert_str_eq(printable_short(to, sizeof to, "abcdefg"), "abcdefg");
    ck_assert_str_eq(printable_short(to, sizeof to, "abcdefgh"), "abcd...");
    ck_assert_str_eq(printable_short(to, sizeof to, "abc\342\202\254defg"), "abc...");
    ck_assert_str_eq(printable_short(to, sizeof to, "a\033\033"), "a...");
    ck_assert_str_eq(printable_short(to, 3, "abcd"), "ab");
}
END_TEST

static struct mpi_comm parent, child, grandchild;

START_TEST(made)
{
    char text[MPI_LABEL_BYTES];
    strcpy(parent.name, "MPI_COMM_WORLD");
    mpi_label_made(&child, &parent, MPI_MADE_DUP, 2, 0);
    ck_assert_str_eq(mpi_label(&child, text), "MPI_COMM_WORLD dup #2");
    mpi_label_made(&grandchild, &child, MPI_MADE_SPLIT, 1, 17);
    ck_assert_str_eq(mpi_label(&grandchild, text), "MPI_COMM_WORLD dup #2 split #1, color 17");
    mpi_label_made(&child, &parent, MPI_MADE_CREATE, 3, 5);
    ck_assert_str_eq(mpi_label(&child, text), "MPI_COMM_WORLD create #3, first rank 5");
    ck_assert_str_eq(mpi_label(NULL, text), "a communicator");
    strcpy(child.name, "mine\n");
    ck_assert_str_eq(mpi_label(&child, text), "mine\\x0a");
    mpi_label_made(&grandchild, &child, MPI_MADE_DUP, 1, 0);
    ck_assert_str_eq(mpi_label(&grandchild, text), "mine\\x0a dup #1");
}
END_TEST

/* However long the line of parents is: the last of them is shown. */
START_TEST(long_line)
{
    struct mpi_comm line[20] = { 0 };
    char text[MPI_LABEL_BYTES];
    strcpy(line[0].name, "ah");
    for (unsigned i = 1; i < 20; i++) {
        mpi_label_made(&line[i], &line[i - 1], MPI_MADE_DUP, 1000 + i, 0);
        const char *label = mpi_label(&line[i], text), *last = strrchr(label, '#');
        ck_assert_ptr_nonnull(last);
        ck_assert_int_eq(atoi(last + 1), 1000 + (int)i);
    }
    ck_assert_int_eq(strncmp(line[19].made, "...", 3), 0);
    ck_assert_uint_eq(strlen(line[19].made), sizeof line[19].made - 1);
}
END_TEST

/* How a dup is called whose parent has a label that ends in so many letters. */
static const char *dup_of(const char *first, size_t letters)
{
    memset(&parent, 0, sizeof parent);
    memset(&child, '#', sizeof child);
    size_t n = strlen(first);
    memcpy(parent.made, first, n);
    memset(parent.made + n, 'x', letters);
    mpi_label_made(&child, &parent, MPI_MADE_DUP, 1, 0);
    return child.made;
}

/* What just fits is whole; of more the beginning is left out, in whole characters. */
START_TEST(too_long)
{
    enum { TAIL = sizeof " dup #1" - 1, FIT = sizeof child.made - 1 - TAIL };
    char letters[FIT + 1];
    memset(letters, 'x', FIT);
    letters[FIT] = 0;
    ck_assert_msg(!strncmp(dup_of("", FIT), letters, FIT), "%s", child.made);
    ck_assert_str_eq(child.made + FIT, " dup #1");
    ck_assert_int_eq(strncmp(dup_of("", FIT + 1), "...xxx", 6), 0);
    ck_assert_uint_eq(strlen(child.made), sizeof child.made - 1);
    ck_assert_int_eq(strncmp(dup_of("aa\342\202\254", FIT + 1 - 5), "...xxx", 6), 0);
    ck_assert_uint_eq(strlen(child.made), sizeof child.made - 2);
    ck_assert_int_eq(strncmp(dup_of("a\342\202\254", FIT + 1 - 4), "...xxx", 6), 0);
    ck_assert_uint_eq(strlen(child.made), sizeof child.made - 1);
}
END_TEST

START_TEST(place)
{
    char text[MPI_LABEL_LONG];
    struct mpi_comm c = { .made = "X dup #1", .maker = (const char *)(uintptr_t)malloc + 1 };
    mpi_label_long(&c, text, sizeof text);
    ck_assert_int_eq(strncmp(text, "X dup #1, made at ", 18), 0);
    ck_assert_ptr_nonnull(strstr(text, "+0x"));
    c.maker = (const void *)1;
    ck_assert_str_eq(mpi_label_long(&c, text, sizeof text), "X dup #1");
    c.maker = NULL;
    ck_assert_str_eq(mpi_label_long(&c, text, sizeof text), "X dup #1");
    ck_assert_str_eq(mpi_label_long(&c, text, 6), "X dup");
}
END_TEST

/* A call that waits for nothing any more does not say "MPI_Sendrecv:" and no more. */
START_TEST(nothing_left)
{
    MPI_Request none[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    struct mpi_reason_list list = { .call = "MPI_Sendrecv", .requests = none, .count = 2 };
    char text[NIC_NOTE_BYTES];
    ck_assert_str_eq(mpi_reason_list(&list, text, sizeof text),
                     "MPI_Sendrecv: what it waits for is done");
}
END_TEST

/* What stands behind a note comes off it whole, or not at all. */
START_TEST(marks)
{
    const struct note_mark m = { 0xffff, 65535, 32767, 15, UINT32_MAX, UINT64_C(1) << 63 };
    struct note_mark got;
    char text[NIC_NOTE_BYTES] = "MPI_Barrier(X #1.2.3.4.5.6)";
    ck_assert(!note_mark_take(text, &got));
    note_mark_add(text, sizeof text, &m);
    ck_assert(note_mark_take(text, &got));
    ck_assert(note_marks_same(&m, &got));
    ck_assert_str_eq(text, "MPI_Barrier(X #1.2.3.4.5.6)");
    ck_assert(!note_mark_take(text, &got));
    note_mark_add(text, strlen(text) + 5, &m);      /* no room */
    ck_assert_str_eq(text, "MPI_Barrier(X #1.2.3.4.5.6)");
}
END_TEST

static const char *differ(struct note_mark other, const char *text)
{
    const struct note_mark one = { .context = 1, .first = 2, .number = 3, .kind = 4, .root = 5 };
    return note_marks_differ(&one, &other, "MPI_Bcast(4 bytes, root 5)", text);
}

START_TEST(disagreements)
{
    struct note_mark m = { .context = 1, .first = 2, .number = 3, .kind = 4, .root = 5 };
    ck_assert_ptr_null(differ(m, "MPI_Bcast(4 bytes, root 5)"));
    ck_assert_ptr_null(differ(m, "MPI_Bcast(4 bytes, root 5); 1 other thread is outside MPI"));
    ck_assert_str_eq(differ(m, "MPI_Wait: MPI_Ibcast(4 bytes, root 5)"),
                     "a blocking collective and a non-blocking one, which do not match");
    m.root = 6;
    ck_assert_str_eq(differ(m, "MPI_Bcast(4 bytes, root 6)"), "a collective with different roots");
    m.bytes = 8;
    m.root = 5;
    ck_assert_str_eq(differ(m, "MPI_Bcast(8 bytes)"), "a collective with different lengths");
    m.kind = 5;
    ck_assert_str_eq(differ(m, "MPI_Barrier()"), "different collectives");
    m.first = 3;                    /* another communicator with that context */
    ck_assert_ptr_null(differ(m, "MPI_Barrier()"));
    m.first = 2;
    m.number = 4;                   /* a later call */
    ck_assert_ptr_null(differ(m, "MPI_Barrier()"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("label");
    TCase *tcase = tcase_create("label");
    tcase_add_test(tcase, controls);
    tcase_add_test(tcase, utf8);
    tcase_add_test(tcase, cut);
    tcase_add_test(tcase, shortened);
    tcase_add_test(tcase, made);
    tcase_add_test(tcase, long_line);
    tcase_add_test(tcase, too_long);
    tcase_add_test(tcase, place);
    tcase_add_test(tcase, nothing_left);
    tcase_add_test(tcase, marks);
    tcase_add_test(tcase, disagreements);
    suite_add_tcase(suite, tcase);
    return alone_run(suite);
}
