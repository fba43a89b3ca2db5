/* What every unit test starts with: the check library, tests that say their names, and a runner
 * with a time limit. */
#ifndef SUITE_H
#define SUITE_H

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif
#include <time.h>
#include <unistd.h>

enum { SUITE_LIMIT_S = 120 };

static inline unsigned suite_number(const char *variable, unsigned usual)
{
    const char *text = getenv(variable);

    return text && atoi(text) > 0 ? (unsigned)atoi(text) : usual;
}

/* Kills this process if it takes too long from now on, which only a hang does: each test begins
 * with that, and so must each process that a test forks, since timers are not inherited.  No
 * alarm(): check answers SIGALRM by killing its process group, and that is make's, where tests
 * are not forked.  Nor any other handler: a thread sanitizer may put it off for ever. */
static inline void suite_limit(void)
{
    static timer_t timer;
    static pid_t owner;
    struct sigevent kill = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
    struct itimerspec end = { .it_value.tv_sec = suite_number("TEST_LIMIT", SUITE_LIMIT_S) };

    end.it_value.tv_sec *= suite_number("TEST_TIMEOUT_SCALE", 1);
    if (owner != getpid() && timer_create(CLOCK_MONOTONIC, &kill, &timer))
        abort();
    owner = getpid();
    if (timer_settime(timer, 0, &end, NULL))
        abort();
}

/* The test says its name, unbuffered, before its first statement: whatever ends the program, a
 * time limit or a crash, the name that stands last in the log is that of the test at fault.  `i`
 * counts in tests that loop. */
static inline void suite_begin(const char *test, int i)
{
    fprintf(stderr, "%s %d\n", test, i);
    suite_limit();
}

/* As check's own, with the name said. */
#undef START_TEST
#define START_TEST(test) \
    static void test##_body(int _i); \
    static void test##_fn(int _i) { suite_begin(#test, _i); test##_body(_i); } \
    static const TTest test##_ttest = { #test, test##_fn, __FILE__, __LINE__ }; \
    static const TTest *const test = &test##_ttest; \
    static void test##_body(int _i CK_ATTRIBUTE_UNUSED)

/* Runs the suite in this process and returns what main returns. */
static inline int suite_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_limit();
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* What main returns where no test may start a thread, given what it would return otherwise: the
 * suite is left out under the thread sanitizer, for which it takes long, and which has nothing to
 * find there. */
static inline int suite_single(int result)
{
#if defined(_SYS_SINGLE_THREADED_H) && !defined(__SANITIZE_THREAD__)
    if (!__libc_single_threaded) {
        fprintf(stderr, "a thread was started, and the suite says that it needs none\n");
        return EXIT_FAILURE;
    }
#endif
    return result;
}

#endif
