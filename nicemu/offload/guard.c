/* Peterson's algorithm between a host and its NIC.
 *
 *   M0 store of one's interest, then of the turn -> M1 load of the other's interest, then of the
 *   turn: all sequentially consistent, so that one of two who come at once sees the other
 *   M2 release store of 0 to one's interest      -> M1: what was done inside comes before what the
 *   other does inside */
#include "offload/guard.h"

#include <errno.h>
#include <sched.h>

#include "core/baton.h"
#include "remote/region.h"

enum { HOST, NIC, LOOKS_PER_YIELD = 64, BACKOFF_MOST = 1 << 16 };

int nic_guard(struct nic *n, uint32_t key, struct nic_mutex *m)
{
    nic_baton_check(n);
    struct nic_mutex **place = nic_region_mutex(n, key);
    if (!place)
        return -ENOKEY;
    *place = m;
    return 0;
}

struct nic_mutex *nic_mutex_of(const struct nic *n, uint32_t key)
{
    struct nic_mutex **place = key >= NIC_KEY_FIRST ? nic_region_mutex(n, key) : NULL;
    return place ? *place : NULL;
}

/* M0 */
static void show_interest(struct nic_mutex *m, uint32_t *interested, uint32_t who)
{
    __atomic_store_n(interested, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&m->turn, who, __ATOMIC_SEQ_CST);
}

/* M1 */
static bool wants_it(const uint32_t *interested)
{
    return __atomic_load_n(interested, __ATOMIC_SEQ_CST);
}

static bool is_turn(const struct nic_mutex *m, uint32_t who)
{
    return __atomic_load_n(&m->turn, __ATOMIC_SEQ_CST) == who;
}

static void pause_some(unsigned looks)
{
    nic_relax();
    if (looks % LOOKS_PER_YIELD == 0)
        sched_yield();          /* the other party may want this core */
}

/* -- the host */

/* Until the NIC has left; the turn, across the bus, after 1, 2, 4 ... looks. */
static void poll_live(const struct nic_mutex *m)
{
    unsigned until_turn = 0, gap = 1;
    for (unsigned looks = 1; wants_it(&m->nic_interested); looks++) {
        if (until_turn--) {
            pause_some(looks);
            continue;
        }
        if (!is_turn(m, HOST))
            return;
        until_turn = gap;
        gap = gap < BACKOFF_MOST ? gap * 2 : gap;
    }
}

/* Handlers have done their work at once, so the NIC is not inside; when it would have left is
 * known. */
static void poll_modelled(struct nic *n, const struct nic_mutex *m)
{
    struct nic_clock *c = n->clock;
    uint64_t *host = &c->free_at[NIC_RES_HOST], until_turn = 0, gap = 1;
    for (unsigned looks = 0; *host < m->nic_until && looks < BACKOFF_MOST; looks++) {
        nic_clock_charge_host(c, NIC_COST_LOOK, 1);
        if (until_turn--)
            continue;
        nic_clock_charge_host(c, NIC_COST_DOORBELL, 1);
        nic_clock_charge_host(c, NIC_COST_CROSSING, 1);
        until_turn = gap;
        gap *= 2;
    }
    if (*host < m->nic_until)
        nic_clock_charge_host(c, NIC_COST_OWN_HOST, m->nic_until - *host);
}

void nic_mutex_enter(struct nic *n, struct nic_mutex *m)
{
    if (n->clock) {
        nic_enter(n);
        nic_catch_up(n);
        nic_clock_charge_host(n->clock, NIC_COST_COMMAND, 2);       /* both words in the NIC */
        poll_modelled(n, m);
        nic_leave(n);
    }
    show_interest(m, &m->host_interested, HOST);
    poll_live(m);
}

void nic_mutex_leave(struct nic *n, struct nic_mutex *m)
{
    __atomic_store_n(&m->host_interested, 0, __ATOMIC_RELEASE);     /* M2 */
    if (!n->clock)
        return;
    nic_enter(n);
    nic_clock_charge_host(n->clock, NIC_COST_COMMAND, 1);
    m->host_until = n->clock->free_at[NIC_RES_HOST];
    nic_leave(n);
}

/* -- the NIC: both words that it polls are its own, the one that it stores is across the bus */

void nic_mutex_enter_nic(struct nic *n, struct nic_mutex *m)
{
    NIC_CHARGE(n, STORE, 1);
    if (n->clock && n->clock->now < m->host_until)
        NIC_CHARGE(n, OWN_PROCESSOR, m->host_until - n->clock->now);
    show_interest(m, &m->nic_interested, NIC);
    for (unsigned looks = 1; wants_it(&m->host_interested) && is_turn(m, NIC); looks++)
        pause_some(looks);
}

void nic_mutex_leave_nic(struct nic *n, struct nic_mutex *m)
{
    __atomic_store_n(&m->nic_interested, 0, __ATOMIC_RELEASE);      /* M2 */
    NIC_CHARGE(n, STORE, 1);
    if (n->clock)
        m->nic_until = n->clock->now;
}
