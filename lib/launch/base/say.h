/* What the launcher itself says, and memory that it cannot do without. */
#ifndef LAUNCH_SAY_H
#define LAUNCH_SAY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes of the launcher's own, as the shell, env(1) and timeout(1) have them. */
enum { EXIT_USAGE = 2, EXIT_TIMEOUT = 124, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127,
       EXIT_SIGNAL = 128 };

/* One line "mpirun: ..." on standard error, written in one piece so that it is not torn. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with a hint to --help; returns EXIT_USAGE for the caller to return. */
int say_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same as say, kept until it is known whether anybody wants to read it; say_usage says it
 * first. */
void say_later(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_kept(bool wanted);

/* Writes all bytes, waiting as long as it takes; 0 or -errno. */
int write_all(int fd, const char *data, size_t size);

/* Makes a file of this; 0 or -errno. */
int write_whole(const char *path, const char *data, size_t size);

/* Whether a file that is to be written in the end can be opened; what is in it stays.  0, or an
 * exit code, and the reason is said. */
int try_file(const char *path);

/* Writes to standard error, on which somebody asked for this; waits for who reads there. */
void say_text(const char *text, size_t size);

/* Somebody else has written there, and this byte last: what is said next begins a line. */
void say_behind(char last);

/* From that time on that is not waited for for long; nor is it, at any time, while a signal is
 * pending that is to end this program.  0: there is no such time. */
void say_hurry(int64_t from);

/* "WHAT: why" behind "cannot write". */
void say_unwritten(const char *what, int error);

/* Text for an errno that a write has brought. */
const char *write_error(int error);

/* Of what was printed to `out` since errno was set to 0: 0, or the errno for which some of it got
 * lost, even if that was not the last. */
int print_error(FILE *out);

/* 0, or the errno for which something that was to be said here got lost. */
int say_error(void);

/* The memory itself; ends the program if it is NULL. */
void *need(void *memory);

/* Monotonic nanoseconds. */
int64_t now_ns(void);

#define MS_NS INT64_C(1000000)

#endif
