/* What the launcher itself says, and memory that it cannot do without. */
#ifndef LAUNCH_SAY_H
#define LAUNCH_SAY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes of the launcher's own, as the shell, env(1) and timeout(1) have them. */
enum { EXIT_USAGE = 2, EXIT_TIMEOUT = 124, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127, EXIT_SIGNAL = 128 };

/* One line "mpirun: ..." on standard error, written in one piece so that it is not torn. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with a hint to --help; returns EXIT_USAGE for the caller to return. */
int say_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes all bytes, waiting as long as it takes; 0 or -errno. */
int write_all(int fd, const char *data, size_t size);

/* The memory itself; ends the program if it is NULL. */
void *need(void *memory);

/* Monotonic nanoseconds. */
int64_t now_ns(void);

#define MS_NS INT64_C(1000000)

#endif
