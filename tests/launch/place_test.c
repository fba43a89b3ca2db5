/* Unit test of what can be computed without a machine: whether to bind, CPU quota, lists of ranks
 * and of cores. */
#include "launch/where/cores.h"
#include "launch/where/place.h"
#include "launch/base/ranklist.h"

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

static bool wanted(struct policy policy, unsigned ranks, unsigned cores)
{
    return place_wanted(&policy, ranks, cores);
}

static void test_wanted(void)
{
    struct policy by_itself = { 0 }, none = { .bind = BIND_NONE },
        core = { .bind = BIND_LEVEL, .bind_level = LEVEL_CORE };
    struct policy busy = { .progress = NIC_PROGRESS_THREAD },
        by_core = { .map_said = true, .map_level = LEVEL_CORE };
    struct policy by_socket = { .map_said = true, .map_level = LEVEL_SOCKET };

    expect(!wanted(by_itself, 1, 4), "a quarter of the cores is not bound");
    expect(!wanted(by_itself, 2, 4), "half of the cores is not bound");
    expect(wanted(by_itself, 3, 4), "more than half of the cores is bound");
    expect(wanted(by_itself, 4, 4), "all cores are bound");
    expect(!wanted(by_itself, 5, 4), "more ranks than cores are not bound");
    expect(wanted(core, 99, 4), "bound when asked for");
    expect(!wanted(none, 4, 4), "not bound when not wanted");
    expect(wanted(by_core, 1, 4) && !wanted(by_core, 5, 4),
           "mapped, and so bound, while there are cores");
    expect(wanted(by_socket, 5, 4), "a crowd is bound to sockets");
    expect(!wanted(busy, 1, 4) && wanted(busy, 2, 4) && wanted(busy, 4, 4) && !wanted(busy, 5, 4),
           "a busy NIC fills a core");
}

static void expect_list(const char *text, const char *wanted)
{
    struct cores set;
    char printed[64] = "wrong";

    if (nic_cpus_parse(text, (uint64_t *)set.part, NIC_CPUS_MAX / 64) == 0)
        cores_print(&set, printed, sizeof printed);
    expect_text(printed, wanted);
}

static void test_lists(void)
{
    static const char *const wrong[] = { "", ",", "1,", "-1", "1-", "2-1", "1 2", "a", "8192",
                                         "0-8192", "1,,2", "0x1", "99999999999999999999" };
    struct cores every_other = { 0 };
    char text[16];

    expect_list("3", "3");
    expect_list("0,2,1", "0-2");
    expect_list("7-9,0,8-10", "0,7-10");
    expect_list("8190-8191", "8190-8191");
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_list(wrong[i], "wrong");
    for (unsigned cpu = 0; cpu < 100; cpu += 2)
        cores_add(&every_other, cpu);
    cores_print(&every_other, text, sizeof text);
    expect_text(text, "0,2,4,6,8,10...");
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof path, "%s%s/cpu.max", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    expect(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text),
           "a file can be written");
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
    write_file(root, "/a", "800000 100000\n");
    expect(cores_quota(root, "0::/a/b\n") == 3, "a wider limit of a group above does not count");
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
    test_lists();
    test_quota();
    test_ranklist();
    return failed;
}
