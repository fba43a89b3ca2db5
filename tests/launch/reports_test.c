/* Unit test of what several ranks report alike: which lines are a report, which are like it, and
 * that each rank is said once. */
#include "launch/io/reports.h"
#include "launch/base/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 64 };

static int failed;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "failed: %s\n", what);
        failed = 1;
    }
}

#define SEND "Fatal error in MPI_Send: invalid rank\n  destination 99 is not in 0..63\n"

/* `before` comes first and passes, the report is up to `after`. */
static void expect_found(const char *before, const char *report, const char *after, unsigned rank)
{
    char lines[1000];
    const char *start = NULL;

    snprintf(lines, sizeof lines, "%s%s%s", before, report, after);
    size_t bytes = report_find(lines, strlen(lines), rank, &start);
    expect(bytes == strlen(report), report);
    expect(!bytes || start == lines + strlen(before), "where it begins");
}

static void expect_none(const char *lines, unsigned rank)
{
    const char *start;

    expect(report_find(lines, strlen(lines), rank, &start) == 0, lines);
}

static void test_find(void)
{
    expect_found("", SEND "  reported by rank 3 of MPI_COMM_WORLD\n", "", 3);
    expect_found("x by y\nFatal error\n", SEND "  reported by rank 3 of MPI_COMM_WORLD\n",
                 "  more\n", 3);
    expect_found("x\n", SEND "  reported by rank 1 of a b (rank 3 of MPI_COMM_WORLD)\n", "y", 3);
    expect_found("", "Fatal error: MPI_Send was called before MPI_Init\n  reported by rank 3 of "
                 "MPI_COMM_WORLD\n", "", 3);
    expect_found("", "Fatal error in shmem_p: why\n  reported by PE 12\n", "", 12);
    expect_found("", "MPI_Abort(a by b, 3) was called by rank 0 of MPI_COMM_WORLD\n", "z\n", 0);
    expect_none(SEND "  reported by rank 3 of MPI_COMM_WORLD\n", 2);
    expect_none(SEND "  reported by rank 13 of MPI_COMM_WORLD\n", 3);
    expect_none(SEND "  reported by rank 3 of MPI_COMM_WORLD", 3);
    expect_none(SEND "reported by rank 3 of MPI_COMM_WORLD\n", 3);
    expect_none(SEND "  (rank 3 of MPI_COMM_WORLD)\n", 3);
    expect_none("A " SEND "  reported by rank 3 of MPI_COMM_WORLD\n", 3);
    expect_none(SEND, 3);
    expect_none("Fatal error: no such file, by the way\n", 3);
    expect_none("", 3);
}

static void take(struct reports *all, unsigned rank, int64_t now, const char *form)
{
    char text[1000];

    snprintf(text, sizeof text, form, rank);
    reports_take(all, text, strlen(text), rank, RANKS, now);
}

static void expect_next(struct reports *all, int64_t now, const char *wanted)
{
    size_t size;
    char *text = reports_next(all, now, &size);

    if (!text != !wanted || (text && strcmp(text, wanted)))
        fprintf(stderr, "\"%s\" is not \"%s\"\n", text ? text : "nothing", wanted);
    expect(!text == !wanted && (!text || (!strcmp(text, wanted) && size == strlen(text))),
           "what is said");
    free(text);
}

#define WORLD SEND "  reported by rank %u of MPI_COMM_WORLD\n"

/* All of them, in any order, are one; what comes later is another one, and none gets lost. */
static void test_alike(void)
{
    struct reports all = { NULL };

    expect(reports_due(&all) < 0, "nothing is due");
    for (unsigned i = 0; i < RANKS; i++)
        take(&all, i * 37 % RANKS, 1000 + i, WORLD);
    int64_t due = reports_due(&all);
    expect(due > 1000, "the first one waits for others");
    expect_next(&all, due - 1, NULL);
    expect_next(&all, due, SEND "  reported by ranks 0-63 of MPI_COMM_WORLD\n");
    expect_next(&all, INT64_MAX, NULL);
    take(&all, 7, due, WORLD);
    expect_next(&all, INT64_MAX, SEND "  reported by rank 7 of MPI_COMM_WORLD\n");
    expect(reports_due(&all) < 0, "all is said");
}

static void test_kinds(void)
{
    struct reports all = { NULL };
    static const char named[] = SEND "  reported by rank 0 of a b (rank %u of MPI_COMM_WORLD)\n";
    static const char other[] = SEND "  reported by rank 0 of c (rank %u of MPI_COMM_WORLD)\n";

    for (unsigned i = 0; i < 3; i++) {
        take(&all, i, 0, WORLD);
        take(&all, i, 0, named);
        take(&all, i, 0, "Fatal error in shmem_p: why\n  reported by PE %u\n");
        take(&all, i, 0, "MPI_Abort(x, 3) was called by rank %u of MPI_COMM_WORLD\n");
        take(&all, i, 0, i == 1 ? other : "MPI_Abort(x, 4) was called by rank %u of "
             "MPI_COMM_WORLD\n");
    }
    take(&all, 2, 0, WORLD);
    expect_next(&all, INT64_MAX, SEND "  reported by ranks 0-2 of MPI_COMM_WORLD\n");
    expect_next(&all, INT64_MAX, SEND "  reported by ranks 0-2 of MPI_COMM_WORLD, in a b\n");
    expect_next(&all, INT64_MAX, "Fatal error in shmem_p: why\n  reported by PEs 0-2\n");
    expect_next(&all, INT64_MAX, "MPI_Abort(x, 3) was called by ranks 0-2 of MPI_COMM_WORLD\n");
    expect_next(&all, INT64_MAX, "MPI_Abort(x, 4) was called by ranks 0,2 of MPI_COMM_WORLD\n");
    expect_next(&all, INT64_MAX, SEND "  reported by rank 0 of c (rank 1 of MPI_COMM_WORLD)\n");
    expect_next(&all, INT64_MAX, SEND "  reported by rank 2 of MPI_COMM_WORLD\n");
    expect_next(&all, INT64_MAX, NULL);
}

/* Of many ranks that do not follow each other only the first ones are named. */
static void test_apart(void)
{
    struct reports all = { NULL };

    for (unsigned i = 0; i < 12; i++)
        take(&all, 2 * i, 0, WORLD);
    expect_next(&all, INT64_MAX, SEND "  reported by ranks 0,2,4,6,8,10,12,14,16,18,20,22 of "
                "MPI_COMM_WORLD\n");
    for (unsigned i = 0; i < 13; i++)
        take(&all, 3 + 2 * i, 0, WORLD);
    expect_next(&all, INT64_MAX, SEND "  reported by ranks 3,5,7,9,11,13,15,17,19,21,23,25,... of "
                "MPI_COMM_WORLD\n");
    take(&all, RANKS - 1, 0, WORLD);
    take(&all, RANKS - 2, 0, WORLD);
    take(&all, 0, 0, WORLD);
    expect_next(&all, INT64_MAX, SEND "  reported by ranks 0,62-63 of MPI_COMM_WORLD\n");
}

/* A rank that does not stop to report takes no memory without end. */
static void test_many(void)
{
    struct reports all = { NULL };
    unsigned said = 0;
    size_t size;
    char *text;

    for (unsigned i = 0; i < 5000; i++) {
        take(&all, 0, 0, WORLD);
        while ((text = reports_next(&all, 0, &size))) {
            said++;
            free(text);
        }
    }
    expect(said >= 3000 && said < 5000, "old ones are said before their time");
    reports_free(&all);
    expect(reports_due(&all) < 0, "none is left");
}

int main(void)
{
    test_find();
    test_alike();
    test_kinds();
    test_apart();
    test_many();
    return failed;
}
