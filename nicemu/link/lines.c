/* Copies between a program's memory and the lines of an inbox.  A line is moved by as few loads and
 * stores as the processor has: one that the other end has in its cache is then asked for once. */
#include "link/lines.h"

#include <string.h>

enum { LINE = 64 };

/* A function with this body moves a line by copy_line.  The last line is the last so many bytes,
 * some of them for the second time. */
#define COPY_LINES(copy_line, to, from, bytes) do { \
    unsigned char *t = (to), *last = t + (bytes) - LINE; \
    const unsigned char *f = (from), *end = f + (bytes) - LINE; \
    for (; t < last; t += LINE, f += LINE) \
        copy_line(t, f); \
    copy_line(last, end); \
} while (0)

#if defined(__x86_64__)
typedef long long whole __attribute__((vector_size(64), aligned(1), may_alias));
typedef long long half __attribute__((vector_size(32), aligned(1), may_alias));

__attribute__((target("avx512f"))) static inline void copy_whole(void *to, const void *from)
{
    *(whole *)to = *(const whole *)from;
}

__attribute__((target("avx512f"))) static void copy_avx512(void *to, const void *from,
                                                           uint32_t bytes)
{
    COPY_LINES(copy_whole, to, from, bytes);
}

__attribute__((target("avx2"))) static inline void copy_halves(void *to, const void *from)
{
    half first = ((const half *)from)[0], second = ((const half *)from)[1];
    ((half *)to)[0] = first;
    ((half *)to)[1] = second;
}

__attribute__((target("avx2"))) static void copy_avx2(void *to, const void *from, uint32_t bytes)
{
    COPY_LINES(copy_halves, to, from, bytes);
}
#endif

static inline void copy_plain_line(void *to, const void *from) { memcpy(to, from, LINE); }

static void copy_plain(void *to, const void *from, uint32_t bytes)
{
    COPY_LINES(copy_plain_line, to, from, bytes);
}

void nic_lines_copy(void *to, const void *from, uint32_t bytes)
{
#if defined(__x86_64__)
    /* not where wide registers slow the clock down: processors since then have these, too */
    if (__builtin_cpu_supports("avx512vbmi2")) {
        copy_avx512(to, from, bytes);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        copy_avx2(to, from, bytes);
        return;
    }
#endif
    copy_plain(to, from, bytes);
}
