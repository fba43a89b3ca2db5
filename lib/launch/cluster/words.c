/* An argument vector that grows. */
#include "launch/cluster/words.h"
#include "launch/base/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes over the word. */
static void put(struct words *words, char *word)
{
    words->list = need(realloc(words->list, (words->count + 2) * sizeof *words->list));
    words->list[words->count++] = word;
    words->list[words->count] = NULL;
}

void words_add(struct words *words, const char *word) { put(words, need(strdup(word))); }

void words_format(struct words *words, const char *format, ...)
{
    char *word = NULL;
    va_list list;

    va_start(list, format);
    int n = vasprintf(&word, format, list);
    va_end(list);
    put(words, need(n < 0 ? NULL : word));
}

void words_add_all(struct words *words, char *const *list)
{
    for (; *list; list++)
        words_add(words, *list);
}

void words_free(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->list[i]);
    free(words->list);
    *words = (struct words){ 0 };
}

/* A word that a shell would take apart stands between quotes. */
static void print_quoted(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "_-+=,.:/@%";

    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (const char[]){ *word, 0 }, out);
    fputc('\'', out);
}

char *words_quote(const struct words *words)
{
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));

    for (size_t i = 0; i < words->count; i++) {
        fputs(i ? " " : "", out);
        print_quoted(out, words->list[i]);
    }
    fclose(out);
    return need(text);
}
