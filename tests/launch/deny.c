/* deny CALL EPERM|ENOSYS PROGRAM [ARGUMENT]...: runs a program for which, and for all that it
 * starts, a system call fails with this error.  CALL may be several, with commas between.  deny
 * --list: the calls that there are here; those behind a "-" are the ones without which no program
 * gets as far as its first line.  Exit code 77: the kernel has no such filters. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name) { #name, SYS_##name, 0 },
#define BASIC(name) { #name, SYS_##name, 1 },
static const struct { const char *name; long number; int basic; } calls[] = {
    BASIC(brk) BASIC(close) BASIC(execve) BASIC(fstat) BASIC(mmap) BASIC(mprotect) BASIC(openat)
    BASIC(pread64) BASIC(read)
    BASIC(set_tid_address) BASIC(write) BASIC(exit_group)
    CALL(clock_gettime) CALL(clock_nanosleep) CALL(clone) CALL(close_range) CALL(dup3)
    CALL(epoll_create1) CALL(epoll_ctl) CALL(epoll_pwait)
    CALL(faccessat) CALL(fcntl) CALL(fstatfs) CALL(ftruncate) CALL(futex) CALL(get_mempolicy)
    CALL(getcwd) CALL(getdents64) CALL(getpid)
    CALL(getppid) CALL(getrandom) CALL(gettid) CALL(ioctl) CALL(kill) CALL(lseek) CALL(madvise)
    CALL(mbind) CALL(membarrier)
    CALL(memfd_create) CALL(mremap) CALL(munmap) CALL(newfstatat) CALL(pipe2) CALL(ppoll)
    CALL(prctl) CALL(prlimit64)
    CALL(process_vm_readv) CALL(process_vm_writev) CALL(rt_sigaction) CALL(rt_sigprocmask)
    CALL(rt_sigpending) CALL(sigaltstack)
    CALL(sched_getaffinity) CALL(sched_setaffinity) CALL(sched_yield) CALL(set_robust_list)
    CALL(setpgid) CALL(setsid)
    CALL(signalfd4) CALL(tgkill) CALL(uname) CALL(unlinkat) CALL(wait4) CALL(waitid)
#ifdef SYS_access
    CALL(access) CALL(arch_prctl) CALL(dup2) CALL(epoll_wait) CALL(fork) CALL(pipe) CALL(poll)
    CALL(readlink) CALL(stat)
    CALL(unlink) CALL(vfork)
#endif
#ifdef SYS_clone3
    CALL(clone3)
#endif
#ifdef SYS_faccessat2
    CALL(faccessat2)
#endif
#ifdef SYS_pidfd_open
    CALL(pidfd_open) CALL(pidfd_send_signal)
#endif
#ifdef SYS_rseq
    CALL(rseq)
#endif
};
enum { CALLS = sizeof calls / sizeof *calls, DENIED_MAX = 16 };

static int list(void)
{
    for (int i = 0; i < CALLS; i++)
        printf("%s%s\n", calls[i].basic ? "-" : "", calls[i].name);
    return 0;
}

static long number_of(const char *name, size_t length)
{
    for (int i = 0; i < CALLS; i++)
        if (strlen(calls[i].name) == length && strncmp(calls[i].name, name, length) == 0)
            return calls[i].number;
    return -1;
}

/* One pair of instructions for each call, behind the one that loads the number. */
static int make_filter(struct sock_filter *code, const char *names, unsigned error)
{
    int n = 0;

    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                             offsetof(struct seccomp_data, nr));
    while (*names && n < 2 * DENIED_MAX) {
        size_t length = strcspn(names, ",");
        long number = number_of(names, length);
        if (number < 0)
            return -1;
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
        names += length + (names[length] == ',');
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return n;
}

/* Finds the program in PATH and starts it without execve, which may be what is denied. */
static void start(char **argv)
{
    extern char **environ;
    int fd = open(argv[0], O_PATH | O_CLOEXEC);

    if (fd >= 0)
        syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH);
    execvp(argv[0], argv);
}

int main(int argc, char **argv)
{
    struct sock_filter code[2 * DENIED_MAX + 2];

    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    if (argc < 4)
        return 2;
    int length = make_filter(code, argv[1], strcmp(argv[2], "ENOSYS") == 0 ? ENOSYS : EPERM);
    struct sock_fprog filter = { (unsigned short)length, code };
    if (length < 0) {
        fprintf(stderr, "deny: unknown call in %s\n", argv[1]);
        return 2;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        return 77;
    start(argv + 3);
    fprintf(stderr, "deny: %s: %s\n", argv[3], strerror(errno));
    return 2;
}
