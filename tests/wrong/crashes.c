/* crashes WHICH [RANK or right]: ways to crash, of which mpirun is to say where; "right": what they
 * do without their mistake. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

static int rank, size;
static volatile int zero, *nowhere, sink;
static bool right;

/* Frames that no optimiser takes away. */
#define FRAME __attribute__((noinline, noclone))

FRAME static void store_nowhere(void) { *nowhere = 1; }
FRAME static void null_pointer(void)
{
    store_nowhere();
    sink++;
}

FRAME static void divide(void) { sink = rank / zero; }

FRAME static void aborts(void)
{
    if (!right)
        abort();
}

FRAME static int recurse(int depth)
{
    volatile char big[4096];
    big[depth & 4095] = (char)depth;
    return depth < zero ? 0 : recurse(depth + 1) + big[(depth + 1) & 4095];
}
FRAME static void overflow(void) { sink = recurse(rank); }

/* The heap is damaged: malloc finds out, with its lock held. */
FRAME static void damage(void)
{
    char *volatile a = malloc(24), *volatile b = malloc(24);
    for (int i = right ? 16 : 0; i < (right ? 40 : 256); i++)
        a[i - 16] = (char)0x7f;
    free(b);
    free(a);
    for (int i = 0; i < 4096; i++)
        free(malloc((size_t)i * 3));
    aborts();
}

/* The program's allocator crashes while it holds its lock: who needs memory then waits for ever. */
static volatile int armed;
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
extern void *__libc_malloc(size_t bytes);
void *malloc(size_t bytes)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (armed)
        store_nowhere();
    void *block = __libc_malloc(bytes);
    pthread_mutex_unlock(&lock);
    return block;
}
#endif

FRAME static void inside_malloc(void)
{
    armed = 1;
    void *block = malloc(100);
    sink = !block;
    armed = 0;
    free(block);
    aborts();
}

FRAME static void calls_null(void)
{
    void (*volatile function)(void) = right ? null_pointer : NULL;
    function();
    sink++;
}

/* Into what is mapped and is no code, and to where nothing can be mapped. */
FRAME static void calls_data(void)
{
    void (*volatile function)(void) = right ? null_pointer : (void (*)(void))&zero;
    function();
    sink++;
}
FRAME static void calls_wild(void)
{
    void (*volatile function)(void) = right ? null_pointer : (void (*)(void))-4096l;
    function();
    sink++;
}

/* Over the frame that it is in, and those of who called. */
FRAME static int fill(char *small)
{
    memset(small, right ? 0 : 0xff, right ? 16 : 1024);
    return small[15];
}

#if defined __has_attribute && __has_attribute(no_stack_protector)
__attribute__((no_stack_protector))
#endif
FRAME static void smashes(void)
{
    char small[16];
    sink = fill(small);
}

/* Crashes where who has called it is damaged already. */
FRAME static void inside_damage(void)
{
    char small[16];
    sink = fill(small);
    store_nowhere();
    sink++;
}

FRAME static void beyond_file(void)
{
    FILE *file = tmpfile();
    if (right && ftruncate(fileno(file), 4096))
        perror("ftruncate");
    volatile char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    p[100] = 1;
}

FRAME static void illegal(void)
{
    if (!right)
        __builtin_trap();
}

FRAME static void *in_thread(void *argument)
{
    null_pointer();
    return argument;
}
static void thread(void)
{
    pthread_t t;
    pthread_create(&t, NULL, in_thread, NULL);
    pthread_join(t, NULL);
}

/* In a thread that has waited in MPI: what of it is left to say so is another stack. */
static void wait_often(void)
{
    int peer = rank ^ 1;
    for (int i = 0; i < 1000 && peer < size; i++)
        MPI_Sendrecv(&i, 1, MPI_INT, peer, 1, (int *)&sink, 1, MPI_INT, peer, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

FRAME static void *full_thread(void *argument)
{
    wait_often();
    overflow();
    return argument;
}
static void thread_overflow(void)
{
    pthread_attr_t attributes;
    pthread_t t;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, right ? (size_t)1 << 26 : (size_t)1 << 20);
    pthread_create(&t, &attributes, right ? in_thread : full_thread, NULL);
    pthread_join(t, NULL);
}

/* Threads that come and go leave nothing behind. */
static void *waits(void *argument)
{
    wait_often();
    return argument;
}

static long mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    long bytes = 0;
    unsigned long begin, end;
    while (maps && fscanf(maps, "%lx-%lx%*[^\n]", &begin, &end) == 2)
        bytes += (long)(end - begin);
    if (maps)
        fclose(maps);
    return bytes;
}

static void threads(void)
{
    long before = 0;
    for (int i = 0; i < 40; i++) {
        pthread_t t;
        pthread_create(&t, NULL, waits, NULL);
        pthread_join(t, NULL);
        if (i == 4)
            before = mappings();
    }
    if (mappings() - before > 8 * (64 << 10))
        exit(9);
}

/* The program's own handler counts, and what it ends with. */
static void own(int signal)
{
    (void)signal;
    _exit(77);
}
static void own_handler(void)
{
    signal(SIGSEGV, own);
    null_pointer();
}

/* In the library, by what the program gave it. */
FRAME static void bad_buffer(void)
{
    char eight[8] = { 0 };
    MPI_Send(right ? eight : (char *)16, 8, MPI_BYTE, right ? MPI_PROC_NULL : rank, 0,
             MPI_COMM_WORLD);
    sink++;
}

/* With a name of 189 characters. */
#define JOIN(a, b) a##b
#define LONGER(name) JOIN(name, _3456789_123456789_123456789_123456789_123456789_123456789_)
FRAME static void LONGER(LONGER(LONGER(far_too_long)))(void)
{
    null_pointer();
    sink++;
}
static void long_name(void) { LONGER(LONGER(LONGER(far_too_long)))(); }

/* By somebody else, or as it seems. */
FRAME static void sent(void)
{
    if (!right)
        kill(getpid(), SIGSEGV);
    sink++;
}

/* No permission, in memory that is there. */
FRAME static void write_constant(void)
{
    static const int constant = 1;
    *(right ? &sink : (volatile int *)(uintptr_t)&constant) = 2;
    sink++;
}

/* Floating point, where the processor traps: bits that mask what it traps at. */
static volatile double one = 1, nothing, most = 1e308;
FRAME static void trap_at(unsigned masks)
{
#ifdef __x86_64__
    _mm_setcsr(_mm_getcsr() & ~(right ? 0 : masks));
#else
    (void)masks;
#endif
}
FRAME static void float_divide(void)
{
    trap_at(0x200);
    sink = one / nothing > 0;
}
FRAME static void float_overflow(void)
{
    trap_at(0x400);
    sink = most * most > 0;
}
FRAME static void float_underflow(void)
{
    trap_at(0x800);
    sink = one / most / most > 0;
}
FRAME static void float_invalid(void)
{
    trap_at(0x80);
    sink = nothing / nothing > 0;
}

static void child(void)
{
    if (fork() == 0) {
        null_pointer();
        _exit(0);
    }
    if (right)
        return;
    sleep(1);
    exit(5);
}

/* Its file takes the numbers of descriptors that it has not opened itself. */
static void closes(void)
{
    int file = open(getenv("CRASH_FILE"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    for (int fd = 3; fd < 256; fd++)
        if (fd != file)
            dup2(file, fd);
    null_pointer();
}

/* Compiled into the function that calls it. */
static inline __attribute__((always_inline)) void inlined(void) { *nowhere = 1; }
FRAME static void calls_inlined(void)
{
    inlined();
    sink++;
}

/* As many calls of itself from one place as `depth`. */
FRAME static int deep(int depth)
{
    if (depth > 0)
        deep(depth - 1);
    else
        store_nowhere();
    return ++sink;
}
FRAME static void calls_deep(void) { sink = deep(5) + 1; }

/* Rank 0 crashes; the others in their ways when they are asked to end, whoever comes first. */
FRAME static void store_at(int place)
{
    *(right ? nowhere : (volatile int *)(uintptr_t)place) = 1;
    sink++;
}
static void apart(void)
{
    sigset_t term;
    int signal;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    if (rank && !right)
        sigwait(&term, &signal);
    switch (rank) {
    case 0: null_pointer(); break;
    case 1: case 2: store_at(16 * rank); break;
    case 3: store_nowhere(); break;
    case 4: divide(); break;
    case 5: aborts(); break;
    default: illegal(); break;
    }
}

static const struct { const char *name; void (*run)(void); } ways[] = {
    { "inlined", calls_inlined }, { "deep", calls_deep }, { "apart", apart },
    { "null", null_pointer }, { "divide", divide }, { "abort", aborts }, { "overflow", overflow },
    { "damage", damage }, { "malloc", inside_malloc }, { "call", calls_null },
    { "file", beyond_file }, { "illegal", illegal }, { "thread", thread },
    { "thread_overflow", thread_overflow }, { "threads", threads },
    { "own", own_handler }, { "buffer", bad_buffer }, { "child", child },
    { "closes", closes }, { "data", calls_data }, { "wild", calls_wild }, { "smash", smashes },
    { "inside", inside_damage }, { "long_name", long_name },
    { "sent", sent }, { "constant", write_constant }, { "float_divide", float_divide },
    { "float_overflow", float_overflow }, { "float_underflow", float_underflow },
    { "float_invalid", float_invalid },
};

/* A second argument: ranks above it do not crash, but wait. */
int main(int argc, char **argv)
{
    int level;
    sigset_t term;

    if (argc > 1 && !strcmp(argv[1], "apart")) {
        sigemptyset(&term);
        sigaddset(&term, SIGTERM);
        sigprocmask(SIG_BLOCK, &term, NULL);
    }
    MPI_Init_thread(&argc, &argv, argc > 1 && !strncmp(argv[1], "thread", 6) ? MPI_THREAD_MULTIPLE
                                                                             : MPI_THREAD_SINGLE,
                    &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    right = argc > 2 && !strcmp(argv[2], "right");
    if (right) {
        zero = 1 << 20;
        nowhere = &sink;
    }
    if (argc > 2 && !right && rank > atoi(argv[2]))
        MPI_Recv(NULL, 0, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
            ways[i].run();
    MPI_Finalize();
    return 0;
}
