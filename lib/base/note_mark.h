/* What stands behind the text of a rank's note (nicemu/job.h) if the rank waits in a collective:
 * which one, and what it called there, so that who reads all notes sees that ranks disagree.
 * Two communicators may have the same context if they share no rank: their first ranks tell them
 * apart.  Each counts its collectives: calls with the same number belong together. */
#ifndef LIB_NOTE_MARK_H
#define LIB_NOTE_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct note_mark {
    uint32_t context, first, number;    /* first: of the communicator's ranks, in the job */
    uint32_t kind, root;                /* of the call; root: or what else tells it apart */
    uint64_t bytes;
};

/* The whole note of a rank that exits, with MPI_Finalize called or not needed, but with sessions
 * open. */
#define NOTE_SESSIONS_OPEN "exits with a session open"

/* Where there is no room the text stays as it is. */
static inline void note_mark_add(char *text, size_t size, const struct note_mark *m)
{
    char mark[96];
    size_t used = strlen(text);
    int n = snprintf(mark, sizeof mark, " #%x.%x.%x.%x.%x.%llx", m->context, m->first, m->number,
                     m->kind, m->root, (unsigned long long)m->bytes);
    if (used + (size_t)n < size)
        memcpy(text + used, mark, (size_t)n + 1);
}

/* Takes it off the text; false: there was none. */
static inline bool note_mark_take(char *text, struct note_mark *m)
{
    char *at = strrchr(text, '#');
    unsigned long long bytes;
    int end = 0;
    if (!at || at == text || at[-1] != ' '
        || sscanf(at, "#%x.%x.%x.%x.%x.%llx%n", &m->context, &m->first, &m->number, &m->kind,
                  &m->root, &bytes, &end) != 6 || at[end])
        return false;
    m->bytes = bytes;
    at[-1] = 0;
    return true;
}

static inline bool note_marks_same(const struct note_mark *a, const struct note_mark *b)
{
    return a->context == b->context && a->first == b->first && a->number == b->number
           && a->kind == b->kind && a->root == b->root && a->bytes == b->bytes;
}

/* "MPI_Wait: MPI_Ibarrier(...)" */
static inline bool note_is_of_request(const char *text)
{
    const char *colon = strchr(text, ':');
    return colon && colon < text + strcspn(text, "(");
}

/* In what two ranks disagree, by their marks and by what the notes say before them; NULL: they do
 * not, as far as can be seen. */
static inline const char *note_marks_differ(const struct note_mark *a, const struct note_mark *b,
                                            const char *text_a, const char *text_b)
{
    bool same_one = a->context == b->context && a->first == b->first && a->number == b->number;
    size_t name = strcspn(text_a, "(");
    if (!same_one || strcmp(text_a, text_b) == 0)
        return NULL;
    if (a->kind != b->kind)
        return "different collectives";
    if (a->root == b->root && a->bytes == b->bytes)
        return note_is_of_request(text_a) == note_is_of_request(text_b) ? NULL
               : "a blocking collective and a non-blocking one, which do not match";
    if (name != strcspn(text_b, "(") || strncmp(text_a, text_b, name) != 0)
        return "different collectives";
    return a->root != b->root ? "a collective with different roots"
                              : "a collective with different lengths";
}

#endif
