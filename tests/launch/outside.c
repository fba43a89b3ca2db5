/* outside CASE [HOW]: threads that wait in MPI and others that are outside of it, and ranks that
 * something else may help. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Longer than three looks of the launcher. */
enum { A_WHILE = 2 };

static int rank, size, peer, value;
static const char *how;

static void receive(int from)
{
    MPI_Recv(&value, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}


static void send(int to) { MPI_Send(&value, 1, MPI_INT, to, 1, MPI_COMM_WORLD); }

static void start(pthread_t *thread, void *(*run)(void *))
{
    if (pthread_create(thread, NULL, run, NULL))
        exit(9);
}

enum { NOW = 0, SOON = 300, LATER = A_WHILE * 1000 };

/* A child that does this so many milliseconds from now. */
static pid_t child(void (*act)(pid_t parent), unsigned ms)
{
    pid_t parent = getpid(), pid = fork();

    if (pid)
        return pid;
    usleep(ms * 1000);
    act(parent);
    _exit(0);
}

/* -- ways to be outside of MPI for a while */

static int ends[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t held;

static void by_sleep(void) { sleep(A_WHILE); }

static void *hold(void *unused)
{
    pthread_mutex_lock(&mutex);
    sem_post(&held);
    sleep(A_WHILE);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void by_lock(void)
{
    pthread_t holder;

    sem_init(&held, 0, 0);
    start(&holder, hold);
    sem_wait(&held);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(holder, NULL);
}

static void write_byte(pid_t parent)
{
    (void)parent;
    if (write(ends[1], "", 1) != 1)
        _exit(1);
}

static void by_pipe(void)
{
    char byte;

    if (pipe(ends))
        exit(9);
    pid_t pid = child(write_byte, LATER);
    if (read(ends[0], &byte, 1) != 1)
        exit(9);
    waitpid(pid, NULL, 0);
}

static void nothing(pid_t parent) { (void)parent; }
static void by_child(void) { waitpid(child(nothing, LATER), NULL, 0); }

static void send_signal(pid_t parent) { kill(parent, SIGUSR1); }

static void by_signal(void)
{
    sigset_t set;
    int signal;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pid_t pid = child(send_signal, LATER);
    sigwait(&set, &signal);
    waitpid(pid, NULL, 0);
}

static void by_stdin(void)
{
    char byte;

    if (read(STDIN_FILENO, &byte, 1) != 1)
        exit(9);
}

static const struct way { const char *name; void (*wait)(void); } ways[] = {
    { "sleep", by_sleep }, { "lock", by_lock }, { "pipe", by_pipe },
    { "child", by_child }, { "signal", by_signal }, { "stdin", by_stdin },
};

static void wait_outside(const char *name)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, name) == 0) {
            ways[i].wait();
            return;
        }
    exit(9);
}

/* -- calls in which a second thread waits, and what the first one does about it later */

static void *in_recv(void *unused)
{
    receive(peer);
    return unused;
}

static void *in_ssend(void *unused)
{
    MPI_Ssend(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
    return unused;
}

static void *in_probe(void *unused)
{
    MPI_Probe(peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receive(peer);
    return unused;
}

static void *in_barrier(void *unused)
{
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        receive(rank);
    return unused;
}

static void to_peer(void) { send(peer); }
static void from_peer(void) { receive(peer); }
static void barrier(void)
{
    if (rank == 0)
        return;
    MPI_Barrier(MPI_COMM_WORLD);
    send(rank);
}

static void helped(void *(*wait)(void *), void (*help)(void))
{
    pthread_t helper;

    start(&helper, wait);
    wait_outside(how);
    help();
    pthread_join(helper, NULL);
}

static void recv_case(void) { helped(in_recv, to_peer); }
static void ssend_case(void) { helped(in_ssend, from_peer); }
static void probe_case(void) { helped(in_probe, to_peer); }
static void barrier_case(void) { helped(in_barrier, barrier); }

/* One thread only, and rank 1 is outside. */
static void alone_case(void)
{
    if (rank == 1)
        wait_outside(how);
    if (rank == 1)
        send(0);
    if (rank == 0)
        receive(1);
}

/* -- standstills */

static void stuck(void) { receive(peer); }


static void *in_stuck(void *unused)
{
    stuck();
    return unused;
}

static void *outside(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *spin(void *unused)
{
    for (volatile unsigned i = 0;; i++)
        ;
    return unused;
}

static void stuck_beside(void *(*run)(void *))
{
    pthread_t beside;

    start(&beside, run);
    stuck();
}

static void both_case(void) { stuck_beside(in_stuck); }
/* What has come is taken, and answered, after a while. */
static void late_case(void)
{
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        wait_outside(how);
        receive(0);
    }
}

static void sleeper_case(void) { stuck_beside(outside); }
static void spinner_case(void) { stuck_beside(spin); }

static void linger(pid_t parent)
{
    while (getppid() == parent)
        pause();
}

static void forked_case(void)
{
    child(linger, SOON);
    stuck();
}

/* -- one thread, in MPI for ever unless something comes from outside */

static sigjmp_buf back;

static void jump(int signal) { (void)signal; siglongjmp(back, 1); }
static void leave(int signal) { (void)signal; _exit(6); }

static void handle(int signal, void (*handler)(int))
{
    struct sigaction action = { .sa_handler = handler };

    sigaction(signal, &action, NULL);
}

static void alarm_case(void)
{
    handle(SIGALRM, leave);
    alarm(A_WHILE);
    stuck();
}

static void timer_case(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
    struct itimerspec due = { .it_value.tv_sec = A_WHILE };
    timer_t timer;

    handle(SIGRTMIN, leave);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &due, NULL))
        exit(9);
    stuck();
}

static void let_go(void)
{
    if (write(STDOUT_FILENO, "let go\n", 7) != 7)
        _exit(1);
}

/* As a debugger does, before the parent waits in MPI: then nobody is late, however slow. */
static bool seize(pid_t parent)
{
    bool seized = ptrace(PTRACE_SEIZE, parent, NULL, NULL) == 0;

    write_byte(parent);
    return seized;
}

static void trace(pid_t parent)
{
    if (seize(parent))
        sleep(A_WHILE);
    let_go();
}

/* Waits in MPI are in a futex.  Where the kernel does not tell, it is there after a while. */
static void until_in_mpi(pid_t process)
{
    char path[64], text[64] = "";

    snprintf(path, sizeof path, "/proc/%ld/syscall", (long)process);
    while (atol(text) != SYS_futex) {
        usleep(1000);
        FILE *file = fopen(path, "r");
        bool told = file && fgets(text, sizeof text, file);
        if (file)
            fclose(file);
        if (!told) {
            usleep(300 * 1000);
            return;
        }
    }
}

/* It is stopped for us first, then for all; so it stays when we leave it alone. */
static void leave_stopped(pid_t process)
{
    int status;

    while (waitpid(process, &status, __WALL) == process && WIFSTOPPED(status)
           && status >> 16 != PTRACE_EVENT_STOP)
        ptrace(PTRACE_CONT, process, NULL, (long)WSTOPSIG(status));
    ptrace(PTRACE_DETACH, process, NULL, NULL);
}

static void stop(pid_t parent)
{
    bool seized = seize(parent);

    until_in_mpi(parent);
    kill(parent, SIGSTOP);
    if (seized)
        leave_stopped(parent);
    sleep(A_WHILE);
    let_go();
    kill(parent, SIGCONT);
}

/* A child that has taken hold of this process when it goes to wait for ever. */
static void stuck_beside_child(void (*act)(pid_t parent))
{
    char byte;

    if (pipe(ends))
        exit(9);
    child(act, NOW);
    if (read(ends[0], &byte, 1) != 1)
        exit(9);
    stuck();
}

/* The signal comes while it waits, and in time: nobody takes it for a standstill before. */
static void interrupt(pid_t parent)
{
    bool seized = seize(parent);

    until_in_mpi(parent);
    send_signal(parent);
    if (seized && waitpid(parent, NULL, __WALL) == parent)
        ptrace(PTRACE_DETACH, parent, NULL, (long)SIGUSR1);
}

static void jump_case(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    handle(SIGUSR1, jump);
    if (!sigsetjmp(back, 1))
        stuck_beside_child(interrupt);
    sleep(A_WHILE);
    MPI_Abort(MPI_COMM_WORLD, 6);
}

static void traced_case(void) { stuck_beside_child(trace); }
static void stopped_case(void) { stuck_beside_child(stop); }

static void say_who(void)
{
    printf("%d %ld\n", rank, (long)getpid());
    fflush(stdout);
}

/* Ranks that stand in different places; each says who it is before it goes there. */
static void places_case(void)
{
    say_who();
    if (rank == 0)
        receive(1);
    else if (rank == 1)
        pause();
    else
        spin(NULL);
}

/* Each in a place of its own. */
static void apart_case(void)
{
    say_who();
    MPI_Recv(&value, 1, MPI_INT, peer, rank + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void after_case(void)
{
    MPI_Finalize();
    say_who();
    for (;;)
        pause();
}

static const struct { const char *name; int level; void (*run)(void); } cases[] = {
    { "recv", MPI_THREAD_MULTIPLE, recv_case },
    { "ssend", MPI_THREAD_MULTIPLE, ssend_case },
    { "probe", MPI_THREAD_MULTIPLE, probe_case },
    { "barrier", MPI_THREAD_MULTIPLE, barrier_case },
    { "alone", MPI_THREAD_SINGLE, alone_case },
    { "late", MPI_THREAD_SINGLE, late_case },
    { "both", MPI_THREAD_MULTIPLE, both_case },
    { "one", MPI_THREAD_MULTIPLE, stuck },
    { "sleeper", MPI_THREAD_FUNNELED, sleeper_case },
    { "spinner", MPI_THREAD_FUNNELED, spinner_case },
    { "sleeper-multiple", MPI_THREAD_MULTIPLE, sleeper_case },
    { "forked", MPI_THREAD_SINGLE, forked_case },
    { "jump", MPI_THREAD_SINGLE, jump_case },
    { "alarm", MPI_THREAD_SINGLE, alarm_case },
    { "timer", MPI_THREAD_SINGLE, timer_case },
    { "traced", MPI_THREAD_SINGLE, traced_case },
    { "stopped", MPI_THREAD_SINGLE, stopped_case },
    { "places", MPI_THREAD_SINGLE, places_case },
    { "apart", MPI_THREAD_SINGLE, apart_case },
    { "after", MPI_THREAD_SINGLE, after_case },
};

static void begin(int level)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);         /* for sigwait, in all threads */
    MPI_Init_thread(NULL, NULL, level, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    peer = rank ^ 1;
    if (peer >= size)
        peer = rank;
}

int main(int argc, char **argv)
{
    how = argc > 2 ? argv[2] : "sleep";
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            begin(cases[i].level);
            cases[i].run();
            return MPI_Finalize();
        }
    return 9;
}
