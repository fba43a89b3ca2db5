/* Tables. */
#include "launch/base/table.h"
#include "launch/base/say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void table_begin(struct table *t, unsigned columns)
{
    *t = (struct table){ .columns = columns, .words = need(calloc(columns, sizeof *t->words)) };
}

static void add(struct table *t, char *text)
{
    if (t->cells == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->cell = need(realloc(t->cell, t->room * sizeof *t->cell));
    }
    t->cell[t->cells++] = text;
}

void table_add(struct table *t, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    add(t, need(text));
}

void table_add_words(struct table *t, const char *text)
{
    t->words[t->cells % t->columns] = true;
    table_add(t, "%s", text);
}

void table_add_time(struct table *t, uint64_t ps)
{
    table_add(t, "%" PRIu64 ".%03" PRIu64, ps / 1000, ps % 1000);
}

void table_add_share(struct table *t, uint64_t part, uint64_t whole)
{
    if (!part || !whole)
        table_add(t, "%s", "");
    else
        table_add(t, "%.1f%%", 100.0 * (double)part / (double)whole);
}

static int width_of(const struct table *t, unsigned column)
{
    size_t width = 0;

    for (size_t i = column; i < t->cells; i += t->columns)
        if (strlen(t->cell[i]) > width)
            width = strlen(t->cell[i]);
    return (int)width;
}

static bool is_last(const struct table *t, size_t i)
{
    for (size_t next = i + 1; next % t->columns; next++)
        if (next < t->cells && *t->cell[next])
            return false;
    return true;
}

/* No blanks at the end of a line. */
void table_print(struct table *t, FILE *out)
{
    int *width = need(calloc(t->columns, sizeof *width));

    for (unsigned c = 0; c < t->columns; c++)
        width[c] = width_of(t, c);
    for (size_t i = 0; i < t->cells; i++) {
        unsigned c = (unsigned)(i % t->columns);
        int pad = t->words[c] ? -width[c] : width[c];
        bool over = *t->cell[i] && is_last(t, i);
        if (over && t->words[c])
            pad = 0;
        if (*t->cell[i] || !is_last(t, i))
            fprintf(out, "  %*s", pad, t->cell[i]);
        if (c == t->columns - 1)
            fputc('\n', out);
    }
    for (size_t i = 0; i < t->cells; i++)
        free(t->cell[i]);
    free(t->cell);
    free(t->words);
    free(width);
}
