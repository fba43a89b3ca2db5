/* Reports in a list, of which each waits for others like it: all but the ranks in its last line. */
#include "launch/io/reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/base/ranklist.h"
#include "launch/base/say.h"

/* How long a report waits for other ranks to say the same; how many may wait. */
#define PATIENCE (300 * MS_NS)
enum { MOST = 1000 };

#define LAST "  reported by "

struct report {
    struct report *next;
    int64_t due;
    unsigned ranks, count;      /* the job's; those that say it */
    bool *says;                 /* by rank */
    char *text;                 /* as the first rank has said it */
    char *same, *of;            /* "... reported by rank", " of MPI_COMM_WORLD" */
};

/* -- finding */

static const char *line_end(const char *line, const char *end)
{
    const char *newline = memchr(line, '\n', (size_t)(end - line));

    return newline ? newline + 1 : end;
}

static bool begins(const char *line, const char *end, const char *with)
{
    size_t bytes = strlen(with);

    return (size_t)(end - line) >= bytes && memcmp(line, with, bytes) == 0;
}

/* Where a line that ends in these words has the number in them; NULL: it does not. */
static const char *number_at_end(const char *line, const char *end, const char *form, unsigned rank)
{
    char words[80];
    size_t bytes = (size_t)snprintf(words, sizeof words, form, rank);

    return (size_t)(end - line) >= bytes && memcmp(end - bytes, words, bytes) == 0
           ? end - bytes + strcspn(words, "0123456789") : NULL;
}

/* Where the last line of a report by this rank has its number; NULL: it is none. */
static const char *number_in(const char *line, const char *end, unsigned rank)
{
    const char *number = number_at_end(line, end, " by rank %u of MPI_COMM_WORLD\n", rank);

    if (!number)
        number = number_at_end(line, end, " by PE %u\n", rank);
    if (!number && begins(line, end, LAST "rank ")
        && number_at_end(line, end, " (rank %u of MPI_COMM_WORLD)\n", rank))
        number = line + sizeof LAST + 4;
    return number;
}

/* From a line that begins one; 0: it does not end as one. */
static size_t bytes_of(const char *start, const char *end, unsigned rank)
{
    const char *line = start, *next = line_end(line, end);

    while (!number_in(line, next, rank)) {
        line = next;
        if (!begins(line, end, "  "))
            return 0;
        next = line_end(line, end);
    }
    return memchr(start, 0, (size_t)(next - start)) ? 0 : (size_t)(next - start);
}

static bool is_head(const char *line, const char *end)
{
    return begins(line, end, "Fatal error") || begins(line, end, "MPI_Abort(");
}

/* All of them have this, and few other texts do. */
static bool may_have_one(const char *lines, size_t size)
{
    return memmem(lines, size, " by ", 4);
}

size_t report_find(const char *lines, size_t size, unsigned rank, const char **start)
{
    const char *end = lines + size;

    if (!may_have_one(lines, size))
        return 0;
    for (const char *line = lines; line < end; line = line_end(line, end)) {
        size_t bytes = is_head(line, end) ? bytes_of(line, end, rank) : 0;
        *start = line;
        if (bytes)
            return bytes;
    }
    return 0;
}

/* -- keeping */

/* Of a communicator that is not the world the name is kept, and not the rank there. */
static void split(struct report *r, size_t size, unsigned rank)
{
    const char *last = memrchr(r->text, '\n', size - 1);
    const char *number = number_in(last ? last + 1 : r->text, r->text + size, rank);
    const char *of = number + strspn(number, "0123456789"), *world = strrchr(of, '(');

    r->same = need(strndup(r->text, (size_t)(number - r->text) - 1));
    if (!world)
        r->of = need(strndup(of, strlen(of) - 1));
    else if (asprintf(&r->of, " of MPI_COMM_WORLD, in%.*s", (int)(world - of) - 4, of + 3) < 0)
        r->of = need(NULL);
}

static struct report *report_new(const char *text, size_t size, unsigned rank, unsigned ranks,
                                 int64_t now)
{
    struct report *r = need(calloc(1, sizeof *r));

    r->says = need(calloc(ranks, sizeof *r->says));
    r->ranks = ranks;
    r->due = now + PATIENCE;
    r->text = need(strndup(text, size));
    split(r, size, rank);
    return r;
}

static void report_free(struct report *r)
{
    free(r->says);
    free(r->text);
    free(r->same);
    free(r->of);
    free(r);
}

static struct report *find_like(const struct reports *all, const struct report *one, unsigned rank)
{
    struct report *r = all->first;

    while (r && (strcmp(r->same, one->same) || strcmp(r->of, one->of) || r->says[rank]))
        r = r->next;
    return r;
}

static void append(struct reports *all, struct report *r)
{
    *(all->last ? &all->last->next : &all->first) = r;
    all->last = r;
    all->count++;
}

void reports_take(struct reports *all, const char *text, size_t size, unsigned rank,
                  unsigned ranks, int64_t now)
{
    struct report *r = report_new(text, size, rank, ranks, now), *like = find_like(all, r, rank);

    if (like)
        report_free(r);
    else
        append(all, like = r);
    like->says[rank] = true;
    like->count++;
}

/* -- saying */

int64_t reports_due(const struct reports *all)
{
    return !all->first ? -1 : all->count > MOST ? 0 : all->first->due;
}

static char *say_for_all(const struct report *r, size_t *size)
{
    char *text = NULL;
    FILE *out = need(open_memstream(&text, size));

    fprintf(out, "%ss ", r->same);
    ranklist_print(out, r->says, r->ranks);
    fprintf(out, "%s\n", r->of);
    fclose(out);
    return need(text);
}

char *reports_next(struct reports *all, int64_t now, size_t *size)
{
    struct report *r = all->first;

    if (!r || now < reports_due(all))
        return NULL;
    all->first = r->next;
    all->last = all->first ? all->last : NULL;
    all->count--;
    char *text = r->count > 1 ? say_for_all(r, size) : need(strdup(r->text));
    *size = strlen(text);
    report_free(r);
    return text;
}

void reports_free(struct reports *all)
{
    size_t size;
    char *text;

    while ((text = reports_next(all, INT64_MAX, &size)))
        free(text);
}
