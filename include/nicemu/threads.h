/* nicemu/threads.h: what a layer between a NIC and its users asks about the host's threads.  Baton
 * held, unless it says otherwise. */
#ifndef NICEMU_THREADS_H
#define NICEMU_THREADS_H

#include "../nicemu.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Only the calling thread will call from now on, so that a launcher knows that this rank waits when
 * that one does, whatever its other threads do.  Without it they all count. */
void nic_one_host(struct nic *nic);

/* Several host threads will call at once from now on.  By the only one so far: the baton is held
 * against the others too until it is given back. */
void nic_share(struct nic *nic);

/* What another host thread of this rank may wait for has happened by the caller's doing, not by the
 * engine's: one that is about to sleep looks once more. */
void nic_moved(struct nic *nic);

/* A number that is another one whenever the NIC has moved anything, whoever took the turn: as long
 * as it stays the same, so does what a host would find. */
uint64_t nic_moves(const struct nic *nic);

/* A host that sleeps in a wait wakes up every `every_ns` and calls look, without the baton, while
 * it still counts as asleep: for ranks that nobody else looks after.  Called once, behind
 * nic_open; not on the model clock. */
void nic_on_long_wait(struct nic *nic, uint64_t every_ns, void (*look)(void *argument),
                      void *argument);

/* A word of a rank's that has NIC_ASLEEP while a host thread of it sleeps: who has stored what that
 * host may wait for looks at it, and calls nic_notify only then.  NIC_AWAY: requests of it need
 * service, and its host has left the call that began one and has not waited since.  As long as the
 * NIC is open; any thread. */
enum { NIC_ASLEEP = 1, NIC_AWAY = 8 };
const uint32_t *nic_attention(const struct nic *nic, unsigned rank);

/* As nic_notify, and where that host is away the NIC's thread wakes up, if service is due there. */
void nic_notify_service(struct nic *nic, unsigned rank);

/* What host threads do that was not announced, as far as it is seen where looking costs nothing. */
enum nic_misuse {
    NIC_MISUSE_AT_ONCE,         /* several call without nic_share: now anything may happen */
    NIC_MISUSE_OTHER,           /* not the one of nic_one_host; told once, then any may */
    NIC_MISUSE_INSIDE,          /* one waits inside what nic_goes_inside has announced */
};

/* The function is called by a thread that finds misuse; NULL: none, as at first.  `what` such a
 * thread waits for, or NULL where that is not known.  All but NIC_MISUSE_OTHER end the process when
 * it returns or is NULL. */
void nic_on_misuse(struct nic *nic, void (*misuse)(enum nic_misuse kind, const char *what));

/* The calling thread goes into a function of the program that must not wait for anything here
 * (true), as the baton may be held for it; and comes out again (false).  Any thread. */
void nic_goes_inside(bool inside);

/* The function is called by host threads that wait, and may not have been seen before, where a look
 * for that costs nothing: as soon as they find nothing to do.  Baton held. */
void nic_on_waiter(struct nic *nic, void (*waiter)(void));

/* This process has no threads but the calling one and perhaps the NIC's own: one that does nothing
 * while the baton is held but look whether it still is, and one that sleeps on a wire.  They write
 * to no memory of the program's, nor to pages that have some.  So nobody else writes there until
 * the baton is given back.  False also where that cannot be found out, and where a wire's library
 * has threads. */
bool nic_alone(const struct nic *nic);

/* True if it is the NIC's own thread that holds the baton and calls the program. */
bool nic_on_thread(const struct nic *nic);

/* Transfers go on while the host is outside of all calls: not with NIC_PROGRESS_HOST.  Any
 * thread. */
bool nic_has_thread(const struct nic *nic);

/* A store of this rank's, and a load behind it, of words that ranks of one machine share: where
 * this is true no more is needed between them than a fence for the compiler, as long as whoever
 * stores and loads the other way round calls nic_fence_ranks in between.  Any thread. */
bool nic_fences_lightly(const struct nic *nic);
/* All ranks of this machine for which that is true have done such a fence.  False: it is not to be
 * had here, and some may have not.  Half a microsecond and more.  Any thread. */
bool nic_fence_ranks(void);

/* True if the ranks of this job outnumber its cores; never on the model clock, where the machine's
 * cores must not decide anything.  Any thread. */
bool nic_oversubscribed(const struct nic *nic);

/* Ranks of this machine for each of its cores, rounded down; 0 on the model clock.  Any thread. */
unsigned nic_ranks_per_core(const struct nic *nic);

/* Many ranks share each core, and with others' packets and one of so many bytes that peer's inbox
 * is as good as full: what can be done with fewer lines should be, as there will be no more until
 * the owner has had a turn, and then all want them.  Never on the model clock.  Baton held. */
bool nic_crowded_out(const struct nic *nic, unsigned peer, uint32_t bytes);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
