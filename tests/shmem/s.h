/* What every SHMEM test needs.  A test prints nothing when all is right. */
#ifndef S_H
#define S_H

#include <shmem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, n;

__attribute__((noreturn, format(printf, 3, 4)))
static inline void s_fail(const char *file, int line, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "%s:%d: PE %d of %d: %s\n", file, line, me, n, text);
    shmem_global_exit(1);
    exit(1);
}

#define CHECK(condition) \
    do { \
        if (!(condition)) \
            s_fail(__FILE__, __LINE__, "%s is false", #condition); \
    } while (0)

#define SAME(got, want) \
    do { \
        long long got_ = (long long)(got), want_ = (long long)(want); \
        if (got_ != want_) \
            s_fail(__FILE__, __LINE__, "%s is %lld, should be %s = %lld", #got, got_, #want, \
                   want_); \
    } while (0)

/* The variant of a run: "packet": no memory of others is mapped; "private": the heap is no memory
 * of the job. */
static inline void s_variant(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "packet"))
        setenv("NICEMU_REMOTE", "packet", 1);
    if (argc > 1 && !strcmp(argv[1], "private"))
        setenv("SHMEM_SYMMETRIC_SIZE", "5000m", 1);
}

static inline void s_start(int argc, char **argv)
{
    s_variant(argc, argv);
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
}

static inline int s_end(void)
{
    shmem_finalize();
    return 0;
}

/* The same numbers at each PE, from a seed. */
static inline unsigned s_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

#endif
