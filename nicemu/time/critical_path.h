/* Ways of a NIC's events on the model clock; see include/nicemu/explain.h.  Owner: baton.
 *
 * A way grows in three places: on the host, from entering a call to a command; in a handler, from
 * its event to what it sends, starts or completes; and in what works beside the handler, the
 * engines and the wire, which have a way each. The next event gets the way whose time is its own,
 * and goes on from there. */
#ifndef NIC_TIME_CRITICAL_PATH_H
#define NIC_TIME_CRITICAL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "time/clock.h"
#include "nicemu/explain.h"

struct nic_explain;

/* For the owner of this clock, whose hooks it takes.  `keep`:
 * how many of the slowest.  NULL: out of memory. */
struct nic_explain *nic_explain_new(struct nic_clock *clock, uint32_t rank, unsigned keep);
void nic_explain_delete(struct nic_explain *explain);
void nic_explain_host_runs_handlers(struct nic_explain *explain);
/* Of such a NIC: what comes is its own processor's work, or no longer. */
void nic_explain_by_nic(struct nic_explain *explain, bool by_nic);

/* -- the host: enters a call, leaves it, begins to wait, has computed for so long */

void nic_explain_enter(struct nic_explain *explain);
void nic_explain_leave(struct nic_explain *explain);
void nic_explain_waits(struct nic_explain *explain);
void nic_explain_computed(struct nic_explain *explain, uint64_t time);

/* -- events */

/* One with this key is made, by a handler or by the host.  Returns its way.  crossing: of what no
 * charge explains so much is the bus. */
uint32_t nic_explain_event(struct nic_explain *explain, const struct nic_event_key *key,
                           uint64_t crossing);
/* A handler begins, and forgets the way of its event; ends.
 *  off_processor: it does not take the processor. */
void nic_explain_begin(struct nic_explain *explain, uint32_t way, uint64_t key, uint64_t start,
                       bool off_processor);
void nic_explain_end(struct nic_explain *explain);
/* All that it has caused has been made. */
void nic_explain_over(struct nic_explain *explain);

/* -- on the way from router to router: what leaves is there so soon already, not later; goes on
 * from this way, or that of the handler if it is 0; has waited until then, and is on the wire
 * until then (0: neither) */
void nic_explain_only(struct nic_explain *explain, uint64_t time);
void nic_explain_at_router(struct nic_explain *explain, uint32_t way);
void nic_explain_passed(struct nic_explain *explain, uint64_t waited, uint64_t time);

/* -- charges: what a clock tells its observer */

extern const struct nic_clock_observer nic_explain_observer;

/* What a program has charged by a name of its own, which is counted besides. */
void nic_explain_named(struct nic_explain *explain, const char *name, uint64_t count,
                       uint64_t time);
/* So much was charged by that key of the profile, of this unit. */
void nic_explain_charged(struct nic_explain *explain, const char *key, unsigned unit,
                         uint64_t times, uint64_t time);
/* Something that must hold, or it is told that not all is explained right. */
void nic_explain_expect(struct nic_explain *explain, bool holds);
/* What was read last is part of what the handler moves. */
void nic_explain_read_moves(struct nic_explain *explain);
/* What has been written or read last, or else a word stored, is told the peer then; and this side,
 * by an event whose way is set. */
void nic_explain_carried(struct nic_explain *explain, uint64_t time);
void nic_explain_landed(struct nic_explain *explain, uint32_t *way, uint64_t time);
/* The same of what crosses the bus until then, ahead of nic_explain_carried. */
void nic_explain_by_bus(struct nic_explain *explain, uint64_t time);
/* The packet that has just departed takes longer on the wire: until then. */
void nic_explain_delayed(struct nic_explain *explain, uint64_t time);
/* The way of the packet that has just departed; a way for one that has come. */
void nic_explain_packet(const struct nic_explain *explain, uint32_t sequence,
                        struct nic_critical_path *way);
uint32_t nic_explain_adopt(struct nic_explain *explain, const struct nic_critical_path *way);
/* It crosses the bus before it is an event. */
void nic_explain_crossed(struct nic_explain *explain, uint32_t way, uint64_t crossing);
/* The event of that way waits until then. */
void nic_explain_waited(struct nic_explain *explain, uint32_t way, uint64_t time);

/* -- for critical_path_way.c: outside of handlers the host may send by itself; what goes on to an
 * engine does so over the bus, where the processor is the host's */

void nic_explain_catch_up(struct nic_explain *explain, uint64_t now);
void nic_explain_reach_engine(const struct nic_explain *explain, struct nic_critical_path *way,
                              uint64_t time);

/* -- what programs say: see nic_critical_path_save and what
 * follows it in include/nicemu/explain.h */

uint32_t nic_explain_keep(struct nic_explain *explain);
/* The same from a call of the host, too. */
uint32_t nic_explain_keep_any(struct nic_explain *explain);
uint32_t nic_explain_keep_event(struct nic_explain *explain);
void nic_explain_resume(struct nic_explain *explain, uint32_t *kept, enum nic_part reason);
void nic_explain_end_of(struct nic_explain *explain, uint32_t *kept,
                        const struct nic_arrival *arrival);
void nic_explain_join(struct nic_explain *explain, uint32_t kept, enum nic_part reason);
void nic_explain_later(struct nic_explain *explain, uint32_t *kept, uint32_t *other);
void nic_explain_drop(struct nic_explain *explain, uint32_t *kept);
/* The host has begun to take notice at `seen`, had done so at `noticed`, and has unpacked now. */
void nic_explain_notice(struct nic_explain *explain, uint32_t *kept,
                        const struct nic_arrival *arrival, uint64_t seen, uint64_t noticed);

/* -- the end */

/* The host has come to its end; what its NIC does from here on comes after it (acknowledgments
 * that are late). */
void nic_explain_ends(struct nic_explain *explain);
/* It has ended.  What remains when the rank closes: its sums, and the slowest in any order,
 * `*count` of them. */
const struct nic_explained_rank *nic_explain_close(struct nic_explain *explain,
        const struct nic_explained **slowest, unsigned *count);

#endif
