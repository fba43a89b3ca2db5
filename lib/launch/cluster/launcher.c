/* What launchers ask of a command of ours. */
#include "launch/cluster/launcher.h"
#include "launch/base/say.h"

#include <stdio.h>
#include <stdlib.h>

unsigned launcher_ranks(const struct options *o, const struct app *app)
{
    unsigned slots = 0;

    if (app->ranks)
        return app->ranks;
    for (unsigned i = 0; i < o->hosts.count; i++)
        slots += app->per_node ? app->per_node : o->hosts.host[i].slots ? o->hosts.host[i].slots
                 : 1;
    return o->apps == 1 ? slots : 1;
}

long long launcher_seconds(const struct options *o)
{
    return (o->timeout_ns + 999 * MS_NS) / (1000 * MS_NS);
}

void launcher_add_hosts(struct words *words, const struct options *o, bool slots)
{
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));

    for (unsigned i = 0; i < o->hosts.count; i++) {
        const struct host *h = &o->hosts.host[i];
        fprintf(out, "%s%s", i ? "," : "", h->name);
        if (slots && h->slots)
            fprintf(out, ":%u", h->slots);
    }
    fclose(out);
    words_add(words, need(text));
    free(text);
}
