/* Steps through what the program does between two calls. */
#define _GNU_SOURCE
#include "check/repeat.h"

#ifdef __x86_64__
#include <dirent.h>
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "check/external.h"
#include "check/memory.h"
#include "check/objects.h"
#include "mpi/door.h"

enum { STEPS_MOST = 20000, CALLS_MOST = 64, TRAP_FLAG = 0x100 };

/* What the program is when it comes back from a call: registers that outlive calls, what the call
 * has returned, and the stack. */
struct state { greg_t at[9]; uint64_t stack; };
static const int registers[] = { REG_RIP, REG_RSP, REG_RBP, REG_RBX, REG_R12, REG_R13, REG_R14,
                                 REG_R15, REG_RAX };

static struct {
    enum { OFF, WANTED, INSIDE, STEPPING, FAILED } phase;
    greg_t return_to;           /* where the program goes on */
    bool back, proved;          /* it has arrived there; it was there before, just so */
    unsigned calls, steps;
    uint64_t sum;               /* of memory, when the call ended */
    uint64_t since;             /* the attempt: what had moved then */
    struct state anchor;
    struct sigaction before;
} *r;

bool check_repeat_is_proved(uint64_t *since)
{
    bool proved = r && r->phase == INSIDE && r->proved;

    if (!proved)
        return false;
    r->phase = FAILED;
    *since = r->since;
    return true;
}

/* -- who else could change anything */

static bool is_alone(void)
{
    DIR *folder = opendir("/proc/self/task");
    int others = 0;

    if (!folder || syscall(SYS_gettid) != getpid())
        others = 1;
    for (struct dirent *e; !others && folder && (e = readdir(folder));) {
        char path[64], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", e->d_name);
        FILE *file = e->d_name[0] == '.' || atoi(e->d_name) == getpid() ? NULL : fopen(path, "re");
        if (file) {
            others += !fgets(name, sizeof name, file) || strncmp(name, "nicemu", 6) != 0;
            fclose(file);
        }
    }
    if (folder)
        closedir(folder);
    return !others;
}

static bool has_tracer(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[128];
    int tracer = -1;

    while (file && fgets(line, sizeof line, file) && sscanf(line, "TracerPid: %d", &tracer) != 1)
        ;
    if (file)
        fclose(file);
    return tracer != 0;
}

/* Other ranks may write to the program's memory at any time, and the NIC does not see it. */
static bool is_shared(void)
{
    return check_is_any(CHECK_WIN) || dlsym(RTLD_DEFAULT, "shmem_init");
}

/* The library has handlers, which do not come back. */
static bool has_handlers(void)
{
    Dl_info library, of;
    struct sigaction s;

    if (!dladdr((void *)(uintptr_t)PMPI_Test, &library))
        return true;
    for (int i = 1; i < NSIG; i++)
        if (sigaction(i, NULL, &s) == 0 && s.sa_handler != SIG_DFL && s.sa_handler != SIG_IGN
            && (!dladdr((void *)(uintptr_t)s.sa_handler, &of)
                || of.dli_fbase != library.dli_fbase))
            return true;
    return false;
}

/* A trap that is blocked would end the program. */
static bool can_trap(void)
{
    sigset_t blocked;

    return pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && !sigismember(&blocked, SIGTRAP);
}

/* -- stepping */

static void arrive(const greg_t *reg)
{
    struct state now;

    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        now.at[i] = reg[registers[i]];
    now.stack = check_memory_between((uintptr_t)reg[REG_RSP], check_memory_stack_end());
    if (!r->calls)
        r->anchor = now;
    else if (memcmp(now.at, r->anchor.at, sizeof now.at) == 0 && now.stack == r->anchor.stack)
        r->proved = true;
    r->back = true;
}

/* Before each instruction; at first, and at last, some are the wrapper's own. */
static void trap(int signal, siginfo_t *info, void *context)
{
    greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)signal, (void)info;
    if (r->phase == STEPPING && reg[REG_RIP] == r->return_to && !r->back)
        arrive(reg);
    if (r->phase == STEPPING
        && (r->steps++ == STEPS_MOST
            || (r->back && check_is_external((const unsigned char *)reg[REG_RIP]))))
        r->phase = FAILED;
    if (r->phase == STEPPING)
        reg[REG_EFL] |= TRAP_FLAG;
    else
        reg[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

/* -- one attempt */

void check_repeat_try(void)
{
    if (!r)
        r = check_memory_room(sizeof *r);
    if (r && r->phase == OFF)
        r->phase = WANTED;
}

static bool begin(void)
{
    struct sigaction s = { .sa_sigaction = trap, .sa_flags = SA_SIGINFO };

    sigfillset(&s.sa_mask);
    if (is_shared() || !is_alone() || has_tracer() || has_handlers() || !can_trap()
        || !check_memory_find() || sigaction(SIGTRAP, &s, &r->before))
        return false;
    r->calls = 0;
    r->proved = false;
    r->since = mpi_door.stand_since();
    return true;
}

static void end(void)
{
    sigaction(SIGTRAP, &r->before, NULL);
    r->phase = OFF;
}

void check_repeat_stop(void)
{
    if (r && (r->phase == STEPPING || r->phase == INSIDE))
        r->phase = FAILED;
}

void check_repeat_enter(void)
{
    if (__builtin_expect(!r || r->phase != STEPPING, 1))
        return;
    r->phase = INSIDE;          /* the next trap is the last */
    if (!r->back || check_memory_sum() != r->sum)
        r->phase = FAILED;
    r->calls++;
}

void check_repeat_leave(const void *caller, bool told)
{
    if (__builtin_expect(!r || r->phase == OFF, 1))
        return;
    if (r->phase == WANTED) {
        r->phase = OFF;
        if (told || !begin())
            return;
    } else if (r->phase == FAILED || told || r->calls == CALLS_MOST) {
        end();
        return;
    }
    r->return_to = (greg_t)(uintptr_t)caller;
    r->back = false;
    r->steps = 0;
    r->sum = check_memory_sum();
    r->phase = STEPPING;
    __asm__ volatile("int3" ::: "memory");
}

#else
void check_repeat_try(void) { }
bool check_repeat_is_proved(uint64_t *since) { (void)since; return false; }
void check_repeat_enter(void) { }
void check_repeat_stop(void) { }
void check_repeat_leave(const void *caller, bool told) { (void)caller, (void)told; }
#endif
