/* The style of output, from options. */
#include "launch/command/looks.h"
#include "launch/base/say.h"
#include "launch/io/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check(const char *option, const char *text)
{
    const char *fault = pattern_fault(text);

    if (!*text)
        return say_usage("%s needs a pattern", option);
    return fault ? say_usage("%s: '%.2s' in '%s' is none of %s", option, fault, text,
                             PATTERN_VALUES)
           : 0;
}

int looks_set_prefix(struct looks *l, const char *text)
{
    l->pattern = text;
    return check("--prepend-pattern", text);
}

int looks_set_file(struct output_style *style, unsigned stream, const char *option,
                   const char *text)
{
    style->file[stream] = text;
    style->hidden[stream] = true;
    return check(option, text);
}

/* "DIR:nocopy": the files take it instead. */
int looks_set_folder(struct output_style *style, const char *option, char *text)
{
    char *colon = strrchr(text, ':');

    if (colon && strcmp(colon, ":nocopy") == 0) {
        style->hidden[0] = style->hidden[1] = true;
        *colon = 0;
    } else if (colon && strcmp(colon, ":copy") == 0) {
        *colon = 0;
    }
    style->dir = text;
    return *text ? 0 : say_usage("%s needs the name of a folder", option);
}

/* "NAME" is for files NAME.RANK.out and NAME.RANK.err. */
static int set_names(struct looks *l, struct output_style *style, char *text)
{
    static const char *const ends[] = { "out", "err" };
    int rc = looks_set_folder(style, "--output file=", text);

    style->dir = NULL;
    if (!rc)
        rc = check("--output", text);
    for (unsigned i = 0; i < 2 && !rc; i++) {
        free(l->made[i]);
        if (asprintf(&l->made[i], "%s.%%r.%s", text, ends[i]) < 0)
            l->made[i] = NULL;
        style->file[i] = need(l->made[i]);
    }
    return rc;
}

/* "dir=DIR": the value, if the word begins with the key. */
static char *value_of(char *word, const char *key)
{
    size_t length = strlen(key);

    return strncmp(word, key, length) == 0 ? word + length : NULL;
}

/* Of Open MPI's, what nothing here stands for; they are no folders. */
static bool is_foreign(const char *word)
{
    static const char *const words[] = { "tag-detailed", "tag-fullname", "xml", "raw", "copy",
                                         "nocopy", "pattern" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static int set_word(struct looks *l, struct output_style *style, char *word)
{
    char *value;

    if (strcmp(word, "tag") == 0 || strcmp(word, "rank") == 0)
        l->tag = true;
    else if (strcmp(word, "timestamp") == 0)
        l->timestamp = true;
    else if (strcmp(word, "merge") == 0 || strcmp(word, "merge-stderr-to-stdout") == 0)
        style->merged = true;
    else if ((value = value_of(word, "file=")))
        return set_names(l, style, value);
    else if ((value = value_of(word, "dir=")) || (value = value_of(word, "directory=")))
        return looks_set_folder(style, "--output dir=", value);
    else if (strchr(word, '=') || is_foreign(word))
        return say_usage("'%s' is no value for --output: it must be of tag, timestamp, merge, "
                         "dir=DIR and file=NAME, or a folder", word);
    else
        return looks_set_folder(style, "--output", word);
    return 0;
}

int looks_set_output(struct looks *l, struct output_style *style, char *text)
{
    char *word;
    int rc = 0;

    while (!rc && (word = strsep(&text, ",")))
        rc = set_word(l, style, word);
    return rc;
}

void looks_finish(struct looks *l, struct output_style *style)
{
    style->prefix = l->pattern;
    if (!l->tag && !l->timestamp)
        return;
    if (asprintf(&l->made[2], "%s%s%s", l->timestamp ? "%t " : "", l->tag ? "[%r] " : "",
                 l->pattern ? l->pattern : "") < 0)
        l->made[2] = NULL;
    style->prefix = need(l->made[2]);
}

void looks_free(struct looks *l)
{
    for (unsigned i = 0; i < sizeof l->made / sizeof *l->made; i++)
        free(l->made[i]);
    *l = (struct looks){ 0 };
}
