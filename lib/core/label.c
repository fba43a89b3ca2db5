/* Naming communicators in messages. */
#define _GNU_SOURCE
#include "core/label.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/object.h"
#include "base/outside.h"
#include "base/printable.h"

/* The end of a long label tells more than its beginning. */
static void shorten(char *to, size_t size, const char *from)
{
    size_t bytes = strlen(from);
    if (bytes < size) {
        memcpy(to, from, bytes + 1);
        return;
    }
    from += bytes - size + sizeof "...";
    while ((*from & 0xc0) == 0x80)      /* not in the middle of a character */
        from++;
    snprintf(to, size, "...%s", from);
}

void mpi_label_made(struct mpi_comm *c, const struct mpi_comm *parent, enum mpi_maker maker,
                    unsigned ordinal, int which)
{
    static const char *const words[MPI_MAKERS] = {
        "dup", "split", "create", "inter", "merge", "idup", "cart", "sub", "graph", "dist_graph",
        "group", "window", "lock",
    };
    char of[MPI_LABEL_BYTES], text[2 * MPI_LABEL_BYTES];
    int n = snprintf(text, sizeof text, "%s %s #%u", mpi_label(parent, of), words[maker], ordinal);
    if (maker == MPI_MADE_GROUP)        /* the ranks have not counted alike */
        snprintf(text, sizeof text, "%s group, tag %d", of, which);
    if (maker == MPI_MADE_SPLIT)
        snprintf(text + n, sizeof text - (size_t)n, ", color %d", which);
    if (maker == MPI_MADE_CREATE || maker == MPI_MADE_SUB)
        snprintf(text + n, sizeof text - (size_t)n, ", first rank %d", which);
    shorten(c->made, sizeof c->made, text);
}

void mpi_label_bridge(struct mpi_comm *c, int first, int second)
{
    snprintf(c->made, sizeof c->made, "intercommunicator of leaders %d and %d", first, second);
}

const char *mpi_label(const struct mpi_comm *c, char text[MPI_LABEL_BYTES])
{
    c = c && c->part_of ? c->part_of : c;
    if (c && c->name[0])
        return printable_short(text, MPI_NAME_SHOWN + 1, c->name);
    snprintf(text, MPI_LABEL_BYTES, "%s", c && c->made[0] ? c->made : "a communicator");
    return text;
}

/* -- where it was made */

static _Thread_local const void *made_at;

void mpi_label_made_at(const void *caller) { made_at = caller; }

const void *mpi_label_maker(const void *caller) { return made_at ? made_at : mpi_outside(caller); }

const void *mpi_label_place(const struct mpi_comm *c)
{
    c = c && c->part_of ? c->part_of : c;
    return c && !c->name[0] ? c->maker : NULL;
}

const char *mpi_label_long(const struct mpi_comm *c, char *text, size_t size)
{
    c = c && c->part_of ? c->part_of : c;
    if (c && c->name[0])
        return printable_short(text, size, c->name);
    int n = snprintf(text, size, "%s", c && c->made[0] ? c->made : "a communicator");
    uintptr_t address = c ? (uintptr_t)c->maker - 1 : 0;    /* in the call, not behind it */
    Dl_info object;
    if (!c || !c->maker || n < 0 || (size_t)n >= size || !dladdr((void *)address, &object))
        return text;
    const char *name = *object.dli_fname ? object.dli_fname : program_invocation_short_name;
    const char *folder = strrchr(name, '/');
    char file[MPI_LABEL_BYTES];
    snprintf(text + n, size - (size_t)n, ", made at %s+0x%zx",
             printable(file, sizeof file, folder ? folder + 1 : name, ""),
             (size_t)(address - mpi_object_base(&object)));
    return text;
}
