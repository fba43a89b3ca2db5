/* A list of lines that wait for others like them. */
#include "launch/ranks/findings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "launch/base/calls.h"
#include "launch/base/ranklist.h"
#include "launch/base/say.h"

/* How long a line waits for other ranks to say the same; how many may wait. */
#define PATIENCE (300 * MS_NS)
enum { MOST = 1000 };

struct finding {
    struct finding *next;
    int64_t due;
    bool *says;                 /* by rank */
    char text[];
};

int findings_open(struct findings *f, unsigned ranks)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return call_failed("pipe2");
    *f = (struct findings){ .pipe = ends[0], .theirs = call_raise(ends[1]), .ranks = ranks,
                            .here = need(calloc(ranks, sizeof *f->here)) };
    return 0;
}

/* -- printing */

static void print(struct findings *f)
{
    struct finding *oldest = f->first;
    char *line = NULL;
    size_t size;
    unsigned count = 0;

    f->first = oldest->next;
    f->last = f->first ? f->last : NULL;
    for (unsigned i = 0; i < f->ranks; i++)
        count += oldest->says[i];
    FILE *out = need(open_memstream(&line, &size));
    fputs(count > 1 ? "check: ranks " : "check: rank ", out);
    ranklist_print(out, oldest->says, f->ranks);
    fprintf(out, ": %s\n", oldest->text);
    fclose(out);
    say_text(line, size);
    free(line);
    free(oldest->says);
    free(oldest);
}

int64_t findings_due(const struct findings *f) { return f->first ? f->first->due : -1; }

void findings_print(struct findings *f, int64_t now)
{
    while (f->first && now >= f->first->due)
        print(f);
}

/* -- reading */

/* Another thing that the same rank says twice is not the same. */
static struct finding *find(struct findings *f, const char *text, unsigned rank)
{
    struct finding *like = f->first;

    while (like && (strcmp(like->text, text) || like->says[rank]))
        like = like->next;
    return like;
}

static void add(struct findings *f, const char *text, unsigned rank, int64_t now)
{
    struct finding *one = find(f, text, rank);

    if (!one) {
        one = need(calloc(1, sizeof *one + strlen(text) + 1));
        one->says = need(calloc(f->ranks, sizeof *one->says));
        strcpy(one->text, text);
        one->due = now + PATIENCE;
        *(f->last ? &f->last->next : &f->first) = one;
        f->last = one;
    }
    one->says[rank] = true;
}

static bool is_mark(char c)
{
    return c == FINDING_WRONG || c == FINDING_REMARK || c == FINDING_NONE;
}

/* Nothing of it is trusted. */
static void take_line(struct findings *f, int64_t now)
{
    char *text, plain[2 * FINDING_BYTES];
    unsigned long rank = strtoul(f->line, &text, 10);
    char mark = *text == ' ' ? text[1] : 0;

    f->used = 0;
    if (text == f->line || rank >= f->ranks || !is_mark(mark) || text[2] != ' ')
        return;
    f->here[rank] = true;
    f->wrong |= mark == FINDING_WRONG;
    if (mark != FINDING_NONE)
        add(f, printable(plain, sizeof plain, text + 3, ""), (unsigned)rank, now);
}

static void take(struct findings *f, const char *data, size_t size, int64_t now)
{
    for (size_t i = 0; i < size; i++) {
        bool ends = data[i] == '\n' || f->used == sizeof f->line - 1;
        f->line[f->used++] = ends ? 0 : data[i];
        if (ends)
            take_line(f, now);
    }
}

void findings_read(struct findings *f, int64_t now)
{
    char data[FINDING_BYTES];

    for (unsigned i = 0; f->pipe >= 0 && i < MOST; i++) {
        ssize_t n = read(f->pipe, data, sizeof data);
        if (n > 0) {
            take(f, data, (size_t)n, now);
        } else if (n == 0 || errno != EINTR) {
            if (n == 0 || errno != EAGAIN) {
                close(f->pipe);
                f->pipe = -1;
            }
            return;
        }
    }
}

void findings_close(struct findings *f)
{
    if (f->theirs >= 0)
        close(f->theirs);
    f->theirs = -1;
    while (f->first)
        print(f);
    if (f->pipe >= 0)
        close(f->pipe);
    f->pipe = -1;
    free(f->here);
    f->here = NULL;
}
