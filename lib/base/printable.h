/* Names that come from a program, on their way to a terminal: nothing in them may steer it. */
#ifndef LIB_PRINTABLE_H
#define LIB_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 sequence that begins here; 0: none does. */
static inline size_t printable_sequence(const unsigned char *s)
{
    size_t n = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    /* one that a shorter sequence has, half of a pair of UTF-16, or past the last there is */
    bool none = (*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] >= 0xa0)
        || (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] >= 0x90);
    return none ? 0 : n;
}

/* Bytes that begin a character which prints; 0: the first one is a control character, or none. */
static inline size_t printable_bytes(const unsigned char *s)
{
    size_t n = printable_sequence(s);
    return (n == 1 && (*s < 0x20 || *s == 0x7f)) || (n == 2 && *s == 0xc2 && s[1] < 0xa0) ? 0 : n;
}

/* Copies a string with control characters, but those in `keep`, as \x1b and the like, up to where
 * `to` is full, behind a whole character.  Returns what is left of it. */
static inline const char *printable_fill(char *to, size_t size, const char *from, const char *keep)
{
    const unsigned char *s = (const unsigned char *)from;
    size_t used = 0;
    for (size_t n, room; *s; s += n, used += room) {
        char one[8];
        n = *s < 0x80 && strchr(keep, *s) ? 1 : printable_bytes(s);
        if (n)
            memcpy(one, s, n);
        room = n ? n : (size_t)snprintf(one, sizeof one, "\\x%02x", *s);
        n = n ? n : 1;
        if (used + room >= size)
            break;
        memcpy(to + used, one, room);
    }
    if (size)
        to[used] = 0;
    return (const char *)s;
}

/* The same, cut there; or so that "..." ends what is cut.  Both return `to`. */
static inline char *printable(char *to, size_t size, const char *from, const char *keep)
{
    printable_fill(to, size, from, keep);
    return to;
}

static inline char *printable_short(char *to, size_t size, const char *from)
{
    if (*printable_fill(to, size, from, "") && size >= sizeof "...") {
        printable_fill(to, size + 1 - sizeof "...", from, "");
        strcat(to, "...");
    }
    return to;
}

#endif
