/* Several hosts of one NIC: a command that one leaves behind is executed by the other, at the
 * latest when that has given back what the first found taken.  One thread plays all: the
 * stand-ins for fences below, of which those where membarrier is are for the compiler alone, let
 * the NIC's thread and the other host act between two instructions of core/host.c itself. */
#include "counting.h"

static void at_fence(void);
#undef atomic_thread_fence
#define atomic_thread_fence(order) (at_fence(), __atomic_thread_fence(order))
#define __atomic_signal_fence(order) (at_fence(), __atomic_signal_fence(order))
#include "core/host.c"

static unsigned fences;     /* of nic_try_enter, still to come; 0: nothing happens at them */

/* In nic_try_enter: at the first fence this host has the lock among hosts, and then the NIC's
 * thread is inside and another host leaves a command; at the second it has given the lock back,
 * and the thread is gone, which has not seen the command. */
static void at_fence(void)
{
    const struct nic_command c = { .op = 0, .arg = 0, .object = &looked_at.next[0] };
    unsigned left = fences;

    if (!left)
        return;
    fences = 0;
    __atomic_store_n(&looked_at.nic->fast_path.thread_in, left == 2, __ATOMIC_SEQ_CST);
    if (left == 2)
        nic_submit(looked_at.nic, &c);
    must(!looked_at.commands);
    fences = left - 1;
}

START_TEST(command_of_another_host)
{
    open_both(_i);
    share(looked_at.nic);
    fences = 2;
    bool inside = nic_try_enter(looked_at.nic);
    ck_assert_uint_eq(fences, 0);
    ck_assert_uint_eq(looked_at.commands, 1);
    ck_assert(inside);
    nic_leave(looked_at.nic);
    close_both();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hosts");
    TCase *tcase = tcase_create("hosts");

    add_modes(tcase, command_of_another_host, true, false, false);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
