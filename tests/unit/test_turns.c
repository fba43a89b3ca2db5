/* Between a host and its NIC's thread: what comes while one goes away and the other is inside is
 * not left undone.  The link's functions are replaced by ones that stop, or let something
 * happen, at the moment that counts. */
#include <sys/syscall.h>

#include "counting.h"

static const struct nic_link_ops *sound;
static struct nic_link_ops hooked;

static void hook(struct nic *nic)
{
    sound = nic->link;
    hooked = *sound;
}

/* -- the thread's turn, stopped in its middle */

static _Atomic int stop, stopped;

static bool stopping_poll(struct nic *nic)
{
    if (nic_on_thread(nic) && atomic_load(&stop)) {
        atomic_store(&stopped, 1);
        while (atomic_load(&stop))
            sched_yield();
    }
    return sound->poll(nic);
}

/* -- a host that waits for a command, and is known to sleep */

static _Atomic int sleeper_id, looked;
static _Atomic unsigned long executed;

static bool looking_coming(const struct nic *nic)
{
    if (syscall(SYS_gettid) == atomic_load(&sleeper_id))
        atomic_store(&looked, 1);
    return sound->coming(nic);
}

static void *waits_for_command(void *argument)
{
    struct nic_wait w = { 0 };

    atomic_store(&sleeper_id, (int)syscall(SYS_gettid));
    nic_enter(looked_at.nic);
    while (!looked_at.commands)
        nic_wait_turn(looked_at.nic, &w);
    nic_leave(looked_at.nic);
    atomic_store(&executed, 1);
    return argument;
}

static char state_of(int thread)
{
    char path[64], state = 0;

    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *f = fopen(path, "r");
    must(f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1);
    fclose(f);
    return state;
}

/* The host sleeps, the thread is inside, and another host leaves a command to the latter: when
 * that turn is finished nobody but the thread can ring. */
START_TEST(thread_rings_the_host)
{
    pthread_t thread;
    const struct nic_command c = { .op = 0, .arg = 0, .object = &looked_at.next[0] };

    open_both(_i);
    share(looked_at.nic);
    atomic_store(&looked, 0);
    atomic_store(&stopped, 0);
    atomic_store(&executed, 0);
    hook(looked_at.nic);
    hooked.poll = stopping_poll;
    hooked.coming = looking_coming;
    nic_enter(looked_at.nic);
    looked_at.nic->link = &hooked;
    nic_leave(looked_at.nic);
    run_threads(waits_for_command, 1, &thread);
    while (!atomic_load(&looked) || state_of(atomic_load(&sleeper_id)) != 'S')
        usleep(100);
    atomic_store(&stop, 1);
    while (!atomic_load(&stopped))
        usleep(100);
    nic_submit(looked_at.nic, &c);
    atomic_store(&stop, 0);
    wait_for(&executed, 1);
    join_threads(1, &thread);
    close_both();
}
END_TEST

/* -- between the last look and the departure */

static uint64_t thread_sleeps(const struct nic *n)
{
    return __atomic_load_n(&n->stats.value[NIC_STAT_thread_sleeps], __ATOMIC_RELAXED);
}

/* The host, still inside, finds nothing; then a packet comes, whose sender rings the thread,
 * which finds the host inside and goes to sleep again, before the host is gone. */
static bool ready_before_packet(const struct nic *nic)
{
    bool ready = sound->ready(nic);

    if (ready || nic_on_thread(nic) || !atomic_exchange(&stop, 0))
        return ready;
    uint64_t slept = thread_sleeps(nic);
    must(!send_empty(0, true));
    while (thread_sleeps(nic) == slept)
        usleep(100);
    return false;
}

START_TEST(packet_before_departure)
{
    open_both(_i);
    hook(looked_at.nic);
    hooked.ready = ready_before_packet;
    nic_enter(looked_at.nic);
    nic_hold_service(looked_at.nic, 1);
    nic_leave(looked_at.nic);
    /* Nobody looks while the thread stands back, as it does when a departure has rung it; then once
     * more. */
    do {
        atomic_store(&stop, 0);
        while (!atomic_load(&looked_at.nic->thread_asleep))
            usleep(100);
        nic_enter(looked_at.nic);
        looked_at.nic->link = &hooked;
        atomic_store(&stop, 1);
        nic_leave(looked_at.nic);
    } while (atomic_load(&stop));
    wait_for(&looked_at.handled, 1);
    nic_enter(looked_at.nic);
    nic_hold_service(looked_at.nic, -1);
    nic_leave(looked_at.nic);
    close_both();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("turns");
    TCase *tcase = tcase_create("turns");

    add_modes(tcase, thread_rings_the_host, false, false, true);
    add_modes(tcase, packet_before_departure, false, true, false);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
