/* The options --explain and --explain-file. */
#include "launch/command/explanation.h"
#include "nicemu/explain.h"
#include "launch/base/say.h"

#include <errno.h>
#include <stdlib.h>

int explain_set_most(struct explain *e, const char *text)
{
    char *end;
    long n = EXPLAIN_MOST;

    errno = 0;
    if (text) {
        n = strtol(text, &end, 10);
        if (end == text || *end || errno || n < 1 || n > NIC_EXPLAIN_MAX)
            return say_usage("'%s' is no value for --explain: it must be a number of messages "
                             "from 1 to %d", text, NIC_EXPLAIN_MAX);
    }
    e->most = (unsigned)n;
    e->table = true;
    return 0;
}

int explain_set_file(struct explain *e, const char *text)
{
    if (!*text)
        return say_usage("--explain-file needs the name of a file");
    e->file = text;
    return 0;
}

int explain_try_file(const struct explain *e)
{
    return e->file ? try_file(e->file) : 0;
}
