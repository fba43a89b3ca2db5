/* Who else writes to memory that is moved into the heap and back: children, handlers of signals,
 * other threads, peers whose messages are to come there, and those who reach another window on the
 * same page; and the program, which moves the memory itself.  Nothing of that is lost.  argument:
 * how memory is reached. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "moved.h"

enum { LONG = 3 * 1024 * 1024 };

/* -- children */

static void child(unsigned char *array, size_t bytes, const unsigned char *beside)
{
    char *more = malloc(50);
    int bad = !more;
    for (size_t i = 0; i < bytes; i++)
        bad |= array[i] != t_byte(23, i);
    bad |= beside[3] != 33;
    memset(array, 1, bytes);
    usleep(20000);
    for (size_t i = 0; i < bytes; i++)
        bad |= array[i] != 1;
    free(more);
    _exit(bad);
}

static void children(void)
{
    const size_t bytes = 30000;
    unsigned char *array = t_alloc(bytes), *beside = t_alloc(10), data[100];
    int status;
    t_fill(array, bytes, 23);
    beside[3] = 33;
    MPI_Win win = make(array, bytes, MOVES);
    OK(MPI_Win_lock_all(0, win));
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid)
        child(array, bytes, beside);
    array[200] = 2;
    beside[3] = 34;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    memset(data, 77, sizeof data);
    OK(MPI_Put(data, 100, MPI_BYTE, t_next(), 0, 100, MPI_BYTE, win));
    OK(MPI_Win_flush(t_next(), win));
    SAME(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status))
        FAIL("the child ended by signal %d", WTERMSIG(status));
    SAME(WEXITSTATUS(status), 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    SAME(array[99], 77);
    SAME(array[200], 2);
    SAME(array[300], t_byte(23, 300));
    SAME(system("exit 3") >> 8, 3);
    OK(MPI_Win_unlock_all(win));
    use(win, array, bytes, 24);
    OK(MPI_Win_free(&win));
    SAME(beside[3], 34);
    pid = fork();                           /* with nothing moved */
    if (!pid)
        _exit(0);
    CHECK(waitpid(pid, &status, 0) == pid && !status);
    free(beside);
    free(array);
}

/* What the program may not write to, or not read, as it forks is the child's own too. */
static void protected_child(void)
{
    const size_t bytes = 3 * PAGE;
    unsigned char *at = pages_apart(bytes);
    int status, go[2];
    char byte = 0;
    t_fill(at, bytes, 41);
    MPI_Win win = make(at, bytes, MOVES);
    CHECK(!pipe(go) && !mprotect(at, PAGE, PROT_READ) && !mprotect(at + PAGE, PAGE, PROT_NONE));
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid) {
        bool good = read(go[0], &byte, 1) == 1 && !mprotect(at, bytes, PROT_READ | PROT_WRITE);
        for (size_t i = 0; good && i < bytes; i++)
            good = at[i] == t_byte(41, i);
        _exit(!good);
    }
    CHECK(!mprotect(at, bytes, PROT_READ | PROT_WRITE));
    t_fill(at, bytes, 42);
    CHECK(write(go[1], &byte, 1) == 1 && waitpid(pid, &status, 0) == pid);
    SAME(status, 0);
    OK(MPI_Win_free(&win));
    for (size_t i = 0; i < bytes; i++)
        SAME(at[i], t_byte(42, i));
    close(go[0]);
    close(go[1]);
    munmap(at, bytes);
}

/* -- signals, whose handler writes beside windows */

static volatile long *ticks;
static void tick(int number) { (void)number, ++*ticks; }

static void signals(void)
{
    const struct itimerval fast = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
    struct { long ticks; unsigned char data[200]; } *both = calloc(1, sizeof *both);
    long seen = 0;
    ticks = &both->ticks;
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &fast, NULL);
    for (int turn = 0; turn < 100; turn++) {
        MPI_Win win;
        OK(MPI_Win_create(both->data, 200, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        CHECK(*ticks >= seen);
        seen = *ticks;
        OK(MPI_Win_free(&win));
        CHECK(*ticks >= seen);
        seen = *ticks;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN);               /* one may be on its way */
    free(both);
}

/* -- threads: what one of them may write to stays where it is */

/* Two counters on one page with a window that comes and goes: neither misses a turn. */
static void threads(void)
{
    struct { long number; unsigned char data[200]; } *both = calloc(1, sizeof *both);
    pthread_t thread;
    MPI_Win early = make(both->data, 100, MOVES);
    stop = 0;
    turns = 0;
    CHECK(!pthread_create(&thread, NULL, count_up, &both->number));
    for (int i = 0; i < 20; i++) {
        MPI_Win win;
        OK(MPI_Win_create(both->data + 100, 100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        use(win, both->data + 100, 100, 25);
        OK(MPI_Win_free(&win));
        if (i == 10)
            OK(MPI_Win_free(&early));
    }
    stop = 1;
    join(thread);
    SAME(both->number, turns);
    MPI_Win win = make(both->data, 200, MOVES);
    use(win, both->data, 200, 26);
    OK(MPI_Win_free(&win));
    SAME(both->number, turns);
    free(both);
}

/* -- memory that the program itself moves while its pages have to stay in the heap */

static void window_and_back(unsigned char *at, size_t bytes, enum stay stay)
{
    MPI_Win win = make(at, bytes, stay);
    OK(MPI_Win_free(&win));
}

/* A receive is to come there when the window ends.  What realloc makes of the memory behind that
 * message has all data, and nothing else of the heap is in it: not before and not after others'
 * pages have come and gone.  factor: of the first length, before the last one. */
static void enlarged(size_t factor)
{
    const size_t bytes = 1 << 20;
    unsigned char *array = t_alloc(bytes), *other = t_alloc(bytes), data[100];
    MPI_Request request;
    MPI_Win win = make(array, bytes, MOVES), held = make(other, bytes, MOVES);
    t_fill(array, bytes, 51);
    t_fill(other, bytes, 52);
    OK(MPI_Irecv(array, 100, MPI_BYTE, t_prev(), 2, MPI_COMM_WORLD, &request));
    OK(MPI_Win_free(&win));
    t_fill(data, sizeof data, 51);
    OK(MPI_Send(data, 100, MPI_BYTE, t_next(), 2, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    array = realloc(array, bytes / factor);
    DATA(array, bytes / factor, 51);
    array = realloc(array, 8 * bytes);
    DATA(array, bytes / factor, 51);
    t_fill(array, 8 * bytes, 53);
    DATA(other, bytes, 52);
    window_and_back(other, 100, MOVES);
    DATA(array, 8 * bytes, 53);
    OK(MPI_Win_free(&held));
    DATA(array, 8 * bytes, 53);
    DATA(other, bytes, 52);
    free(array);
    free(other);
}

/* Pages that a thread keeps in the heap are moved to other addresses: they are not taken for freed
 * ones. */
static void remapped(void)
{
    const size_t bytes = 1 << 20, part = bytes / 2;
    unsigned char *at = pages_apart(bytes), *to = pages_apart(part), *other = t_alloc(bytes);
    pthread_t thread;
    long number = 0;
    MPI_Win win = make(at, bytes, MOVES);
    t_fill(at, bytes, 54);
    stop = 0;
    turns = 0;
    CHECK(!pthread_create(&thread, NULL, count_up, &number));
    OK(MPI_Win_free(&win));
    CHECK(mremap(at + part, part, part, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
    window_and_back(other, bytes, STAYS);
    stop = 1;
    join(thread);
    for (int turn = 0; turn < 2; turn++) {
        window_and_back(other, bytes, MOVES);
        DATA(at, part, 54);
        for (size_t i = 0; i < part; i++)
            SAME(to[i], t_byte(54, part + i));
    }
    munmap(at, part);
    munmap(to, part);
    window_and_back(other, bytes, MOVES);
    free(other);
}

/* -- what peers write to by themselves while windows come and go */

/* A long message is on its way into memory on the same pages, or is still to be sent: then nothing
 * is moved, and what was moved stays so. */
static void receives(void)
{
    struct { unsigned char data[LONG], window[64]; } *both = t_alloc(sizeof *both);
    unsigned char *out = t_alloc(LONG);
    for (int turn = 0; turn < 20; turn++) {
        MPI_Request request[2];
        MPI_Win win = MPI_WIN_NULL;
        memset(both, 0, sizeof *both);
        t_fill(out, LONG, (unsigned)(turn + t_rank));
        if (turn % 3 == 0)
            win = make(both->window, 64, MOVES);
        OK(MPI_Irecv(both->data, LONG, MPI_BYTE, t_prev(), 1, MPI_COMM_WORLD, &request[0]));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (turn % 3 == 1)
            win = make(both->window, 64, STAYS);
        OK(MPI_Isend(out, LONG, MPI_BYTE, t_next(), 1, MPI_COMM_WORLD, &request[1]));
        if (turn % 3 == 2)
            OK(MPI_Win_create(both->window, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        if (turn % 2)
            OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
        OK(MPI_Win_free(&win));
        if (!(turn % 2))
            OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
        for (size_t i = 0; i < LONG; i++)
            if (both->data[i] != t_byte((unsigned)(turn + t_prev()), i))
                FAIL("turn %d: byte %zu", turn, i);
        win = make(both->window, 64, MOVES);        /* what had to stay goes back behind it */
        OK(MPI_Win_free(&win));
    }
    free(out);
    free(both);
}

/* Memory of another window on the same page, which could not be moved and is written to meanwhile:
 * the right neighbour adds, and none of that is lost. */
static void beside_registered(void)
{
    enum { TURNS = 300 };
    struct { int64_t sum; unsigned char window[64]; } *both = calloc(1, sizeof *both);
    const int64_t one = 1;
    MPI_Win held, win;
    pthread_t thread;
    long number = 0;
    stop = 0;
    turns = 0;
    CHECK(!pthread_create(&thread, NULL, count_up, &number));
    OK(MPI_Win_create(&both->sum, sizeof both->sum, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &held));
    stop = 1;
    join(thread);
    OK(MPI_Win_lock_all(0, held));
    for (int turn = 0; turn < TURNS; turn++) {
        OK(MPI_Accumulate(&one, 1, MPI_INT64_T, t_next(), 0, 1, MPI_INT64_T, MPI_SUM, held));
        if (turn % 30 == 0) {
            win = make(both->window, 64, STAYS);
            OK(MPI_Win_free(&win));
        }
    }
    OK(MPI_Win_unlock_all(held));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    SAME(both->sum, TURNS);
    OK(MPI_Win_free(&held));
    free(both);
}

/* -- */

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    children();
    protected_child();
    signals();
    threads();
    enlarged(1);
    enlarged(2);
    remapped();
    receives();
    beside_registered();
    return end();
}
