/* Reading a file of programs. */
#include "launch/command/listing.h"
#include "launch/base/say.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    char **words;
    size_t count;
    bool begun;                 /* the line has words */
};

static void add(struct listing *l, char *word)
{
    l->words = need(realloc(l->words, (l->count + 2) * sizeof *l->words));
    l->words[l->count++] = word;
    l->words[l->count] = NULL;
}

/* The next word of a line, without its quotes, in place; *line goes behind it.  NULL: no more, or
 * *open says which quote has no end. */
static char *next_word(char **line, char *open)
{
    char *in = *line + strspn(*line, " \t\r"), *word = in, *out = in, quote = 0;

    if (!*in || *in == '#')
        return NULL;
    for (; *in && (quote || !strchr(" \t\r", *in)); in++) {
        if (quote ? *in == quote : *in == '\'' || *in == '"')
            quote = quote ? 0 : *in;
        else if (*in == '\\' && quote != '\'' && in[1])
            *out++ = *++in;
        else
            *out++ = *in;
    }
    *line = in + (*in != 0);
    *out = 0;
    *open = quote;
    return quote ? NULL : word;
}

static int read_line(struct listing *l, char *line, const char *path, unsigned number)
{
    static char colon[] = ":";
    char *word, open = 0;
    bool first = true;

    while ((word = next_word(&line, &open))) {
        if (first && l->begun)
            add(l, colon);
        first = false;
        l->begun = true;
        add(l, word);
    }
    return open ? say_usage("%s, line %u: a quote %c has no end", path, number, open) : 0;
}

/* A line, with those that follow a backslash at its end, as MPI has it; *number counts them. */
static char *next_line(char **rest, unsigned *number)
{
    char *line = strsep(rest, "\n");

    ++*number;
    while (line && *rest && *rest - 1 > line && (*rest)[-2] == '\\'
           && line[strspn(line, " \t")] != '#') {
        (*rest)[-2] = (*rest)[-1] = ' ';
        strsep(rest, "\n");
        ++*number;
    }
    return line;
}

/* NULL and errno: it cannot be read.  *binary: a byte of it is 0. */
static char *read_whole(const char *path, bool *binary)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;

    if (!file)
        return NULL;
    ssize_t length = getdelim(&text, &size, 0, file);
    if (length < 0 && !ferror(file)) {
        text = need(realloc(text, 1));
        *text = 0;
    }
    *binary = length > 0 && !text[length - 1];
    int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error) {
        free(text);
        text = NULL;
        errno = error;
    }
    return text;
}

int listing_read(const char *path, char ***words, char **text)
{
    struct listing l = { 0 };
    unsigned number = 0;
    bool binary = false;
    int rc = 0;
    char *rest = *text = read_whole(path, &binary), *line;

    *words = NULL;
    if (!rest)
        return say_usage("cannot read %s: %s", path, strerror(errno));
    if (binary)
        return say_usage("%s is no text: a byte of it is 0", path);
    while (!rc && (line = next_line(&rest, &number)))
        rc = read_line(&l, line, path, number);
    if (!rc && !l.count)
        rc = say_usage("%s has no program in it", path);
    *words = l.words;
    return rc;
}
