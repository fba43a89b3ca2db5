/* See wire/address.h.  The name stands last, between two null characters. */
#define _GNU_SOURCE
#include "wire/address.h"

#include <string.h>
#include <unistd.h>

enum { HOST_MAX = 64 };

size_t nic_address_add_host(unsigned char *address, size_t bytes, size_t room)
{
    char host[HOST_MAX + 1] = "";
    if (gethostname(host, HOST_MAX) < 0)
        return bytes;
    size_t length = strlen(host);
    if (!length || bytes + length + 2 > room)
        return bytes;
    address[bytes] = 0;
    memcpy(address + bytes + 1, host, length + 1);
    return bytes + length + 2;
}

const char *nic_address_host(const unsigned char *address, size_t bytes)
{
    size_t at = bytes ? bytes - 1 : 0;
    if (!bytes || address[at])
        return NULL;
    while (at && address[at - 1] > ' ' && address[at - 1] < 127 && bytes - at <= HOST_MAX)
        at--;
    return at && !address[at - 1] && address[at] ? (const char *)address + at : NULL;
}
