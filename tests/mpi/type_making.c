/* A list of blocks or of members is made with a few pieces of memory, however many it has and
 * whatever their lengths and types: programs make such types in each step. */
#include "t.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_int pieces;

/* Sanitizers have an allocator of their own: there all counts are 0. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ && defined __GLIBC__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    pieces++;
    return __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    pieces++;
    return __libc_calloc(count, size);
}
#endif

enum { MANY = 2000 };

/* Lengths 1, 2, 0 in turn, each block with a gap behind it, the later half in front of the rest. */
static void fill(int count, int *length, int *at)
{
    for (int i = 0; i < count; i++) {
        length[i] = (i + 1) % 3;
        at[i] = 4 * (i < count / 2 ? count / 2 + i : i - count / 2);
    }
}

static int pieces_for(int count, MPI_Datatype old, MPI_Datatype *type)
{
    static int length[MANY], at[MANY];
    fill(count, length, at);
    int before = pieces;
    OK(MPI_Type_indexed(count, length, at, old, type));
    OK(MPI_Type_commit(type));
    return pieces - before;
}

/* each, apart: integers of an element, and from one element to the next. */
static void packed(MPI_Datatype type, int each, int apart)
{
    static int data[20 * MANY], out[4 * MANY], length[MANY], at[MANY];
    int place = 0, n = 0;
    fill(MANY, length, at);
    for (int i = 0; i < 20 * MANY; i++)
        data[i] = i;
    OK(MPI_Pack(data, 1, type, out, sizeof out, &place, MPI_COMM_SELF));
    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < each * length[i]; k++, n++)
            SAME(out[n], apart * at[i] + k / each * apart + k % each);
    SAME(place, n * (int)sizeof(int));
}

static void try(MPI_Datatype old, int each, int apart)
{
    MPI_Datatype few, many;
    int some = pieces_for(6, old, &few), all = pieces_for(MANY, old, &many);
    if (all > some + 16)
        printf("%d pieces of memory for 6 blocks, %d for %d\n", some, all, MANY);
    CHECK(all <= some + 16);
    packed(many, each, apart);
    OK(MPI_Type_free(&few));
    OK(MPI_Type_free(&many));
}

static int pieces_of_struct(int count)
{
    static int length[MANY];
    static MPI_Aint at[MANY];
    static MPI_Datatype member[MANY];
    MPI_Datatype type;
    for (int i = 0; i < count; i++) {
        length[i] = 1;
        at[i] = 16 * i;
        member[i] = i % 2 ? MPI_INT : MPI_DOUBLE;
    }
    int before = pieces;
    OK(MPI_Type_create_struct(count, length, at, member, &type));
    int made = pieces - before;
    OK(MPI_Type_free(&type));
    return made;
}

static void structs(void)
{
    int some = pieces_of_struct(6), all = pieces_of_struct(MANY);
    if (all > some + 16)
        printf("%d pieces of memory for 6 members, %d for %d\n", some, all, MANY);
    CHECK(all <= some + 16);
}

int main(int argc, char **argv)
{
    MPI_Datatype pair, loose;
    OK(MPI_Init(&argc, &argv));
    try(MPI_INT, 1, 1);
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    try(pair, 2, 2);
    OK(MPI_Type_create_resized(pair, 0, 3 * sizeof(int), &loose));
    try(loose, 2, 3);
    structs();
    OK(MPI_Type_free(&pair));
    OK(MPI_Type_free(&loose));
    OK(MPI_Finalize());
    return 0;
}
