/* Loops over data, in which a sanitizer would look at each byte: it is told of all of them at once
 * instead, and a test that goes over megabytes takes a part of the time. */
#ifndef WATCHED_H
#define WATCHED_H

#include <stddef.h>

/* Of a function that reaches what it has told of, and what only the test has to do with. */
#define UNWATCHED __attribute__((no_sanitize("address", "thread", "undefined")))
/* Of what such functions and others call. */
#define IN_BOTH __attribute__((always_inline)) inline

/* As clang says it. */
#ifdef __has_feature
#if __has_feature(address_sanitizer) && !defined __SANITIZE_ADDRESS__
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined __SANITIZE_THREAD__
#define __SANITIZE_THREAD__ 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
void *__asan_region_is_poisoned(void *start, size_t bytes);
#endif
#ifdef __SANITIZE_THREAD__
void __tsan_read_range(void *start, long bytes);
void __tsan_write_range(void *start, long bytes);
#endif

/* The first byte that must not be reached is, and reported. */
static inline void all_reached(const void *start, size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
    const volatile char *bad = bytes ? __asan_region_is_poisoned((void *)start, bytes) : NULL;
    if (bad)
        (void)*bad;
#endif
    (void)start;
    (void)bytes;
}

static inline void all_read(const void *start, size_t bytes)
{
    all_reached(start, bytes);
#ifdef __SANITIZE_THREAD__
    __tsan_read_range((void *)start, (long)bytes);
#endif
}

static inline void all_written(void *start, size_t bytes)
{
    all_reached(start, bytes);
#ifdef __SANITIZE_THREAD__
    __tsan_write_range(start, (long)bytes);
#endif
}

#endif
