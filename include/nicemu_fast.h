/* nicemu_fast.h: the short ways of a NIC, inlined where they are called, for layers above it to
 * which a function call matters.  What they mean is said in nicemu.h, of which this header replaces
 * calls by inline forms; programs do the same with and without it. */
#ifndef NICEMU_FAST_H
#define NICEMU_FAST_H

#include "nicemu.h"
#include "nicemu/model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Inlined; whoever takes their address gets the library's functions of the same names, which are
 * made of this text too. */
#ifndef NIC_FAST
#define NIC_FAST extern inline __attribute__((__gnu_inline__, __always_inline__))
#endif

/* ---------------------------------------------------------------- baton -- */

/* The front of a NIC, as a real one maps its doorbell page into the host's memory: the first member
 * of struct nic, for the inlines below only.  A host stores host_in and looks at thread_in, with no
 * fence: the NIC thread, which takes the baton seldom, runs membarrier between storing thread_in
 * and looking at host_in, so one of the two sees the other. */
struct nic_fast_path {
    uint32_t host_in, thread_in;
    uint32_t slow_reasons;           /* NIC_SLOW_*: 0 where the short ways below are all to do */
    uint32_t queued;            /* a host left a command in the ring: whoever enters next
                                 * executes it first */
};
enum {
    NIC_SLOW_SHARED = 1,     /* several host threads */
    NIC_SLOW_FENCE = 2,      /* no membarrier here: fences instead */
    NIC_SLOW_LEAVE = 4,      /* requests need service while the host is away */
    NIC_SLOW_MOVE = 8,       /* requests under way, the model clock, or a link without inbox
                                 * rings: no short ways */
    NIC_SLOW_MODEL = 16,     /* the model clock; all of the others are set too */
};
bool nic_try_enter_slow(struct nic *nic);
void nic_enter_wait(struct nic *nic);
void nic_leave_slow(struct nic *nic);

/* Its only host, and no commands left behind: the NIC thread may have it. */
bool nic_fast_path_enter(struct nic_fast_path *fast_path);
NIC_FAST bool nic_fast_path_enter(struct nic_fast_path *f)
{
    __atomic_store_n(&f->host_in, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* acquire: pairs with the NIC thread's release of thread_in = 0 */
    if (__builtin_expect(!__atomic_load_n(&f->thread_in, __ATOMIC_ACQUIRE), 1))
        return true;
    __atomic_store_n(&f->host_in, 0, __ATOMIC_RELEASE);     /* pairs with its acquire */
    return false;
}

NIC_FAST bool nic_try_enter(struct nic *nic)
{
    enum { SLOW = NIC_SLOW_SHARED | NIC_SLOW_FENCE };
    struct nic_fast_path *f = (struct nic_fast_path *)nic;
    if (__builtin_expect((__atomic_load_n(&f->slow_reasons, __ATOMIC_RELAXED) & SLOW)
                         | __atomic_load_n(&f->queued, __ATOMIC_RELAXED), 0))
        return nic_try_enter_slow(nic);
    return nic_fast_path_enter(f);
}

NIC_FAST void nic_enter(struct nic *nic)
{
    if (__builtin_expect(!nic_try_enter(nic), 0))
        nic_enter_wait(nic);
}

NIC_FAST void nic_leave(struct nic *nic)
{
    enum { SLOW = NIC_SLOW_SHARED | NIC_SLOW_LEAVE };
    struct nic_fast_path *f = (struct nic_fast_path *)nic;
    if (__builtin_expect(__atomic_load_n(&f->slow_reasons, __ATOMIC_RELAXED) & SLOW, 0))
        nic_leave_slow(nic);
    else    /* release: pairs with the NIC thread's acquire */
        __atomic_store_n(&f->host_in, 0, __ATOMIC_RELEASE);
}

/* -------------------------------------------------------------- packets -- */

/* The short way for a message without a head, called without the baton: takes it, sends, gives it
 * back.  False: not possible just now (baton taken, requests under way, no room, too long): use
 * nic_enter and nic_send. */
bool nic_send_now(struct nic *nic, unsigned peer, uint8_t type, uint64_t match, const void *data,
                  size_t bytes);

/* The short way for a receive when the program's queues are empty, so that the next packet is
 * matched with nothing else: waits a little (a microsecond or two) for the next packet, and if that
 * has this type and flags 0, matches ((its bits ^ match) & ~mask == 0) and has at most capacity
 * bytes, puts the payload at `to`.  False: nothing came, or something else (which stays): go the
 * usual way.  Baton held. */
struct nic_received { uint64_t match; uint32_t length; };
bool nic_try_receive(struct nic *nic, uint8_t type, uint64_t match, uint64_t mask, void *to,
                     size_t capacity, struct nic_received *taken);
/* The same without waiting. */
bool nic_take_next(struct nic *nic, uint8_t type, uint64_t match, uint64_t mask, void *to,
                   size_t capacity, struct nic_received *taken);

/* For a program whose queues are not empty: whether a packet of this type and flags 0 is the next
 * one, and its bits; and, where it is, its delivery to the program.  Baton held, not in a handler.
 */
bool nic_next_is(struct nic *nic, uint8_t type, uint64_t *match);
void nic_deliver_next(struct nic *nic);

/* -------------------------------------------------------------- charges -- */

/* The host takes notice of something that is complete: costs time on the model clock. */
void nic_completion_slow(struct nic *nic);
static inline void nic_completion(struct nic *nic)
{
    if (__builtin_expect(((struct nic_fast_path *)nic)->slow_reasons & NIC_SLOW_MODEL, 0))
        nic_completion_slow(nic);
}

/* Work that costs time on the model clock: see nicemu/model.h. */
static inline void nic_work(struct nic *nic, enum nic_work work)
{
    if (__builtin_expect(((struct nic_fast_path *)nic)->slow_reasons & NIC_SLOW_MODEL, 0))
        nic_work_slow(nic, work);
}

/* --------------------------------------------------------------- helper -- */

/* The line is about to be written: it comes here, and leaves the other caches, while other work
 * goes on. */
static inline void nic_fetch_to_write(const void *line)
{
#if defined(__x86_64__)     /* the builtin would fetch it to be read, for a processor of any kind */
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* The line is about to be read, and its writer is through with it. */
static inline void nic_fetch_to_read(const void *line) { __builtin_prefetch(line, 0); }

/* One look at a time: on x86 a fence for loads keeps the processor from piling up speculative
 * looks, which the arrival of the line would have it throw away, and leaves more of a shared core
 * to the sender (measured: 86 -> 71 ns half round trip where both ranks share a core, bare
 * rings). */
static inline void nic_one_look(void)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#endif
}

/* A copy of at most 64 bytes between regions that don't overlap, inlined: a call costs as much as
 * such a copy. */
static inline void nic_copy_short(void *dst, const void *src, size_t n)
{
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    if (n == 8) {
        __builtin_memcpy(d, s, 8);
    } else if (n >= 32) {           /* two overlapping halves */
        __builtin_memcpy(d, s, 32);
        __builtin_memcpy(d + n - 32, s + n - 32, 32);
    } else if (n >= 16) {
        __builtin_memcpy(d, s, 16);
        __builtin_memcpy(d + n - 16, s + n - 16, 16);
    } else if (n >= 8) {
        __builtin_memcpy(d, s, 8);
        __builtin_memcpy(d + n - 8, s + n - 8, 8);
    } else if (n >= 4) {
        __builtin_memcpy(d, s, 4);
        __builtin_memcpy(d + n - 4, s + n - 4, 4);
    } else if (n) {
        d[0] = s[0];
        d[n / 2] = s[n / 2];
        d[n - 1] = s[n - 1];
    }
}

#undef NIC_FAST

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
