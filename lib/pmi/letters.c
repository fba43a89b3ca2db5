/* Bytes as letters: three as four characters of six bits each. */
#include "pmi/letters.h"

#include <stdint.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void mpi_pmi_letters_write(char *text, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    uint32_t bits = 0;
    unsigned have = 0;
    for (size_t i = 0; i < bytes; i++) {
        bits = bits << 8 | from[i];
        for (have += 8; have >= 6; have -= 6)
            *text++ = letters[bits >> (have - 6) & 63];
    }
    if (have)
        *text++ = letters[bits << (6 - have) & 63];
    *text = 0;
}

ssize_t mpi_pmi_letters_read(const char *text, void *data, size_t room)
{
    unsigned char *to = data;
    uint32_t bits = 0;
    unsigned have = 0;
    size_t bytes = 0;
    for (; *text; text++) {
        const char *letter = strchr(letters, *text);
        if (!letter)
            return -1;
        bits = bits << 6 | (uint32_t)(letter - letters);
        have += 6;
        if (have < 8)
            continue;
        if (bytes == room)
            return -1;
        have -= 8;
        to[bytes++] = (unsigned char)(bits >> have);
    }
    return (ssize_t)bytes;
}
