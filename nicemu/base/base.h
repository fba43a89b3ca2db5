/* What every room may use: hints to the compiler, and to the
 * processor in loops that look for something. */
#ifndef NIC_BASE_BASE_H
#define NIC_BASE_BASE_H

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define nic_noinline __attribute__((noinline))
#define nic_inline inline __attribute__((always_inline))

static inline void nic_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("" ::: "memory");
#endif
}

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

#endif
