/* Reading what ranks have reported of their crashes, and asking addr2line for the rest.  Nothing of
 * the text is trusted: a line that is not as it should be is left out. */
#include "launch/report/crash.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/crash.h"
#include "base/object.h"
#include "launch/base/ranklist.h"
#include "launch/base/say.h"
#include "launch/ranks/crashes.h"
#include "launch/report/source.h"

enum { GROUPS = 4 };

/* A line "  #0 name+0x12 (/path+0x1234)", in pieces of the job's text; or, in front of these,
 * "  #@ MPI_COMM_WORLD dup #1 (/path+0x1234)": what the call was of, and where that was made. */
struct frame {
    bool made;
    char *symbol;               /* or an address that is in no file */
    char *path, *address;       /* NULL: in no file */
    char *answer;               /* of addr2line, in a text of the group; NULL: none */
    bool guessed;               /* the name in it may be that of another function */
};

/* Of one rank; the last one that it has made counts. */
struct report {
    char *what, *where;         /* "SIGSEGV (...)", "0x10"; what NULL: none */
    struct frame frame[CRASH_FRAMES + 1];
    unsigned frames;
    bool damaged;               /* its stack could not be read any further */
};

/* -- reading */

static void read_frame(struct report *r, char *line)
{
    char *symbol = strchr(line, ' '), *open = symbol ? strrchr(symbol, '(') : NULL;
    char *plus = open ? strrchr(open, '+') : NULL;
    size_t digits = plus && !strncmp(plus, "+0x", 3) ? strspn(plus + 3, "0123456789abcdef") : 0;
    struct frame f = { .made = *line == '@', .symbol = symbol ? symbol + 1 : NULL };

    if (!symbol || r->frames > CRASH_FRAMES)
        return;
    if (digits && !strcmp(plus + 3 + digits, ")")) {
        open[open > symbol + 1 ? -1 : 0] = 0;
        f.path = open + 1;
        f.address = plus + 1;
        *plus = plus[3 + digits] = 0;
    }
    if (f.path || !f.made)
        r->frame[r->frames++] = f;
}

/* The rank that a head "rank 3 (pid 4711): SIGSEGV (...) at address 0x10" is of; -1: it is none. */
static long read_head(char *line, unsigned ranks, char **what)
{
    char *end;
    long rank = strncmp(line, "rank ", 5) ? -1 : strtol(line + 5, &end, 10);

    if (rank < 0 || rank >= (long)ranks || strncmp(end, " (pid ", 6))
        return -1;
    *what = strstr(end, "): ");
    *what += *what ? 3 : 0;
    return *what ? rank : -1;
}

static void read_reports(struct report *all, char *text, unsigned ranks)
{
    static const char at[] = " at address ";
    struct report *r = NULL;
    char *rest = text, *what;

    for (char *line; (line = strsep(&rest, "\n"));) {
        long rank = read_head(line, ranks, &what);
        if (rank >= 0) {
            r = &all[rank];
            *r = (struct report){ .what = what, .where = strstr(what, at) };
            if (r->where) {
                *r->where = 0;
                r->where += sizeof at - 1;
            }
        } else if (r && !strncmp(line, "  #", 3)) {
            read_frame(r, line + 3);
        } else if (r) {
            r->damaged |= !strcmp(line, STACK_DAMAGED);
        }
    }
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : !a && !b;
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
    bool named_alike = a->made == b->made && (!a->made || same_text(a->symbol, b->symbol));

    return named_alike && same_text(a->path, b->path) && same_text(a->address, b->address);
}

/* One that could not be finished is as good as any with its first line. */
static bool same_report(const struct report *a, const struct report *b)
{
    bool same = a->what && b->what && !strcmp(a->what, b->what);

    if (!same || !a->frames || !b->frames)
        return same;
    /* Where a function finds the stack full is chance. */
    unsigned first = strstr(a->what, "stack") != NULL;
    same = a->frames == b->frames;
    for (unsigned i = first; same && i < a->frames; i++)
        same = same_frame(&a->frame[i], &b->frame[i]);
    return same;
}

/* -- asking */

/* Each answer begins with its address, "0x0000000000001234". */
static void take_answers(struct report *r, const char *path, char *text)
{
    unsigned i = 0;

    for (char *at = text; at && *at;) {
        char *next = strstr(at, "\n0x");
        if (next)
            *next++ = 0;
        while (i < r->frames && (!r->frame[i].path || strcmp(r->frame[i].path, path)))
            i++;
        if (i < r->frames && strchr(at, '\n'))
            r->frame[i].answer = strchr(at, '\n') + 1;
        i++;
        at = next;
    }
}

/* The answers are in a text that is to be freed. */
static char *ask(struct report *r, const char *path, int64_t *left_ns)
{
    char *address[CRASH_FRAMES + 1];
    unsigned count = 0;

    for (unsigned i = 0; i < r->frames; i++)
        if (r->frame[i].path && !strcmp(r->frame[i].path, path))
            address[count++] = r->frame[i].address;
    bool names = source_has_names(path);
    for (unsigned i = 0; i < r->frames; i++)
        if (r->frame[i].path && !strcmp(r->frame[i].path, path))
            r->frame[i].guessed = !names && r->frame[i].symbol[0] == '?';
    char *text = source_frames(path, address, count, left_ns);
    if (text)
        take_answers(r, path, text);
    return text;
}

static bool asked_before(const struct report *r, unsigned frame)
{
    for (unsigned i = 0; i < frame; i++)
        if (r->frame[i].path && !strcmp(r->frame[i].path, r->frame[frame].path))
            return true;
    return false;
}

/* -- printing */

static const char *file_of(const char *path)
{
    const char *folder = strrchr(path, '/');

    return folder ? folder + 1 : path;
}

/* "MPI_COMM_WORLD dup #1, made at solver.c:42", behind the call. */
static void print_made(FILE *out, const struct frame *f)
{
    char *rest = f->answer, *known = NULL;

    if (rest && strsep(&rest, "\n") && rest)       /* the function's name */
        known = mpi_object_line(strsep(&rest, "\n"));
    fprintf(out, " on %s, made at ", f->symbol);
    if (known)
        fprintf(out, "%s (%s+%s)", known, file_of(f->path), f->address);
    else
        fprintf(out, "%s+%s", file_of(f->path), f->address);
}

static void print_file(FILE *out, const struct frame *f)
{
    if (f->path)
        fprintf(out, " (%s+%s)", file_of(f->path), f->address);
}

/* One line of the report; place NULL: not known.  Of names that templates have made, of many
 * hundred characters, the beginning tells enough. */
static void print_line(FILE *out, unsigned *number, const char *name, const char *place)
{
    enum { MOST = 160 };
    fprintf(out, "\n    #%u %.*s%s", (*number)++, MOST, name, strlen(name) > MOST ? "..." : "");
    if (place)
        fprintf(out, " at %s", place);
}

/* A function with those that were compiled into it, innermost first, two lines each.  True: it is
 * the program's first one, and what called that is of no interest. */
static bool print_frame(FILE *out, const struct frame *f, unsigned *number)
{
    char *rest = f->answer, *name;

    if (f->made) {
        print_made(out, f);
        return false;
    }
    bool last = !strncmp(f->symbol, "main+", 5);
    unsigned before = *number;

    while (rest && (name = strsep(&rest, "\n")) && *name && strcmp(name, "??")) {
        char *place = rest ? mpi_object_line(strsep(&rest, "\n")) : NULL;
        if (!place && f->guessed)
            break;
        print_line(out, number, name, place);
        last |= !strcmp(name, "main");
    }
    if (*number == before)
        print_line(out, number, f->symbol, NULL);
    print_file(out, f);
    return last;
}

static bool same_place(const struct frame *a, const struct frame *b)
{
    if (a->made || !a->path || !b->path)
        return false;
    return !strcmp(a->path, b->path) && !strcmp(a->address, b->address);
}

/* Of a function that calls itself there are as many as fit. */
static unsigned skip_same(FILE *out, const struct report *r, unsigned i, unsigned *number)
{
    unsigned count = 0;

    while (i + count + 1 < r->frames && same_place(&r->frame[i], &r->frame[i + count + 1]))
        count++;
    if (count)
        fprintf(out, ", %u times or more", count + 1);
    *number += count;
    return count;
}

static void print_frames(FILE *out, struct report *r, int64_t *left_ns)
{
    char *text[CRASH_FRAMES + 1] = { NULL };
    unsigned number = 0;

    for (unsigned i = 0; i < r->frames; i++)
        if (r->frame[i].path && !asked_before(r, i))
            text[i] = ask(r, r->frame[i].path, left_ns);
    for (unsigned i = 0; i < r->frames && !print_frame(out, &r->frame[i], &number); i++)
        i += skip_same(out, r, i, &number);
    if (r->damaged)
        fputs("\n  " STACK_DAMAGED, out);
    for (unsigned i = 0; i < r->frames; i++)
        free(text[i]);
}

/* "ranks 0-14: SIGSEGV (...) at address 0x10 and others" */
static void print_head(FILE *out, const struct report *all, unsigned first, unsigned ranks,
                       const bool *chosen)
{
    unsigned count = 0;
    bool one = true;

    for (unsigned i = 0; i < ranks; i++) {
        count += chosen[i];
        one &= !chosen[i] || same_text(all[i].where, all[first].where);
    }
    fputs(count > 1 ? "\n  ranks " : "\n  rank ", out);
    ranklist_print(out, chosen, ranks);
    fprintf(out, ": %s", all[first].what);
    if (all[first].where)
        fprintf(out, " at address %s%s", all[first].where, one ? "" : " and others");
}

/* Those that crashed as this one, which then are done. */
static void print_group(FILE *out, struct report *all, unsigned first, unsigned ranks,
                        int64_t *left_ns)
{
    bool *chosen = need(calloc(ranks, sizeof *chosen));

    for (unsigned i = 0; i < ranks; i++)
        chosen[i] = same_report(&all[i], &all[first]);
    if (out) {
        print_head(out, all, first, ranks, chosen);
        print_frames(out, &all[first], left_ns);
    }
    for (unsigned i = 0; i < ranks; i++)
        all[i].what = chosen[i] ? NULL : all[i].what;
    free(chosen);
}

static void print_groups(FILE *out, struct report *all, unsigned ranks)
{
    int64_t left_ns = SOURCE_NS;
    unsigned groups = 0;

    for (int whole = 1; whole >= 0; whole--)
        for (unsigned i = 0; i < ranks; i++)
            if (all[i].what && (all[i].frames || !whole))
                print_group(groups++ < GROUPS ? out : NULL, all, i, ranks, &left_ns);
    if (groups > GROUPS)
        fprintf(out, "\n  and %u other ways to crash", groups - GROUPS);
}

void crash_print(FILE *out, const struct crashes *crashes, unsigned ranks)
{
    if (!crashes->used)
        return;
    struct report *all = need(calloc(ranks, sizeof *all));
    char *text = need(strndup(crashes->text, crashes->used));
    read_reports(all, text, ranks);
    print_groups(out, all, ranks);
    free(text);
    free(all);
}
