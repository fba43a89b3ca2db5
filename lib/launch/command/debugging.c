/* Debuggers and other programs around the ranks. */
#include "launch/command/debugging.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/findings.h"
#include "launch/base/say.h"
#include "nicemu/place.h"

enum { MASK = NIC_CPUS_MAX / 64 };

static int set_wrapper(struct debugging *d, const char *wrapper, const char *ranks)
{
    if (d->wrapper)
        return say_usage("ranks can be started under one other program only, not %s and %s",
                         d->wrapper, wrapper);
    if (!wrapper[strspn(wrapper, " ")])
        return say_usage("--wrapper needs a command");
    d->wrapper = wrapper;
    d->ranks = ranks ? ranks : d->ranks;
    return 0;
}

static int set_ranks(const char **place, const char *option, const char *list)
{
    uint64_t mask[MASK];

    if (list && nic_cpus_parse(list, mask, MASK))
        return say_usage("%s: '%s' is no list of ranks, as in 0,2-3", option, list);
    *place = list ? list : *place;
    return 0;
}

static int check_ranks(const char *list, unsigned long ranks)
{
    uint64_t mask[MASK] = { 0 };
    unsigned long last = NIC_CPUS_MAX;

    if (!list || nic_cpus_parse(list, mask, MASK))
        return 0;
    while (last && !(mask[(last - 1) / 64] >> (last - 1) % 64 & 1))
        last--;
    if (last > ranks)
        return say_usage("'%s': there is no rank %lu, the last one is %lu", list, last - 1,
                         ranks - 1);
    return 0;
}

int debugging_check_ranks(const struct debugging *d, unsigned long ranks)
{
    int rc = check_ranks(d->attach, ranks);

    return rc ? rc : check_ranks(d->ranks, ranks);
}

static int set_debugger(struct debugging *d, const char *command, const char *option,
                        const char *ranks)
{
    int rc = set_ranks(&d->ranks, option, ranks);

    d->interactive = true;
    return rc ? rc : set_wrapper(d, command, ranks);
}

static int set_check(struct debugging *d, const char *value)
{
    static const char *const known[] = { "1", CHECK_SYNC, CHECK_ERRORS,
                                         CHECK_SYNC "," CHECK_ERRORS };

    d->check = value;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(value, known[i]))
            return 0;
    return say_usage("'%s' is no value for --check: it must be 1, sync, errors, or sync,errors",
                     value);
}

int debugging_set(struct debugging *d, enum debugging_option option, const char *value)
{
    int rc = 0;

    switch (option) {
    case DEBUGGING_GDB: return set_debugger(d, "gdb --args", "--gdb", value);
    case DEBUGGING_LLDB: return set_debugger(d, "lldb --", "--lldb", value);
    case DEBUGGING_VALGRIND:
        rc = set_ranks(&d->ranks, "--valgrind", value);
        return rc ? rc : set_wrapper(d, "valgrind -q", value);
    case DEBUGGING_WRAPPER: return set_wrapper(d, value, NULL);
    case DEBUGGING_XTERM:
        d->xterm = true;
        return set_ranks(&d->ranks, "--xterm", value);
    case DEBUGGING_ATTACH: return set_ranks(&d->attach, "--attach", value);
    case DEBUGGING_STACKS: d->stacks = true; return 0;
    case DEBUGGING_CHECK: return set_check(d, value ? value : "1");
    case DEBUGGING_QUIT: d->pass_quit = true; return 0;
    }
    return rc;
}

/* A debugger talks to somebody: in a window, or at the terminal. */
static bool in_windows(const struct debugging *d)
{
    const char *display = getenv("DISPLAY");

    return d->xterm || (d->interactive && display && *display);
}

bool debugging_wraps(const struct debugging *d, unsigned rank, long stdin_rank)
{
    uint64_t mask[MASK] = { 0 };

    if (!d->wrapper && !d->xterm)
        return false;
    if (d->ranks)
        return !nic_cpus_parse(d->ranks, mask, MASK) && rank < NIC_CPUS_MAX
               && mask[rank / 64] >> rank % 64 & 1;
    return !d->interactive || in_windows(d) || (long)rank == stdin_rank;
}

bool debugging_is_synchronous(const struct debugging *d)
{
    const char *said = d->check ? d->check : getenv(CHECK_ENV);

    return findings_wants(said, CHECK_SYNC);
}

bool debugging_is_checked(const struct debugging *d)
{
    const char *said = d->check ? d->check : getenv(CHECK_ENV);

    return said && *said && strcmp(said, "0") && strcmp(said, "off");
}

/* Two for a window; each of the others has a byte, and a blank between. */
size_t debugging_words_most(const struct debugging *d)
{
    return 2 + (d->wrapper ? strlen(d->wrapper) : 0) / 2 + 1;
}

size_t debugging_words(const struct debugging *d, char **words, char **text)
{
    size_t count = 0;

    if (in_windows(d)) {
        words[count++] = (char *)"xterm";
        words[count++] = (char *)"-e";
    }
    *text = need(strdup(d->wrapper ? d->wrapper : ""));
    for (char *rest = *text, *word; (word = strsep(&rest, " "));)
        if (*word)
            words[count++] = word;
    return count;
}
