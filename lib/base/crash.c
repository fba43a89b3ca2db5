/* Reports of crashes.  All that runs in the handler is safe there: the unwinder is part of this
 * library and takes no memory, texts are put together by hand, and what could wait for a lock of
 * the loader (stack.c) has an alarm behind it. */
#define _GNU_SOURCE
#include "base/crash.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "nicemu/job.h"

enum { STACK_BYTES = 64 << 10, PATIENCE_S = 30, STACK_GAP = 64 << 10 };

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
enum { SIGNALS = sizeof signals / sizeof *signals };

static struct {
    bool begun;
    unsigned rank;
    pid_t process;
    int pipe;                   /* -1: none */
    dev_t device;               /* of the pipe: a program may close what it does not know */
    ino_t inode;
    int deadly;                 /* the signal that is reported */
    _Atomic int thread;         /* that reports; 0: none */
    _Atomic bool walks;         /* it reads the stack, which may crash: then it goes on at */
    sigjmp_buf beyond;
} crash = { .pipe = -1 };

static struct mpi_stack_text report;

/* -- the signal in words */

struct words { int signal, code; const char *text; };

static const struct words words[] = {
    { SIGSEGV, SEGV_MAPERR, "nothing is mapped there" },
    { SIGSEGV, SEGV_ACCERR, "no permission" },
    { SIGBUS, BUS_ADRALN, "misaligned" },
    { SIGBUS, BUS_ADRERR, "no memory behind it" },
    { SIGFPE, FPE_INTDIV, "integer divided by zero" },
    { SIGFPE, FPE_INTOVF, "integer overflow" },
    { SIGFPE, FPE_FLTDIV, "divided by zero" },
    { SIGFPE, FPE_FLTOVF, "overflow" },
    { SIGFPE, FPE_FLTUND, "underflow" },
    { SIGFPE, FPE_FLTINV, "invalid operation" },
    { SIGILL, ILL_ILLOPC, "illegal instruction" },
    { SIGILL, ILL_ILLOPN, "illegal operand" },
};

static const char *signal_name(int signal)
{
    switch (signal) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGILL: return "SIGILL";
    default: return "SIGABRT";
    }
}

static const char *code_words(int signal, int code)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].signal == signal && words[i].code == code)
            return words[i].text;
    return code == SI_USER ? "sent by a process" : code == SI_TKILL ? "raised by itself" : NULL;
}

/* The address is where the next frame would be, and there is nothing. */
static bool overflows(const siginfo_t *info, const ucontext_t *u)
{
    uintptr_t sp = mpi_stack_pointer(u), at = (uintptr_t)info->si_addr;

    return info->si_signo == SIGSEGV && info->si_code > 0 && sp && at + STACK_GAP > sp
           && at < sp + 4096;
}

/* What could not be read is the instruction. */
static bool jumped(const siginfo_t *info, const ucontext_t *u)
{
    return info->si_signo == SIGSEGV && info->si_code > 0
           && (uintptr_t)info->si_addr == mpi_stack_counter(u);
}

static const char *cause_words(const siginfo_t *info, const ucontext_t *u)
{
    if (jumped(info, u))
        return "no code is there: a bad pointer to a function, or a damaged stack";
    if (overflows(info, u))
        return "the stack has overflowed, see ulimit -s";
    return code_words(info->si_signo, info->si_code);
}

static void put_rank(struct mpi_stack_text *t)
{
    mpi_stack_put_words(t, "rank ");
    mpi_stack_put_number(t, crash.rank, 10);
    mpi_stack_put_words(t, " (pid ");
    mpi_stack_put_number(t, (uint64_t)crash.process, 10);
    mpi_stack_put_words(t, "): ");
}

static void put_head(struct mpi_stack_text *t, const siginfo_t *info, const ucontext_t *u)
{
    const char *why = cause_words(info, u);

    put_rank(t);
    mpi_stack_put_words(t, signal_name(info->si_signo));
    if (why) {
        mpi_stack_put_words(t, " (");
        mpi_stack_put_words(t, why);
        mpi_stack_put_words(t, ")");
    }
    if (info->si_code > 0 && info->si_signo != SIGABRT) {
        mpi_stack_put_words(t, " at address ");
        mpi_stack_put_number(t, (uintptr_t)info->si_addr, 16);
    }
    mpi_stack_put_words(t, "\n");
}

/* -- writing */

static bool is_our_pipe(void)
{
    struct stat s;

    return crash.pipe >= 0 && fstat(crash.pipe, &s) == 0 && S_ISFIFO(s.st_mode)
           && s.st_dev == crash.device && s.st_ino == crash.inode;
}

/* A launcher that does not read is not waited for for long. */
static void write_whole(int fd, const char *data, size_t size)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };

    for (int turns = 0; size && turns < 64; turns++) {
        ssize_t n = write(fd, data, size);
        if (n > 0) {
            data += n;
            size -= (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            poll(&p, 1, 100);
        } else if (n < 0 && errno != EINTR) {
            return;
        }
    }
}

/* -- the handler */

/* With the handler's return, or at once, the signal comes again and is deadly. */
static void make_deadly(int signal)
{
    struct sigaction standard = { .sa_handler = SIG_DFL };

    sigaction(signal, &standard, NULL);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

/* The report does not come to its end. */
static void too_late(int alarm)
{
    sigset_t set;

    (void)alarm;
    make_deadly(crash.deadly);
    sigemptyset(&set);
    sigaddset(&set, crash.deadly);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void set_alarm(void)
{
    struct sigaction late = { .sa_handler = too_late };
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigaction(SIGALRM, &late, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    alarm(PATIENCE_S);
}

/* Of a signal that is blocked a process would die at once. */
static void unblock_crashes(void)
{
    sigset_t set;

    sigemptyset(&set);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&set, signals[i]);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* A core file is to have the registers of the crash. */
static void put_frames(const siginfo_t *info, ucontext_t *u)
{
    mcontext_t registers = u->uc_mcontext;

    if (sigsetjmp(crash.beyond, true) == 0) {
        atomic_store(&crash.walks, true);
        unblock_crashes();
        mpi_stack_put_interrupted(&report, u, jumped(info, u));
    } else {
        mpi_stack_put_damaged(&report);
    }
    atomic_store(&crash.walks, false);
    u->uc_mcontext = registers;
}

static void tell(const siginfo_t *info, ucontext_t *u)
{
    bool launcher = is_our_pipe();
    int fd = launcher ? crash.pipe : STDERR_FILENO;

    put_head(&report, info, u);
    write_whole(fd, report.buf, report.used);
    report.used = launcher ? report.used : 0;
    set_alarm();
    put_frames(info, u);
    write_whole(fd, report.buf, report.used);
    alarm(0);
}

/* A second thread that crashes meanwhile waits for the end; so do signals that come to this one,
 * which have to end it if they are its own.  A child of the rank is not the rank. */
static void handle(int signal, siginfo_t *info, void *context)
{
    int self = (int)syscall(SYS_gettid), nobody = 0, error = errno;

    if (getpid() == crash.process) {
        if (atomic_compare_exchange_strong(&crash.thread, &nobody, self)) {
            crash.deadly = signal;
            tell(info, context);
        } else if (nobody != self) {
            for (;;)
                poll(NULL, 0, -1);
        } else if (atomic_load(&crash.walks)) {
            siglongjmp(crash.beyond, 1);
        }
    }
    make_deadly(signal);
    errno = error;
}

/* -- calls that fail */

void mpi_crash_tell_call(const char *call) { mpi_crash_tell_call_on(call, "", NULL); }

void mpi_crash_tell_call_on(const char *call, const char *what, const void *maker)
{
    int self = (int)syscall(SYS_gettid), nobody = 0;

    if (getpid() != crash.process || !is_our_pipe()
        || !atomic_compare_exchange_strong(&crash.thread, &nobody, self))
        return;
    put_rank(&report);
    mpi_stack_put_words(&report, call);
    mpi_stack_put_words(&report, "\n");
    mpi_stack_put_made(&report, what, maker);
    if (mpi_stack_put_callers(&report))
        write_whole(crash.pipe, report.buf, report.used);
}

/* -- installing it */

static void find_pipe(void)
{
    const char *text = getenv(CRASH_ENV_FD);
    struct stat s;
    int fd = text ? nic_fd_find(text) : -1;

    if (text)
        unsetenv(CRASH_ENV_FD);
    if (fd <= STDERR_FILENO || fstat(fd, &s) < 0 || !S_ISFIFO(s.st_mode))
        return;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    crash.pipe = fd;
    crash.device = s.st_dev;
    crash.inode = s.st_ino;
}

/* A stack that has overflowed takes no handler.  Of the calling thread alone; NULL: it has one, or
 * there is no memory. */
static void *make_stack(void)
{
    stack_t now, ours = { .ss_size = STACK_BYTES };

    if (sigaltstack(NULL, &now) < 0 || !(now.ss_flags & SS_DISABLE))
        return NULL;
    ours.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                      0);
    if (ours.ss_sp == MAP_FAILED || sigaltstack(&ours, NULL) == 0)
        return ours.ss_sp == MAP_FAILED ? NULL : ours.ss_sp;
    munmap(ours.ss_sp, STACK_BYTES);
    return NULL;
}

/* Of a thread that ends; not where it ends in a handler that runs there. */
static void give_stack(void *stack)
{
    stack_t now, none = { .ss_flags = SS_DISABLE };
    bool ours = sigaltstack(NULL, &now) == 0 && now.ss_sp == stack;

    if (!ours || sigaltstack(&none, NULL) == 0)
        munmap(stack, STACK_BYTES);
}

/* Of each thread that has got one, its stack. */
static struct { bool made; pthread_key_t key; } stacks;

void mpi_crash_watch_thread(void)
{
    static _Thread_local bool seen;
    void *stack = seen || !stacks.made ? NULL : make_stack();

    seen = true;
    if (stack && pthread_setspecific(stacks.key, stack))
        give_stack(stack);
}

/* When one rank has crashed the launcher ends the others, of which some crash, too: they get the
 * time to say so. */
static void block_endings(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGQUIT);
}

void mpi_crash_watch(unsigned rank)
{
    struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_ONSTACK }, now;
    const char *wanted = getenv(CRASH_ENV);

    if (crash.begun)
        return;
    crash.begun = true;
    find_pipe();
    if (wanted && strcmp(wanted, "off") == 0)
        return;
    crash.rank = rank;
    crash.process = getpid();
    ours.sa_sigaction = handle;
    block_endings(&ours.sa_mask);
    make_stack();
    stacks.made = pthread_key_create(&stacks.key, give_stack) == 0;
    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO)
            && now.sa_handler == SIG_DFL)
            sigaction(signals[i], &ours, NULL);
}

/* The code may be unloaded before the process ends. */
__attribute__((destructor)) static void leave(void)
{
    struct sigaction standard = { .sa_handler = SIG_DFL }, now;

    if (stacks.made)
        pthread_key_delete(stacks.key);
    for (int i = 0; crash.begun && i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO)
            && now.sa_sigaction == handle)
            sigaction(signals[i], &standard, NULL);
}
