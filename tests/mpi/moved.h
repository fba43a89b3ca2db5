/* Memory of the program's that is moved into the heap while a window has it: windows that have to
 * be moved, or to stay, and how they are used. */
#ifndef MPI_TEST_MOVED_H
#define MPI_TEST_MOVED_H

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "t.h"

enum { PAGE = 4096 };

static bool moves;          /* all that can be is moved here */
static bool in_valgrind;    /* where the library finds out only when it tries */

/* -- what the library counts */

static MPI_T_pvar_session session;
static MPI_T_pvar_handle moved_handle, kept_handle;

static void count(const char *name, MPI_T_pvar_handle *handle)
{
    int index, values;
    OK(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index));
    OK(MPI_T_pvar_handle_alloc(session, index, NULL, handle, &values));
    OK(MPI_T_pvar_start(session, *handle));
}

static void count_all(void)
{
    int provided;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_pvar_session_create(&session));
    count("windows_moved", &moved_handle);
    count("windows_unmoved", &kept_handle);
}

static uint64_t moved(void)
{
    uint64_t value = 0;
    OK(MPI_T_pvar_read(session, moved_handle, &value));
    return value;
}

static uint64_t kept(void)
{
    uint64_t value = 0;
    OK(MPI_T_pvar_read(session, kept_handle, &value));
    return value;
}

/* -- memory and windows, each of which has to be moved, or to stay */

/* Private pages with nothing near them: what is beside a stack or a thread's own data stays, and
 * the kernel fills the gaps that it finds. */
static inline void *pages_apart(size_t bytes)
{
    const size_t margin = 512 * 1024;
    char *all = mmap(NULL, bytes + 2 * margin, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED);
    CHECK(!munmap(all, margin) && !munmap(all + margin + bytes, margin));
    return all + margin;
}

static uint64_t was_moved, was_kept;
static void look(void) { was_moved = moved(), was_kept = kept(); }

enum stay { MOVES, STAYS };
static MPI_Win make_at(int line, void *base, size_t bytes, enum stay stay)
{
    MPI_Win win;
    look();
    OK(MPI_Win_create(base, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    const long more = (long)(moved() - was_moved), fewer = (long)(kept() - was_kept);
    if (!in_valgrind && (more != (moves && stay == MOVES) || fewer != (moves && stay == STAYS)))
        FAIL("the window of line %d: %ld moved, %ld not", line, more, fewer);
    return win;
}
#define make(...) make_at(__LINE__, __VA_ARGS__)

/* Each rank writes its neighbour's memory, a part by puts and a word by additions, and reads it. */
static void use(MPI_Win win, unsigned char *base, size_t bytes, unsigned seed)
{
    const size_t half = bytes / 2;
    unsigned char *data = t_alloc(half), *got = t_alloc(half);
    t_fill(data, half, seed + (unsigned)t_rank);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(data, (int)half, MPI_BYTE, t_next(), 0, (int)half, MPI_BYTE, win));
    OK(MPI_Win_fence(0, win));
    DATA(base, half, seed + (unsigned)t_prev());
    if (bytes >= 16 && (uintptr_t)base % 8 == 0 && bytes % 8 == 0) {
        int64_t one = 1, *word = (int64_t *)(void *)(base + bytes - 8);
        *word = 5;
        OK(MPI_Win_fence(0, win));
        for (int to = 0; to < t_size; to++)
            OK(MPI_Accumulate(&one, 1, MPI_INT64_T, to, (MPI_Aint)bytes - 8, 1, MPI_INT64_T,
                              MPI_SUM, win));
        OK(MPI_Win_fence(0, win));
        SAME(*word, 5 + t_size);
    }
    OK(MPI_Get(got, (int)half, MPI_BYTE, t_next(), 0, (int)half, MPI_BYTE, win));
    OK(MPI_Win_fence(0, win));
    CHECK(!memcmp(got, data, half));
    free(data);
    free(got);
}

/* -- a thread of the program's, beside which nothing is moved */

static _Atomic int stop;
static _Atomic long turns;
static _Atomic int counter;     /* that thread, by the kernel's number */
static void *count_up(void *argument)
{
    volatile long *number = argument;
    counter = (int)syscall(SYS_gettid);
    while (!stop) {
        ++*number;
        ++turns;
    }
    return NULL;
}

/* The kernel lists a thread for a moment longer than until it can be joined. */
static void join(pthread_t thread)
{
    char path[64];
    pthread_join(thread, NULL);
    snprintf(path, sizeof path, "/proc/self/task/%d", counter);
    while (!access(path, F_OK))
        usleep(100);
}

/* -- the beginning */

static bool has_loaded(const char *file)
{
    char line[1000];
    bool loaded = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        loaded |= strstr(line, file) != NULL;
    if (maps)
        fclose(maps);
    return loaded;
}
static void set_up(const char *way)
{
    const char *heap = getenv("NICEMU_HEAP"), *copies = getenv("NICEMU_RDMA");
    if (!strcmp(way, "staged"))
        setenv("NICEMU_RDMA", "staged", 1);
    if (strcmp(way, "staged") != 0)
        setenv("MPILITE_RMA", way, 1);
    moves = !strcmp(way, "moved") && !(heap && !strcmp(heap, "none")) && !(copies && *copies);
}

#if defined __SANITIZE_THREAD__
enum { HAS_THREAD = 1 };        /* of the sanitizer's */
#else
enum { HAS_THREAD = 0 };
#endif
static void begin(int *argc, char ***argv)
{
    set_up(*argc > 1 ? (*argv)[1] : "moved");
    t_start(argc, argv);
    in_valgrind = has_loaded("/vgpreload_");
    moves &= !t_modelled() && !t_apart() && t_size > 1 && !in_valgrind;
    if (HAS_THREAD)
        t_skip("nothing is moved where the thread sanitizer has a thread");
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);      /* longer ones are mappings, always */
    count_all();
}

static int end(void)
{
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    return t_end();
}

#endif
