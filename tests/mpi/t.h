/* What every MPI test needs: checks that name file, line and rank and end the
 * job, data patterns, buffers with guard bytes, and a set of communicators to
 * repeat a test on.  A test prints nothing when all is right. */
#ifndef T_H
#define T_H

#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif
#include <time.h>
#include <unistd.h>

#include "watched.h"

enum { T_SKIP = 77, T_GUARD = 64, T_GUARD_BYTE = 0xa5 };

static int t_rank, t_size;

__attribute__((noreturn, format(printf, 3, 4)))
static inline void t_fail(const char *file, int line, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "%s:%d: rank %d of %d: %s\n", file, line, t_rank, t_size, text);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

#define FAIL(...) t_fail(__FILE__, __LINE__, __VA_ARGS__)

#define CHECK(condition) \
    do { \
        if (!(condition)) \
            FAIL("%s is false", #condition); \
    } while (0)

/* Equal integers. */
#define SAME(got, want) \
    do { \
        long long got_ = (long long)(got), want_ = (long long)(want); \
        if (got_ != want_) \
            FAIL("%s is %lld, should be %s = %lld", #got, got_, #want, want_); \
    } while (0)

/* The call returns an error code of this class. */
#define CLASS(call, class) \
    do { \
        int code_ = (call), class_ = code_; \
        if (code_ != MPI_SUCCESS) \
            MPI_Error_class(code_, &class_); \
        if (class_ != (class)) \
            FAIL("%s gives class %d, should give %s (%d)", #call, class_, #class, (class)); \
    } while (0)

#define OK(call) CLASS(call, MPI_SUCCESS)

static inline void t_start(int *argc, char ***argv)
{
    OK(MPI_Init(argc, argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &t_rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &t_size));
}

/* Every rank comes here, so that a rank that ended early does not go unnoticed. */
static inline int t_end(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    return 0;
}

/* All ranks call this with the same verdict. */
static inline void t_skip(const char *reason)
{
    if (t_rank == 0)
        fprintf(stderr, "skipped: %s\n", reason);
    MPI_Finalize();
    exit(T_SKIP);
}

/* For tests in which several threads call. */
static inline void t_start_threads(int *argc, char ***argv)
{
    int provided;

    OK(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &t_rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &t_size));
    if (provided < MPI_THREAD_MULTIPLE)
        t_skip("no MPI_THREAD_MULTIPLE");
}

/* The neighbours in the ring of all ranks; with one rank both are the rank itself. */
static inline int t_next(void) { return (t_rank + 1) % t_size; }
static inline int t_prev(void) { return (t_rank + t_size - 1) % t_size; }

/* On the model clock, of which MPI_T tells the time there.  Between MPI_Init and MPI_Finalize. */
static inline int t_modelled(void)
{
    static int found = -1;
    int provided, sources;
    MPI_Count time;

    if (found >= 0)
        return found;
    found = 0;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_source_get_num(&sources));
    for (int i = 0; i < sources && !found; i++) {
        char name[16];
        int bytes = sizeof name;
        OK(MPI_T_source_get_info(i, name, &bytes, NULL, NULL, NULL, NULL, NULL, NULL));
        found = !strcmp(name, "model")
                && MPI_T_source_get_timestamp(i, &time) == MPI_SUCCESS;
    }
    OK(MPI_T_finalize());
    return found;
}

/* How many ranks share memory with this one, itself included: on one machine, where each counts as
 * one of its own over a wire with faults, or on several with so many ranks on each, in order
 * (tests/machines/start.sh). */
static inline int t_near(void)
{
    const char *each = getenv("MPI_TEST_EACH");
    int ranks = each ? atoi(each) : getenv("NICEMU_FAULT") ? 1 : t_size;
    int left = t_size - t_rank / ranks * ranks;
    return left < ranks ? left : ranks;
}

/* What needs common memory of all ranks is refused. */
static inline int t_apart(void) { return t_near() < t_size; }

/* At the end of a test in which no rank ever has a second thread, not the NIC's either: it is left
 * out under the thread sanitizer, for which it takes long, and which has nothing to find there. */
static inline int t_end_single(void)
{
#if defined(_SYS_SINGLE_THREADED_H) && !defined(__SANITIZE_THREAD__)
    /* a wire has threads, on one rank too */
    bool wires = getenv("NICEMU_FAULT") || getenv("MPI_TEST_EACH");
    if (!__libc_single_threaded && !wires && !getenv("NICEMU_PROGRESS"))
        FAIL("a thread was started, and the test says that it needs none");
#endif
    return t_end();
}

static inline void *t_alloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);

    if (!p)
        FAIL("no memory for %zu bytes", bytes);
    return p;
}

/* ---------------------------------------------------------------- data -- */

static IN_BOTH unsigned char t_byte(unsigned seed, size_t i)
{
    return (unsigned char)(seed * 37u + i * 11u + (i >> 8) * 7u + (i >> 16) * 3u + 1u);
}

UNWATCHED static inline void t_put_bytes(unsigned char *p, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        p[i] = t_byte(seed, i);
}

static inline void t_fill(void *buffer, size_t bytes, unsigned seed)
{
    all_written(buffer, bytes);
    t_put_bytes(buffer, bytes, seed);
}

UNWATCHED static inline bool t_has_bytes(const unsigned char *p, size_t bytes, unsigned seed)
{
    unsigned differ = 0;

    for (size_t i = 0; i < bytes; i++)
        differ |= (unsigned)(p[i] ^ t_byte(seed, i));
    return !differ;
}

#define DATA(buffer, bytes, seed) t_data(__FILE__, __LINE__, buffer, bytes, seed)

static inline void t_data(const char *file, int line, const void *buffer, size_t bytes,
                          unsigned seed)
{
    const unsigned char *p = buffer;

    all_read(p, bytes);
    if (t_has_bytes(p, bytes, seed))
        return;
    for (size_t i = 0; i < bytes; i++)
        if (p[i] != t_byte(seed, i))
            t_fail(file, line, "byte %zu of %zu is 0x%02x, should be 0x%02x (seed %u)", i, bytes,
                   p[i], t_byte(seed, i), seed);
}

/* A buffer between guard bytes, at any alignment. */
struct t_buffer {
    unsigned char *block, *data;
    size_t bytes, offset;
};

static inline void t_buffer_new(struct t_buffer *b, size_t bytes, size_t offset)
{
    b->block = t_alloc(bytes + offset + 2 * T_GUARD);
    b->data = b->block + T_GUARD + offset;
    b->bytes = bytes;
    b->offset = offset;
    memset(b->block, T_GUARD_BYTE, bytes + offset + 2 * T_GUARD);
}

#define GUARDS(buffer) t_buffer_guards(__FILE__, __LINE__, buffer)

static inline void t_buffer_guards(const char *file, int line, const struct t_buffer *b)
{
    const unsigned char *end = b->data + b->bytes;

    for (const unsigned char *p = b->block; p < end + T_GUARD; p++) {
        if (p == b->data)
            p = end;
        if (*p != T_GUARD_BYTE)
            t_fail(file, line, "byte %td of a buffer of %zu was overwritten", p - b->data,
                   b->bytes);
    }
}

static inline void t_buffer_free(struct t_buffer *b)
{
    free(b->block);
}

/* Memory that all ranks map, zero at first: for what a test must know without a message.
 * Collective; the file, which jobs side by side have each of their own, has no name any more when
 * it returns. */
static inline void *t_map(const char *name, size_t bytes)
{
    const char *folder = getenv("MPI_TEST_DIR");
    long job = (long)getpid();
    char path[4096];
    void *memory;
    int fd;

    OK(MPI_Bcast(&job, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    snprintf(path, sizeof path, "%s/%s.%ld", folder ? folder : "/tmp", name, job);
    if (t_rank == 0)
        unlink(path);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    fd = open(path, O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0);
    CHECK(ftruncate(fd, (off_t)bytes) == 0);
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(memory != MAP_FAILED);
    close(fd);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_rank == 0)
        unlink(path);
    return memory;
}

/* Seconds of processor time of this thread: what waits while others must get on counts these, since
 * on a machine where nobody gets on they do not pass either. */
static inline double t_computed(void)
{
    struct timespec t;

    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A small generator, the same everywhere (xorshift). */
static inline uint32_t t_random(uint32_t *state)
{
    uint32_t x = *state ? *state : 2463534242u;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

/* --------------------------------------------------------- collectives -- */

static const int t_counts[] = {0, 1, 2, 7, 100, 1000, 100000};

enum { T_COUNTS = sizeof t_counts / sizeof *t_counts, T_LARGE = 1001 };

/* Element i of what rank r contributes. */
static inline int t_value(int r, int i)
{
    return (int)(((unsigned)r * 7919u + (unsigned)i * 31u + 5u) & 0xffffffu);
}

static inline int *t_ints(size_t count)
{
    int *p = t_alloc(count * sizeof *p);

    for (size_t i = 0; i < count; i++)
        p[i] = -1;
    return p;
}

static inline int *t_values(int r, int count)
{
    int *p = t_alloc((size_t)count * sizeof *p);

    for (int i = 0; i < count; i++)
        p[i] = t_value(r, i);
    return p;
}

typedef void t_body(MPI_Comm comm, int rank, int size);

static inline void t_on_comm(MPI_Comm comm, t_body *body)
{
    int rank, size;

    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    body(comm, rank, size);
}

/* Runs the body on WORLD, a duplicate, all ranks in reverse, odd and even ranks apart, and SELF. */
static inline void t_on_comms(t_body *body)
{
    MPI_Comm comm;

    t_on_comm(MPI_COMM_WORLD, body);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    t_on_comm(comm, body);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -t_rank, &comm));
    t_on_comm(comm, body);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, t_rank, &comm));
    t_on_comm(comm, body);
    OK(MPI_Comm_free(&comm));
    t_on_comm(MPI_COMM_SELF, body);
}

/* Large counts are tried on WORLD and with the first and last
 * root only: that is where the algorithms differ. */
static inline int t_worth(MPI_Comm comm, int count, int root, int size)
{
    return count < T_LARGE || (comm == MPI_COMM_WORLD && (root == 0 || root == size - 1));
}

/* Errors come back as codes, whichever communicator they are raised on. */
static inline void t_errors_return(void)
{
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
}

#endif
