/* Unit test of what can be computed without a machine: placement, CPU quota, lists of ranks and of cores. */
#include "../../lib/launch/cores.h"
#include "../../lib/launch/place.h"
#include "../../lib/launch/ranklist.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "failed: %s\n", what);
        failed = 1;
    }
}

static void expect_text(const char *got, const char *wanted)
{
    if (strcmp(got, wanted) != 0) {
        fprintf(stderr, "failed: \"%s\" is not \"%s\"\n", got, wanted);
        failed = 1;
    }
}

static void test_wanted(void)
{
    expect(!place_wanted(BIND_AUTO, 1, 4), "a quarter of the cores is not bound");
    expect(!place_wanted(BIND_AUTO, 2, 4), "half of the cores is not bound");
    expect(place_wanted(BIND_AUTO, 3, 4), "more than half of the cores is bound");
    expect(place_wanted(BIND_AUTO, 4, 4), "all cores are bound");
    expect(!place_wanted(BIND_AUTO, 5, 4), "more ranks than cores are not bound");
    expect(place_wanted(BIND_CORE, 99, 4), "bound when asked for");
    expect(!place_wanted(BIND_NONE, 4, 4), "not bound when not wanted");
}

/* Where each rank may run, "0,4 1,5": on this machine. */
static void expect_places(const struct place_thread *threads, unsigned count, unsigned ranks, const char *wanted)
{
    struct cores *out = calloc(ranks, sizeof *out);
    char text[512] = "", one[64];

    place_ranks(threads, count, ranks, out);
    for (unsigned i = 0; i < ranks; i++) {
        cores_print(&out[i], one, sizeof one);
        strcat(strcat(text, i ? " " : ""), one);
    }
    expect_text(text, wanted);
    free(out);
}

/* Four cores with two threads each; the second threads are numbered from 4. */
static const struct place_thread pairs[] = {
    { 0, 0 }, { 4, 0 }, { 1, 1 }, { 5, 1 }, { 2, 2 }, { 6, 2 }, { 3, 3 }, { 7, 3 },
};
/* What an affinity mask may leave of a machine: a whole core, halves of two others. */
static const struct place_thread odd[] = { { 9, 3 }, { 2, 5 }, { 3, 5 }, { 8, 7 } };

static void test_places(void)
{
    expect_places(pairs, 8, 1, "0,4");
    expect_places(pairs, 8, 4, "0,4 1,5 2,6 3,7");
    expect_places(pairs, 8, 5, "0 1,5 2,6 3,7 4");
    expect_places(pairs, 8, 8, "0 1 2 3 4 5 6 7");
    expect_places(pairs, 8, 10, "0 1 2 3 4 5 6 7 0 1");
    expect_places(odd, 4, 3, "9 2-3 8");
    expect_places(odd, 4, 4, "9 2 8 3");
    expect_places(odd, 1, 2, "9 9");
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof path, "%s%s/cpu.max", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    expect(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "a file can be written");
    close(fd);
}

static void remove_tree(const char *root)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", root);
    expect(system(command) == 0, "the folder can be removed");
}

static void test_quota(void)
{
    char root[] = "/tmp/place_test.XXXXXX", path[128];

    expect(mkdtemp(root), "a folder can be made");
    expect(cores_quota(root, "0::/a/b\n") == 0, "no files, no limit");
    mkdir(strcat(strcpy(path, root), "/a"), 0700);
    mkdir(strcat(path, "/b"), 0700);
    write_file(root, "/a/b", "max 100000\n");
    expect(cores_quota(root, "0::/a/b\n") == 0, "max is no limit");
    write_file(root, "/a/b", "250000 100000\n");
    expect(cores_quota(root, "0::/a/b\n") == 3, "2.5 processors count as 3");
    write_file(root, "/a", "100000 100000\n");
    expect(cores_quota(root, "0::/a/b\n") == 1, "the limit of a group above counts");
    expect(cores_quota(root, "3:cpuset:/x\n0::/a/b\n") == 1, "lines of version 1 are skipped");
    expect(cores_quota(root, "3:cpuset:/a\n") == 0, "no group of version 2, no limit");
    write_file(root, "", "50000 100000\n");
    expect(cores_quota(root, "0::/\n") == 1, "half a processor counts as one");
    remove_tree(root);
}

static void test_ranklist(void)
{
    bool chosen[64] = { [0] = true, [1] = true, [2] = true, [5] = true, [63] = true };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    expect(ranklist_print(out, chosen, 64) == 5, "five ranks");
    fputc(' ', out);
    for (unsigned i = 0; i < 64; i++)
        chosen[i] = i % 2;
    expect(ranklist_print(out, chosen, 64) == 32, "every other rank");
    fclose(out);
    expect_text(text, "0-2,5,63 1,3,5,7,9,11,13,15,17,19,21,23,...");
    free(text);
}

int main(void)
{
    test_wanted();
    test_places();
    test_quota();
    test_ranklist();
    return failed;
}
