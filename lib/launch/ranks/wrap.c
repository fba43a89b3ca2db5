/* A debugger or a tool that is started as the rank, and starts the program. */
#include "launch/ranks/wrap.h"

#include <stdlib.h>

#include "launch/base/program.h"
#include "launch/base/say.h"

int wrap_make(struct wrap *wrap, const struct options *o, const struct app *app,
              const char *program, const char *folders)
{
    const struct debugging *d = &o->debugging;
    size_t count = 0, arguments = 0;

    *wrap = (struct wrap){ 0 };
    if (!d->wrapper && !d->xterm)
        return 0;
    while (app->argv[arguments])
        arguments++;
    const size_t most = debugging_words_most(d);
    wrap->argv = need(calloc(most + arguments + 1, sizeof *wrap->argv));
    count = debugging_words(d, wrap->argv, &wrap->text);
    wrap->argv[count++] = (char *)program;
    for (size_t i = 1; i < arguments; i++)
        wrap->argv[count++] = app->argv[i];
    return program_find(wrap->argv[0], app->dir, folders, &wrap->path);
}

void wrap_free(struct wrap *wrap)
{
    free(wrap->path);
    free(wrap->argv);
    free(wrap->text);
    *wrap = (struct wrap){ 0 };
}
