/* Drawing a plan. */
#include "launch/where/map.h"
#include "launch/base/say.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool changes(const struct machine *m, unsigned i, enum level level)
{
    return i > 0 && m->thread[i].in[level] != m->thread[i - 1].in[level];
}

/* What separates a thread from the one before. */
static const char *border(const struct machine *m, unsigned i)
{
    if (i == 0)
        return "[";
    if (changes(m, i, LEVEL_SOCKET))
        return "][";
    if (changes(m, i, LEVEL_NUMA) || (m->known[LEVEL_L3CACHE] && changes(m, i, LEVEL_L3CACHE)))
        return "|";
    return changes(m, i, LEVEL_CORE) ? "/" : "";
}

void map_draw(FILE *out, const struct machine *m, const struct place *place)
{
    for (unsigned i = 0; i < m->count; i++) {
        const struct hwthread *t = &m->thread[i];
        char mark = !t->allowed ? '-' : cores_has(&place->host, t->cpu) ? 'B'
                    : cores_has(&place->nic, t->cpu) ? 'n' : '.';
        fprintf(out, "%s%c", border(m, i), mark);
    }
    fputs("]", out);
}

static const char *mapping(const struct plan *plan, const struct policy *p, char *text,
                           size_t size)
{
    const char *order = p->order == ORDER_ROUND ? level_name(p->order_level)
                        : "one after the other";
    const char *by = !p->map_said || p->map_level == LEVEL_MACHINE ? "slot"
                     : level_name(p->map_level);

    int n = 0;
    if (plan->given) {
        snprintf(text, size, "placed by a list");
        return text;
    }
    if (p->per_object)
        n = snprintf(text, size, "mapped %u on each %s", p->per_object,
                     p->map_level == LEVEL_MACHINE ? "machine" : by);
    else
        n = snprintf(text, size, "mapped by %s", by);
    if (p->order != ORDER_PLACED)
        snprintf(text + n, size - (size_t)n, " and numbered %s%s",
                 p->order == ORDER_ROUND ? "by " : "", order);
    return text;
}

static void print_title(FILE *out, const struct plan *p, const struct policy *policy)
{
    char text[96];

    fprintf(out, "mpirun: %u rank%s on %u of %u processors, %s, ", p->ranks,
            p->ranks == 1 ? "" : "s", p->machine->allowed,
            p->machine->count, mapping(p, policy, text, sizeof text));
    if (p->bound)
        fprintf(out, "bound to %s", level_name(p->bind));
    else
        fputs("not bound", out);
    fprintf(out, "\nmpirun: B: the rank, %s.: free to use, -: not allowed\n",
            policy->progress == NIC_PROGRESS_HOST ? "" : "n: its NIC's thread alone, ");
}

/* "core 3", "cores 3-4", "socket 1": what the rank is bound to, by its number in the machine. */
static void name_objects(const struct plan *p, const struct place *place, char *text, size_t size)
{
    enum level level = p->bind < LEVEL_CORE ? LEVEL_CORE : p->bind;
    struct cores numbers = { 0 };
    int n = snprintf(text, size, "not bound");

    if (!p->bound)
        return;
    for (unsigned i = 0; i < p->machine->count; i++)
        if (cores_has(&place->host, p->machine->thread[i].cpu))
            cores_add(&numbers, p->machine->thread[i].in[level] % CORES_MAX);
    n = snprintf(text, size, "%s%s ", level_name(level), cores_count(&numbers) > 1 ? "s" : "");
    cores_print(&numbers, text + n, size - (size_t)n);
}

struct line { char objects[64], host[64], nic[64]; };

static struct line make_line(const struct plan *p, unsigned rank, struct place *place)
{
    struct line line;

    plan_rank(p, rank, place);
    name_objects(p, place, line.objects, sizeof line.objects);
    cores_print(&place->host, line.host, sizeof line.host);
    cores_print(&place->nic, line.nic, sizeof line.nic);
    return line;
}

static void widen(int *width, const char *text)
{
    if ((int)strlen(text) > *width)
        *width = (int)strlen(text);
}

struct widths { int rank, objects, host, nic; };

static struct widths find_widths(const struct plan *p)
{
    struct widths w = { 0 };
    struct place place;

    w.rank = snprintf(NULL, 0, "%u", p->ranks - 1);
    for (unsigned rank = 0; rank < p->ranks; rank++) {
        struct line line = make_line(p, rank, &place);
        widen(&w.objects, line.objects);
        widen(&w.host, line.host);
        widen(&w.nic, line.nic);
    }
    return w;
}

void map_print(const struct plan *p, const struct policy *asked)
{
    struct widths w = find_widths(p);
    struct place place;
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));

    print_title(out, p, asked);
    for (unsigned rank = 0; rank < p->ranks; rank++) {
        struct line line = make_line(p, rank, &place);
        fprintf(out, "mpirun: rank %*u: %-*s  cpu %-*s  ", w.rank, rank, w.objects, line.objects,
                w.host, line.host);
        if (w.nic)
            fprintf(out, "NIC %-*s  ", w.nic, line.nic);
        map_draw(out, p->machine, &place);
        fputc('\n', out);
    }
    fclose(out);
    say_text(text, size);
    free(text);
}
