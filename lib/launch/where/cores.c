/* Affinity mask and CPU quota. */
#include "launch/where/cores.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void cores_allowed(struct cores *set)
{
    *set = (struct cores){ 0 };
    if (sched_getaffinity(0, sizeof *set, set->part) < 0 || cores_count(set) == 0)
        cores_add(set, 0);
}

/* Reads a small file of /proc or /sys; "" if there is none. */
static void read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(text, 1, size - 1, file) : 0;

    text[n] = 0;
    if (file)
        fclose(file);
}

/* cpu.max holds "QUOTA PERIOD" in microseconds, or "max PERIOD". */
static unsigned folder_quota(const char *folder)
{
    char path[PATH_MAX + 16], text[64], *end;

    snprintf(path, sizeof path, "%s/cpu.max", folder);
    read_text(path, text, sizeof text);
    unsigned long long quota = strtoull(text, &end, 10);
    unsigned long long period = end > text ? strtoull(end, NULL, 10) : 0;
    return quota && period ? (unsigned)((quota + period - 1) / period) : 0;
}

/* A limit may be set on the group or on any that holds it: the least one counts. */
unsigned cores_quota(const char *root, const char *membership)
{
    const char *line = strncmp(membership, "0::", 3) == 0 ? membership
                       : strstr(membership, "\n0::");
    char folder[PATH_MAX];
    unsigned least = 0;

    if (!line)
        return 0;
    line = strchr(line, '/');
    int n = line ? snprintf(folder, sizeof folder, "%s%.*s", root, (int)strcspn(line, "\n"), line)
            : -1;
    if (n < 0 || (size_t)n >= sizeof folder)
        return 0;
    for (size_t length = strlen(folder); length >= strlen(root); length--) {
        if (folder[length] != '/' && folder[length] != 0)
            continue;
        folder[length] = 0;
        unsigned quota = folder_quota(folder);
        if (quota && (!least || quota < least))
            least = quota;
    }
    return least;
}

unsigned cores_quota_own(void)
{
    char text[PATH_MAX + 256];

    read_text("/proc/self/cgroup", text, sizeof text);
    return cores_quota("/sys/fs/cgroup", text);
}

void cores_print(const struct cores *set, char *text, size_t size)
{
    size_t used = 0;

    text[0] = 0;
    for (unsigned first = 0; first < CORES_MAX && used < size; first++) {
        unsigned last = first;
        if (!cores_has(set, first))
            continue;
        while (last + 1 < CORES_MAX && cores_has(set, last + 1))
            last++;
        used += (size_t)snprintf(text + used, size - used, last > first ? "%s%u-%u" : "%s%u",
                                 used ? "," : "",
                                 first, last);
        first = last;
    }
    if (used >= size && size > 4)
        strcpy(text + size - 4, "...");
}
