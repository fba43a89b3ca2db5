/* Making text safe to print: no byte of it may mean anything to a terminal. */
#include "base/text.h"

#include <stdint.h>

/* Bytes of a character in UTF-8 that begins with this one; 0: none does. */
static unsigned length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    return first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

/* The character, or 0 if it is cut short.  The terminating 0 is no continuation, so nothing behind
 * it is read. */
static uint32_t decode(const unsigned char *at, unsigned length)
{
    uint32_t c = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (unsigned i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (at[i] & 0x3f);
    }
    return c;
}

/* Neither a control character nor a byte order, a direction or a surrogate; and not in more bytes
 * than it needs. */
static int is_printable(uint32_t c, unsigned length)
{
    static const uint32_t least[] = { 0, 0x20, 0xa0, 0x800, 0x10000 };
    if (!length || c < least[length] || c == 0x7f || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    if ((c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e))
        return 0;
    return !(c >= 0x2060 && c <= 0x206f) && c != 0xfeff;
}

void nic_text_make_plain(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at;) {
        unsigned length = length_of(*at);
        if (is_printable(length ? decode(at, length) : 0, length))
            at += length;
        else
            *at++ = '?';
    }
}
