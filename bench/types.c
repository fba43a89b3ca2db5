/* Derived datatypes by shape, between ranks 0 and 1: packing and unpacking beside a loop written by
 * hand, and half round trips by packed size.
 * usage: types [milliseconds per row, default 20] [largest size, default 4 MiB] [shape]
 *
 * What MPI_Pack makes is compared with what the loop makes before anything is measured. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 4, SIDE = 128, ROW = 1024, TAG = 1, MEMORY = 34 << 20 };

struct mixed { int i; double d; char c[3]; };
enum { MIXED_BYTES = sizeof(int) + sizeof(double) + 3 };

/* -- shapes: a type of about so many packed bytes, and its loops */

struct shape {
    const char *name;
    void (*make)(size_t bytes, MPI_Datatype *type, int *count);
    void (*pack)(const char *from, char *to, size_t bytes);
    void (*unpack)(const char *from, char *to, size_t bytes);
};

static void make_contiguous(size_t bytes, MPI_Datatype *type, int *count)
{
    MPI_Type_contiguous((int)(bytes / 8), MPI_DOUBLE, type);
    *count = 1;
}

static void pack_contiguous(const char *from, char *to, size_t bytes) { memcpy(to, from, bytes); }

static void make_8_16(size_t bytes, MPI_Datatype *type, int *count)
{
    MPI_Type_vector((int)(bytes / 8), 1, 2, MPI_DOUBLE, type);
    *count = 1;
}

static void pack_8_16(const char *from, char *to, size_t bytes)
{
    const double *f = (const double *)from;
    double *t = (double *)to;
    for (size_t i = 0; i < bytes / 8; i++)
        t[i] = f[2 * i];
}

static void unpack_8_16(const char *from, char *to, size_t bytes)
{
    const double *f = (const double *)from;
    double *t = (double *)to;
    for (size_t i = 0; i < bytes / 8; i++)
        t[2 * i] = f[i];
}

static void make_64_512(size_t bytes, MPI_Datatype *type, int *count)
{
    MPI_Type_vector((int)(bytes / 64), 8, 64, MPI_DOUBLE, type);
    *count = 1;
}

static void pack_64_512(const char *from, char *to, size_t bytes)
{
    for (size_t i = 0; i < bytes / 64; i++)
        memcpy(to + 64 * i, from + 512 * i, 64);
}

static void unpack_64_512(const char *from, char *to, size_t bytes)
{
    for (size_t i = 0; i < bytes / 64; i++)
        memcpy(to + 512 * i, from + 64 * i, 64);
}

/* Columns side by side, of a matrix with ROW columns and up to ROW rows. */
static size_t rows_of(size_t bytes) { return bytes / 8 < ROW ? bytes / 8 : ROW; }

static void make_columns(size_t bytes, MPI_Datatype *type, int *count)
{
    MPI_Datatype column;
    MPI_Type_vector((int)rows_of(bytes), 1, ROW, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, 8, type);
    MPI_Type_free(&column);
    *count = (int)(bytes / 8 / rows_of(bytes));
}

static void pack_columns(const char *from, char *to, size_t bytes)
{
    size_t rows = rows_of(bytes), columns = bytes / 8 / rows;
    const double *f = (const double *)from;
    double *t = (double *)to;
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++)
            *t++ = f[r * ROW + c];
}

static void unpack_columns(const char *from, char *to, size_t bytes)
{
    size_t rows = rows_of(bytes), columns = bytes / 8 / rows;
    const double *f = (const double *)from;
    double *t = (double *)to;
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++)
            t[r * ROW + c] = *f++;
}

static void make_mixed(size_t bytes, MPI_Datatype *type, int *count)
{
    int length[] = { 1, 1, 3 };
    MPI_Aint at[] = { offsetof(struct mixed, i), offsetof(struct mixed, d),
                      offsetof(struct mixed, c) };
    MPI_Datatype of[] = { MPI_INT, MPI_DOUBLE, MPI_CHAR }, fields;
    MPI_Type_create_struct(3, length, at, of, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(struct mixed), type);
    MPI_Type_free(&fields);
    *count = (int)(bytes / MIXED_BYTES);
}

static void pack_mixed(const char *from, char *to, size_t bytes)
{
    const struct mixed *f = (const struct mixed *)from;
    for (size_t i = 0; i < bytes / MIXED_BYTES; i++, to += MIXED_BYTES) {
        memcpy(to, &f[i].i, sizeof f[i].i);
        memcpy(to + sizeof(int), &f[i].d, sizeof f[i].d);
        memcpy(to + sizeof(int) + sizeof(double), f[i].c, sizeof f[i].c);
    }
}

static void unpack_mixed(const char *from, char *to, size_t bytes)
{
    struct mixed *t = (struct mixed *)to;
    for (size_t i = 0; i < bytes / MIXED_BYTES; i++, from += MIXED_BYTES) {
        memcpy(&t[i].i, from, sizeof t[i].i);
        memcpy(&t[i].d, from + sizeof(int), sizeof t[i].d);
        memcpy(t[i].c, from + sizeof(int) + sizeof(double), sizeof t[i].c);
    }
}

/* Faces of a cube of SIDE doubles: of `bytes`, so thick or such a part of one. */
struct box { size_t x, y, z; };

static struct box face(size_t bytes, int direction)
{
    size_t lines = bytes / 8 / SIDE, part = lines < SIDE ? lines : SIDE, thick = lines / part;
    switch (direction) {
    case 0: return (struct box){ thick, SIDE, part };
    case 1: return (struct box){ SIDE, thick, part };
    default: return (struct box){ SIDE, part, thick };
    }
}

static void make_face(size_t bytes, int direction, MPI_Datatype *type, int *count)
{
    struct box b = face(bytes, direction);
    int all[] = { SIDE, SIDE, SIDE }, zero[] = { 0, 0, 0 };
    int some[] = { (int)b.z, (int)b.y, (int)b.x };
    MPI_Type_create_subarray(3, all, some, zero, MPI_ORDER_C, MPI_DOUBLE, type);
    *count = 1;
}

static void pack_box(const char *from, char *to, struct box b)
{
    const double *f = (const double *)from;
    double *t = (double *)to;
    for (size_t z = 0; z < b.z; z++)
        for (size_t y = 0; y < b.y; y++)
            for (size_t x = 0; x < b.x; x++)
                *t++ = f[(z * SIDE + y) * SIDE + x];
}

static void unpack_box(const char *from, char *to, struct box b)
{
    const double *f = (const double *)from;
    double *t = (double *)to;
    for (size_t z = 0; z < b.z; z++)
        for (size_t y = 0; y < b.y; y++)
            for (size_t x = 0; x < b.x; x++)
                t[(z * SIDE + y) * SIDE + x] = *f++;
}

#define FACE(name, direction) \
    static void make_##name(size_t n, MPI_Datatype *t, int *c) { make_face(n, direction, t, c); } \
    static void pack_##name(const char *from, char *to, size_t n) \
    { \
        pack_box(from, to, face(n, direction)); \
    } \
    static void unpack_##name(const char *from, char *to, size_t n) \
    { \
        unpack_box(from, to, face(n, direction)); \
    }
FACE(face_x, 0)
FACE(face_y, 1)
FACE(face_z, 2)

static const struct shape shapes[] = {
    { "contiguous", make_contiguous, pack_contiguous, pack_contiguous },
    { "vector-8-16", make_8_16, pack_8_16, unpack_8_16 },
    { "vector-64-512", make_64_512, pack_64_512, unpack_64_512 },
    { "columns", make_columns, pack_columns, unpack_columns },
    { "struct", make_mixed, pack_mixed, unpack_mixed },
    { "face-x", make_face_x, pack_face_x, unpack_face_x },
    { "face-y", make_face_y, pack_face_y, unpack_face_y },
    { "face-z", make_face_z, pack_face_z, unpack_face_z },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* -- what is measured */

static int rank;

static struct job {
    const struct shape *shape;
    MPI_Datatype type;
    int count;
    size_t bytes;
    char *data, *packed;
} job;

static void ping_pong(long rounds)
{
    for (long i = 0; i < 2 * rounds; i++) {
        if (i % 2 == rank)
            MPI_Send(job.data, job.count, job.type, !rank, TAG, MPI_COMM_WORLD);
        else
            MPI_Recv(job.data, job.count, job.type, !rank, TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

static void pack(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        int at = 0;
        MPI_Pack(job.data, job.count, job.type, job.packed, (int)job.bytes, &at, MPI_COMM_WORLD);
    }
}

static void unpack(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        int at = 0;
        MPI_Unpack(job.packed, (int)job.bytes, &at, job.data, job.count, job.type,
                   MPI_COMM_WORLD);
    }
}

/* The compiler must not see that each turn does the same. */
static void by_hand(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        job.shape->pack(job.data, job.packed, job.bytes);
        __asm__ volatile("" ::: "memory");
    }
}

static void by_hand_back(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        job.shape->unpack(job.packed, job.data, job.bytes);
        __asm__ volatile("" ::: "memory");
    }
}

static void fail(const char *what)
{
    fprintf(stderr, "types: %s: %s of %zu bytes\n", job.shape->name, what, job.bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(void)
{
    char *mine = calloc(1, job.bytes), *again = calloc(1, job.bytes);
    int at = 0;
    for (size_t i = 0; i < MEMORY; i++)
        job.data[i] = (char)(i * 7 + i / 251);
    job.shape->pack(job.data, mine, job.bytes);
    MPI_Pack(job.data, job.count, job.type, again, (int)job.bytes, &at, MPI_COMM_WORLD);
    if (memcmp(mine, again, job.bytes))
        fail("packing");
    free(mine);
    free(again);
}

/* -- timing */

static double seconds(void (*body)(long), long rounds)
{
    double begin = MPI_Wtime();
    body(rounds);
    return MPI_Wtime() - begin;
}

/* Rank 0's word counts, where both take part. */
static long calibrate(void (*body)(long), double limit, int both)
{
    for (long rounds = 1;; rounds *= 2) {
        double t = seconds(body, rounds);
        if (both)
            MPI_Bcast(&t, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (t >= limit / 2)
            return rounds;
    }
}

static double measure(void (*body)(long), double limit, int both)
{
    long rounds = calibrate(body, limit / BATCHES, both);
    double best = 1e9;
    for (int i = 0; i < BATCHES; i++) {
        if (both)
            MPI_Barrier(MPI_COMM_WORLD);
        double t = seconds(body, rounds) / (double)rounds;
        best = t < best ? t : best;
    }
    return best;
}

static void row(const char *what, double seconds)
{
    printf("%s/%s-%zu/ns %.1f\n", what, job.shape->name, job.bytes, seconds * 1e9);
}

static void measure_packing(double limit)
{
    check();
    row("pack", measure(pack, limit, 0));
    row("pack-by-hand", measure(by_hand, limit, 0));
    row("unpack", measure(unpack, limit, 0));
    row("unpack-by-hand", measure(by_hand_back, limit, 0));
}

static void measure_shape(const struct shape *s, size_t bytes, double limit, int packing)
{
    job.shape = s;
    job.bytes = bytes;
    s->make(bytes, &job.type, &job.count);
    MPI_Type_commit(&job.type);
    if (packing && rank == 0)
        measure_packing(limit);
    MPI_Barrier(MPI_COMM_WORLD);
    double half = measure(ping_pong, limit, 1) / 2;
    if (rank == 0)
        row("half-round-trip", half);
    MPI_Type_free(&job.type);
}

int main(int argc, char **argv)
{
    double limit = (argc > 1 ? atof(argv[1]) : 20) * 1e-3;
    size_t largest = argc > 2 ? (size_t)atol(argv[2]) : 4 << 20;
    const char *only = argc > 3 ? argv[3] : NULL;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    job.data = malloc(MEMORY);
    job.packed = malloc(largest);
    if (size != 2 || !job.data || !job.packed) {
        fprintf(stderr, "types: needs 2 ranks and memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(job.data, 1, MEMORY);
    memset(job.packed, 2, largest);
    for (int i = 0; i < SHAPES; i++)
        for (size_t bytes = 1024; bytes <= largest && (!only || !strcmp(only, shapes[i].name));
             bytes *= 4)
            measure_shape(&shapes[i], bytes, limit, bytes == 16384 || bytes == 1 << 20);
    free(job.data);
    free(job.packed);
    MPI_Finalize();
    return 0;
}
