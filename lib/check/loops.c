/* How long a thread has done nothing but ask in vain, by the wall clock and by its own. */
#include "check/loops.h"

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "check/caller.h"
#include "check/report.h"
#include "mpi/door.h"

/* Of one that computes between two looks nothing is said: OUTSIDE_NS is what a loop itself takes,
 * and what reading the clock does. */
enum { LOOKS_PER_TIME = 16, MEASURED = 64, OUTSIDE_NS = 2000, SECOND = 1000 * 1000 * 1000 };

static _Thread_local struct {
    uint64_t since;             /* of the first look; 0: there was none */
    unsigned looks;
    bool measures;              /* what the thread does between looks */
    uint64_t left, outside;     /* of this thread's time: when it left, and what it was away */
    unsigned measured;
} streak;

static uint64_t now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

void check_loops_enter(void)
{
    if (streak.measures && streak.left) {
        streak.outside += now(CLOCK_THREAD_CPUTIME_ID) - streak.left;
        streak.measured++;
    }
}

void check_loops_leave(bool fruitless)
{
    if (!fruitless && streak.since)
        streak.since = streak.looks = streak.measures = 0;
    streak.left = streak.measures ? now(CLOCK_THREAD_CPUTIME_ID) : 0;
}

void check_loops_clock(void)
{
    if (!check_is_inside())
        streak.since = streak.looks = streak.measures = 0;
}

static void measure(void)
{
    streak.measures = true;
    streak.left = streak.outside = streak.measured = 0;
}

/* True now and then, when there is nothing else that the thread seems to live for. */
static bool is_endless(void)
{
    check_fruitless();
    if (streak.looks++ % LOOKS_PER_TIME && streak.since)
        return false;
    uint64_t time = now(CLOCK_MONOTONIC);
    if (!streak.since)
        streak.since = time;
    if (!streak.measures && time - streak.since > SECOND)
        measure();
    if (!streak.measures || streak.measured < MEASURED)
        return false;
    bool endless = streak.outside / streak.measured < OUTSIDE_NS;
    measure();
    return endless;
}

/* "MPI_Test again and again at solver.c:12 (solver+0x11e9)" */
static const char *loop(char *text, size_t size)
{
    char place[CHECK_PLACE_BYTES];

    snprintf(text, size, "%s again and again at %s", check_name(),
             check_place(check_caller(), place, sizeof place));
    return text;
}

void check_loops_requests(int count, const MPI_Request *requests, bool any)
{
    char text[CHECK_PLACE_BYTES + 64];

    if (is_endless() && !mpi_door.nic_modelled(mpi_door.nic()))
        mpi_door.stand_requests(loop(text, sizeof text), count, requests, any);
}

void check_loops_probe(int source, int tag, MPI_Comm comm)
{
    char text[CHECK_PLACE_BYTES + 64];

    if (is_endless() && !mpi_door.nic_modelled(mpi_door.nic()))
        mpi_door.stand_probe(loop(text, sizeof text), source, tag, comm);
}
