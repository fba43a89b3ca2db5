/* How long a thread has done nothing but ask in vain. */
#include "check/loops.h"

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "check/caller.h"
#include "check/repeat.h"
#include "check/report.h"
#include "mpi/door.h"

/* How often it is tried to prove that a loop repeats itself: what is in the way may pass. */
enum { LOOKS_PER_TIME = 16, SECOND = 1000 * 1000 * 1000, PAUSE = SECOND / 50 };

static _Thread_local struct {
    uint64_t since;             /* of the first look; 0: there was none */
    unsigned looks;
    uint64_t next, pause;       /* when it is tried again, and how long after that */
} streak;

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

void check_loops_leave(bool fruitless)
{
    if (!fruitless && streak.since)
        streak.since = streak.looks = 0;
}

void check_loops_clock(void)
{
    if (!check_is_inside()) {
        streak.since = streak.looks = 0;
        check_repeat_stop();
    }
}

/* True now and then, when the program can do nothing else any more, unless the NIC has moved
 * something since. */
static bool is_endless(uint64_t *since)
{
    check_fruitless();
    if (check_repeat_is_proved(since)) {
        /* At once again, or ranks that loop hardly ever stand together: where they share a core
         * each look is a turn of all. */
        streak.next = streak.looks = 0;
        streak.pause = PAUSE;
        return true;
    }
    if (streak.looks++ % LOOKS_PER_TIME && streak.since)
        return false;
    uint64_t time = now();
    if (!streak.since) {
        streak.since = time;
        streak.next = time + SECOND;
        streak.pause = PAUSE;
    }
    if (time >= streak.next) {
        check_repeat_try();
        streak.next = time + streak.pause;
        streak.pause *= streak.pause < 2u * SECOND ? 2 : 1;
    }
    return false;
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
    uint64_t since;

    if (is_endless(&since) && !mpi_door.nic_modelled(mpi_door.nic()))
        mpi_door.stand_requests(loop(text, sizeof text), count, requests, any, since);
}

void check_loops_probe(int source, int tag, MPI_Comm comm)
{
    char text[CHECK_PLACE_BYTES + 64];
    uint64_t since;

    if (is_endless(&since) && !mpi_door.nic_modelled(mpi_door.nic()))
        mpi_door.stand_probe(loop(text, sizeof text), source, tag, comm, since);
}
