/* Asking gdb, which stops the process for as long as it looks. */
#include "launch/report/stacks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "launch/base/say.h"
#include "launch/report/ask.h"

enum { LINE_SIZE = 256, FRAMES = 32 };

/* "#1  0x00007f.. in solve (n=3) at solver.c:42", without the address. */
static const char *without_address(const char *frame)
{
    const char *in = strstr(frame, " in ");
    size_t hex = strcspn(frame, " ");
    const char *rest = frame + hex + strspn(frame + hex, " ");

    return !strncmp(rest, "0x", 2) && in ? in + 4 : rest;
}

struct thread { const char *frame[FRAMES]; unsigned frames, first; };

/* What happens inside of MPI is left out: the call says it. */
static void add_frame(struct thread *t, const char *frame)
{
    const char *name = without_address(frame);

    if (t->frames == FRAMES)
        return;
    if (!strncmp(name, "PMPI_", 5) || !strncmp(name, "MPI_", 4) || !strncmp(name, "shmem_", 6))
        t->first = t->frames;
    t->frame[t->frames++] = frame;
}

static unsigned print_thread(FILE *out, struct thread *t)
{
    unsigned frames = t->frames;
    char line[LINE_SIZE];

    for (unsigned i = t->first; i < frames; i++)
        fprintf(out, "    #%u %s\n", i - t->first,
                printable(line, sizeof line, without_address(t->frame[i]), ""));
    *t = (struct thread){ .frames = 0 };
    return frames;
}

/* A head for each thread but a single one. */
static unsigned print_lines(FILE *out, char *text)
{
    struct thread thread = { .frames = 0 };
    char *rest = text, *at;
    bool several = strstr(text, "\nThread 2 ");
    unsigned frames = 0;

    while ((at = strsep(&rest, "\n"))) {
        if (!strncmp(at, "Thread ", 7)) {
            frames += print_thread(out, &thread);
            if (several)
                fprintf(out, "    thread %.*s:\n", (int)strcspn(at + 7, " "), at + 7);
        } else if (at[0] == '#') {
            add_frame(&thread, at);
        }
    }
    return frames + print_thread(out, &thread);
}

void stacks_print(FILE *out, pid_t process, pid_t started, int64_t *left_ns)
{
    char pid[32];
    const char *argv[] = { "gdb", "-nx", "-batch", "-p", pid, "-ex", "thread apply all bt 24",
                           NULL };
    int64_t begin = now_ns();

    snprintf(pid, sizeof pid, "%ld", (long)(process ? process : started));
    char *text = *left_ns > 0 ? ask_all(argv, begin + *left_ns) : NULL;
    *left_ns -= now_ns() - begin;
    if (!text || !print_lines(out, text))
        fprintf(out, "    (no stack: gdb %s)\n", *left_ns <= 0 ? "takes too long"
                : text && *text ? "cannot look at the process" : "is not installed");
    free(text);
}
