/* Instructions of x86-64 whose result does not depend on registers and memory alone. */
#include "check/external.h"

static bool is_prefix(unsigned char c)
{
    return c == 0x66 || c == 0x67 || c == 0xf0 || c == 0xf2 || c == 0xf3 || c == 0x2e || c == 0x36
           || c == 0x3e || c == 0x26 || c == 0x64 || c == 0x65 || (c & 0xf0) == 0x40;
}

/* Behind 0x0f.  With registers only, 0x0f 0xc7 is rdrand, rdseed and rdpid, 0x0f 0xae waits, or is
 * a fence, if there is no prefix. */
static bool is_external_2(const unsigned char *c, bool prefixed)
{
    bool registers = c[1] >= 0xc0;
    unsigned which = c[1] >> 3 & 7;

    switch (c[0]) {
    case 0x05: case 0x34:                       /* syscall, sysenter */
    case 0x31: case 0x33: case 0xa2:            /* rdtsc, rdpmc, cpuid */
        return true;
    case 0x01: return c[1] == 0xf9 || c[1] == 0xfd;     /* rdtscp, rdpru */
    case 0xc7: return registers && which >= 6;
    case 0xae: return registers && which == 6 && prefixed;      /* tpause, umwait */
    }
    return false;
}

bool check_is_external(const unsigned char *c)
{
    const unsigned char *begin = c;

    while (is_prefix(*c))
        c++;
    if (*c == 0x0f)
        return is_external_2(c + 1, c > begin);
    return *c == 0xcd || *c == 0xcc             /* int */
           || (*c >= 0xe4 && *c <= 0xe7) || (*c >= 0xec && *c <= 0xef)      /* in, out */
           || (*c >= 0x6c && *c <= 0x6f);
}
