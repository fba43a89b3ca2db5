#include "launch/report/script.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { WORD_SIZE = 4096 };

/* Whether that name is in a list of names. */
static bool is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(*list, name) != 0)
        list++;
    return *list;
}

static bool is_shell(const char *program)
{
    static const char *const shells[] = { "sh", "bash", "dash", "ksh", "zsh", "busybox", NULL };
    const char *folder = strrchr(program, '/');

    return is_one_of(folder ? folder + 1 : program, shells);
}

/* The script, behind which its arguments come; NULL: there is none. */
static char *const *find_script(char *const *argv)
{
    if (!argv[0] || !is_shell(argv[0]))
        return NULL;
    for (argv++; *argv && (*argv)[0] == '-'; argv++)
        if ((*argv)[1] != '-' && strchr(*argv, 'c'))
            return argv[1] ? argv + 1 : NULL;
    return NULL;
}

/* The command comes behind it: keywords, programs that start others, NAME=VALUE. */
static bool goes_on(const char *word)
{
    static const char *const words[] = { "if", "then", "elif", "else", "while", "until", "do", "!",
                                         "time", "exec", "command", "env", "nice", "nohup", NULL };

    return is_one_of(word, words) || (isalpha((unsigned char)*word) && strchr(word, '='));
}

/* Takes a word off the text, without its quotes; empty: there is none. */
static const char *take_word(const char *text, char *word)
{
    size_t used = 0;

    for (char quote = 0; *text && (quote || !strchr(" \t\n;&|(){}`<>", *text)); text++)
        if (*text == quote)
            quote = 0;
        else if (!quote && (*text == '\'' || *text == '"'))
            quote = *text;
        else if (used < WORD_SIZE - 1)
            word[used++] = *text;
    word[used] = 0;
    return text;
}

/* What the word is, if it is one of the script's arguments. */
static const char *expand(const char *word, char *const *script)
{
    size_t number = strcmp(word, "$@") == 0 ? 1 : (size_t)(word[0] == '$' ? word[1] - '0' : 10);

    if (word[0] != '$' || number > 9 || (word[1] != '@' && word[2]))
        return word;
    for (size_t i = 0; i <= number; i++)
        if (!script[i])
            return "";
    return script[number + 1] ? script[number + 1] : "";
}

bool script_commands(char *const *argv, script_fn *fn, void *context)
{
    char *const *script = find_script(argv);
    const char *text = script ? *script : "";
    char word[WORD_SIZE];

    for (bool command = true; *text;) {
        const char *end = take_word(text, word);
        if (*word && command && fn(expand(word, script), context))
            return true;
        if (*word)
            command = command && goes_on(word);
        else if (end == text && *text && strchr("\n;&|(){}`", *text))
            command = true;
        text = end == text ? text + 1 : end;
    }
    return false;
}
