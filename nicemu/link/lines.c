/* Copies between a program's memory and the lines of an inbox.  A line is moved by as few loads and
 * stores as the processor has: one that the other end has in its cache is then asked for once. */
#include "link/lines.h"

#include <string.h>

enum { LINE = 64 };

/* Functions with these bodies move a line by copy_line.  The last line is the last so many bytes,
 * some of them for the second time; or what is left, see nic_line_copy. */
#define COPY_LINES(copy_line, to, from, bytes) do { \
    unsigned char *t = (to), *last = t + (bytes) - LINE; \
    const unsigned char *f = (from), *end = f + (bytes) - LINE; \
    for (; t < last; t += LINE, f += LINE) \
        copy_line(t, f); \
    copy_line(last, end); \
} while (0)
#define TAKE_LINES(copy_line, to, from, bytes) do { \
    unsigned char *t = (to); \
    const unsigned char *f = (from); \
    for (; bytes > LINE; bytes -= LINE, t += LINE, f += LINE) \
        copy_line(t, f); \
    nic_line_copy(t, f, bytes); \
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

__attribute__((target("avx512f"))) static void take_avx512(void *to, const void *from,
                                                           uint32_t bytes)
{
    TAKE_LINES(copy_whole, to, from, bytes);
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

__attribute__((target("avx2"))) static void take_avx2(void *to, const void *from, uint32_t bytes)
{
    TAKE_LINES(copy_halves, to, from, bytes);
}
#endif

static inline void copy_plain_line(void *to, const void *from) { memcpy(to, from, LINE); }

static void copy_plain(void *to, const void *from, uint32_t bytes)
{
    COPY_LINES(copy_plain_line, to, from, bytes);
}

static void take_plain(void *to, const void *from, uint32_t bytes)
{
    TAKE_LINES(copy_plain_line, to, from, bytes);
}

#if defined(__x86_64__)
/* The first not where wide registers slow the clock down: processors since then have these, too. */
#define BY_PROCESSOR(verb, to, from, bytes) \
    if (__builtin_cpu_supports("avx512vbmi2")) \
        verb##_avx512(to, from, bytes); \
    else if (__builtin_cpu_supports("avx2")) \
        verb##_avx2(to, from, bytes); \
    else \
        verb##_plain(to, from, bytes)
#else
#define BY_PROCESSOR(verb, to, from, bytes) verb##_plain(to, from, bytes)
#endif

void nic_lines_copy(void *to, const void *from, uint32_t bytes)
{
    BY_PROCESSOR(copy, to, from, bytes);
}

void nic_lines_take(void *to, const void *from, uint32_t bytes)
{
    BY_PROCESSOR(take, to, from, bytes);
}

#define ONE(n) case n: memcpy(to, from, n); return;
#define FOUR(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3)
#define SIXTEEN(n) FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12)

void nic_line_copy(void *to, const void *from, uint32_t bytes)
{
    switch (bytes) {
    SIXTEEN(0) SIXTEEN(16) SIXTEEN(32) SIXTEEN(48) ONE(64)
    }
}
