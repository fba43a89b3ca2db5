/* What every room may use: hints to the compiler, and to the processor in loops that wait. */
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

#endif
