/* Layouts made at random: a type, and where each byte of its stream lies. */
#ifndef RANDOM_LAYOUT_H
#define RANDOM_LAYOUT_H

#include "t.h"

enum { UNIT = 240 };            /* streams have a multiple of so many bytes */

static uint32_t seed;

static long below(long n) { return (long)(t_random(&seed) % (uint32_t)n); }

struct layout { MPI_Datatype type; int count; long n, *at, span; };

/* Blocks in any order: their places are drawn, then shuffled. */
static void make_list(struct layout *l)
{
    long blocks = 1 + below(60), place = 0, left = l->n;
    int *length = t_alloc((size_t)blocks * sizeof *length);
    MPI_Aint *at = t_alloc((size_t)blocks * sizeof *at);
    long same = below(2) ? 1 + below(16) : 0;
    for (long i = 0; i < blocks; i++) {
        long share = i == blocks - 1 ? left : same && same < left ? same : below(left + 1);
        length[i] = (int)share;
        at[i] = place += below(20);
        place += share;
        left -= share;
    }
    for (long i = blocks - 1; i > 0 && l->n < 5000; i--) {
        long k = below(i + 1), b = length[i];
        MPI_Aint a = at[i];
        length[i] = length[k], at[i] = at[k];
        length[k] = (int)b, at[k] = a;
    }
    OK(MPI_Type_create_hindexed((int)blocks, length, at, MPI_BYTE, &l->type));
    l->count = 1;
    for (long i = 0, k = 0; i < blocks; i++)
        for (long b = 0; b < length[i]; b++)
            l->at[k++] = at[i] + b;
    free(length);
    free(at);
}

UNWATCHED static void put_places(long *at, long times, long each, long bytes, long far, long near)
{
    for (long i = 0, k = 0; i < times; i++)
        for (long j = 0; j < each; j++)
            for (long b = 0; b < bytes; b++)
                at[k++] = i * far + j * near + b;
}

/* `times` times `each` blocks of `bytes`; far and near: from one to the next. */
static void make_plane(struct layout *l, long times, long each, long bytes, long far, long near)
{
    MPI_Datatype block, row;
    OK(MPI_Type_contiguous((int)bytes, MPI_BYTE, &block));
    OK(MPI_Type_create_hvector((int)each, 1, near, block, &row));
    OK(MPI_Type_create_resized(row, 0, far, &l->type));
    OK(MPI_Type_free(&block));
    OK(MPI_Type_free(&row));
    l->count = (int)times;
    SAME(times * each * bytes, l->n);
    put_places(l->at, times, each, bytes, far, near);
}

/* A divisor of UNIT. */
static long divisor(void)
{
    static const long of[] = { 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 30, 40, 48, 60, 80 };
    return of[below(sizeof of / sizeof *of)];
}

static void make_vector(struct layout *l)
{
    long bytes = divisor();
    make_plane(l, 1, l->n / bytes, bytes, 0, bytes + below(40));
}

static void make_rows(struct layout *l)
{
    long bytes = divisor(), each = UNIT / bytes, near = bytes + below(9);
    make_plane(l, l->n / UNIT, each, bytes, each * near + below(50), near);
}

/* Columns of a matrix, beside each other. */
static void make_columns(struct layout *l)
{
    long bytes = divisor(), columns = UNIT / bytes, each = l->n / UNIT;
    make_plane(l, columns, each, bytes, bytes, columns * bytes + below(300));
}

static void make_records(struct layout *l)
{
    int length[] = { 3, 4, 8, 5 };
    MPI_Aint at[] = { 1, 4, 16, 24 };
    MPI_Datatype fields, type[] = { MPI_BYTE, MPI_BYTE, MPI_BYTE, MPI_BYTE };
    if (below(2))
        at[0] = 9, at[1] = 0;
    OK(MPI_Type_create_struct(4, length, at, type, &fields));
    OK(MPI_Type_create_resized(fields, 0, 32, &l->type));
    OK(MPI_Type_free(&fields));
    l->count = (int)(l->n / 20);
    for (long i = 0, k = 0; i < l->count; i++)
        for (int f = 0; f < 4; f++)
            for (int b = 0; b < length[f]; b++)
                l->at[k++] = i * 32 + at[f] + b;
}

UNWATCHED static long end_of(const long *at, long n)
{
    long end = 0;
    for (long i = 0; i < n; i++)
        end = at[i] >= end ? at[i] + 1 : end;
    return end;
}

static struct layout layout_new(long n)
{
    struct layout l = { .n = n, .at = t_alloc((size_t)n * sizeof(long)) };
    switch (below(6)) {
    case 0: make_list(&l); break;
    case 1: make_vector(&l); break;
    case 2: make_rows(&l); break;
    case 3: make_columns(&l); break;
    case 4: make_records(&l); break;
    default: make_plane(&l, 1, 1, n, 0, 0); break;
    }
    OK(MPI_Type_commit(&l.type));
    l.span = end_of(l.at, n);
    return l;
}

static void layout_free(struct layout *l)
{
    if (l->type != MPI_DATATYPE_NULL)
        OK(MPI_Type_free(&l->type));
    free(l->at);
}

#endif
