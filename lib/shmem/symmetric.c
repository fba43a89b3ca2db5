/* Where symmetric memory comes from: a block of the NIC's heap, which all ranks of a machine have
 * mapped; and the program's data, which are moved there, too.  Where there is no room for it there,
 * or the data cannot be moved without losing what others write meanwhile, memory of the process
 * that is registered. */
#define _GNU_SOURCE
#include "shmem/symmetric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/shmem_size.h"
#include "shmem/data.h"
#include "shmem/error.h"

/* WIDE: a large page of the processor's, at a multiple of which the symmetric heap begins where
 * there is room, so that blocks can be aligned to as much. */
enum { PAGE = 4096, WIDE = 2 << 20 };

/* What one PE tells the others. */
struct card {
    struct nic_address address[MPI_SHMEM_REGIONS];
    uint64_t heap_bytes, data_bytes, data_offset;
    uint32_t reaches;           /* it may work on others' heaps by itself */
    uint32_t in_heap[MPI_SHMEM_REGIONS];
    uint32_t heap_align;
};

/* This PE's own. */
static struct {
    size_t heap_bytes;
    size_t heap_align;          /* the least of any PE's */
    struct mpi_shmem_data data;
    char *place;                /* memory that has the heap in it */
    size_t place_bytes;
    char *front;                /* a page of the library's there, which the heap is behind */
    uint64_t block;             /* the place in the NIC's heap; NIC_HEAP_NONE: registered */
    bool moved;                 /* the program's data are in the NIC's heap */
} own;

/* -- how much */

size_t mpi_shmem_heap_bytes(void) { return own.heap_bytes; }

size_t mpi_shmem_heap_align(void) { return own.heap_align; }

static size_t heap_wanted(void)
{
    const char *text = mpi_shmem_variable(MPI_SHMEM_SIZE_VARIABLE);
    uint64_t bytes;
    if (!mpi_shmem_size_parse(text, &bytes))
        mpi_shmem_die("shmem_init", MPI_SHMEM_SIZE_VARIABLE " is '%s': it must be a number of "
                      "bytes, which k, m, g or t may follow", text);
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* -- this PE's part */

static void expose(int region, void *base, size_t bytes, struct card *card)
{
    uint32_t key;
    mpi_door.nic_enter(mpi_shmem.nic);
    int rc = mpi_door.nic_register(mpi_shmem.nic, base, bytes, NIC_RIGHT_ALL, &key);
    mpi_door.nic_leave(mpi_shmem.nic);
    if (rc)
        mpi_shmem_die("shmem_init", "memory can't be shown to other PEs: %s", strerror(-rc));
    card->address[region] = (struct nic_address){ .rank = (uint32_t)mpi_shmem.me, .key = key };
}

static void in_heap(int region, uint64_t at, struct card *card)
{
    card->address[region] = (struct nic_address){ .rank = (uint32_t)mpi_shmem.me,
                                                  .key = NIC_KEY_HEAP, .offset = at };
    card->in_heap[region] = 1;
}

/* A block of the NIC's heap, all zeros; NULL: there is no room. */
static char *take(size_t bytes, struct card *card)
{
    struct nic *nic = mpi_shmem.nic;
    uint64_t at = mpi_door.nic_heap_alloc(nic, bytes < NIC_HEAP_LARGE ? NIC_HEAP_LARGE : bytes,
                                          PAGE);
    own.block = at;
    if (at == NIC_HEAP_NONE)
        return NULL;
    char *block = mpi_door.nic_heap_at(nic, (unsigned)mpi_shmem.me, at, bytes);
    if (madvise(block, (bytes + PAGE - 1) / PAGE * PAGE, MADV_REMOVE))
        memset(block, 0, bytes);
    in_heap(MPI_SHMEM_HEAP, at, card);
    return block;
}

/* Of the process alone. */
static char *map(size_t bytes, struct card *card)
{
    char *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
        mpi_shmem_die("shmem_init", "no memory for a symmetric heap of %zu bytes "
                      "(" MPI_SHMEM_SIZE_VARIABLE ")", own.heap_bytes);
    expose(MPI_SHMEM_HEAP, place, bytes, card);
    return place;
}

/* Room for the heap at a multiple of `align`, a page behind its front. */
static char *place_heap(char *(*from)(size_t bytes, struct card *card), size_t align,
                        struct card *card)
{
    own.heap_align = align;
    own.place_bytes = align + own.heap_bytes;
    return from(own.place_bytes, card);
}

/* Where the NIC's heap is short of room the alignment is given up first. */
static void make_heap(struct card *card)
{
    own.heap_bytes = heap_wanted();
    if (!(own.place = place_heap(take, WIDE, card)) && !(own.place = place_heap(take, PAGE, card)))
        own.place = place_heap(map, WIDE, card);
    const size_t to_heap = own.heap_align - (uintptr_t)own.place % own.heap_align;
    own.front = own.place + to_heap - PAGE;
    card->address[MPI_SHMEM_HEAP].offset += to_heap;
    card->heap_bytes = own.heap_bytes;
    card->heap_align = (uint32_t)own.heap_align;
}

static void make_data(struct card *card)
{
    uint64_t at;
    mpi_shmem_data_find(&own.data);
    card->data_bytes = own.data.bytes;
    card->data_offset = own.data.offset;
    if (!own.data.bytes)
        return;
    own.moved = mpi_door.move_variables((void *)own.data.base, own.data.bytes, &at);
    if (own.moved)
        in_heap(MPI_SHMEM_DATA, at, card);
    else
        expose(MPI_SHMEM_DATA, (void *)own.data.base, own.data.bytes, card);
}

/* A child has the data for itself, as it would without SHMEM; and there is no memory that its calls
 * would reach, as they would be its PE's.  Before it writes to variables here, which are among the
 * program's if that has the library in it. */
static void in_child(void)
{
    mpi_door.children_own();
    mpi_shmem.child |= mpi_shmem.up;
    mpi_shmem.up = false;
    for (int i = 0; i < MPI_SHMEM_REGIONS; i++)
        mpi_shmem.region[i].bytes = 0;
}

/* -- all PEs' */

static bool reaches(void)
{
    return !mpi_shmem.modelled && mpi_door.nic_heap_size(mpi_shmem.nic)
           && (mpi_door.nic_remote_allowed(mpi_shmem.nic) & 1u << NIC_PATH_DIRECT);
}

static void settle(int region, const struct card *cards, void *base, size_t bytes)
{
    struct mpi_shmem_region *r = &mpi_shmem.region[region];
    r->base = (uintptr_t)base;
    r->at = calloc((size_t)mpi_shmem.n, sizeof *r->at);
    r->address = calloc((size_t)mpi_shmem.n, sizeof *r->address);
    if (!r->at || !r->address)
        mpi_shmem_die("shmem_init", "no memory for tables of all PEs");
    for (int i = 0; i < mpi_shmem.n; i++) {
        const struct card *c = &cards[i];
        r->address[i] = c->address[region];
        if (reaches() && c->reaches && c->in_heap[region])
            r->at[i] = mpi_door.nic_heap_at(mpi_shmem.nic, (unsigned)i, c->address[region].offset,
                                            bytes);
        mpi_shmem.local &= r->at[i] != NULL || !bytes || mpi_shmem.n == 1;
        if (i == mpi_shmem.me)
            r->at[i] = base;
    }
}

/* In the page in front of each heap. */
static void settle_waits(void)
{
    mpi_shmem.waits = calloc((size_t)mpi_shmem.n, sizeof *mpi_shmem.waits);
    if (!mpi_shmem.waits)
        mpi_shmem_die("shmem_init", "no memory for tables of all PEs");
    for (int i = 0; i < mpi_shmem.n; i++) {
        char *heap = mpi_shmem.region[MPI_SHMEM_HEAP].at[i];
        mpi_shmem.waits[i] = heap ? (uint32_t *)(void *)(heap - PAGE) : NULL;
    }
}

/* The same program everywhere has its variables at the same places. */
static size_t data_alike(const struct card *cards)
{
    for (int i = 0; i < mpi_shmem.n; i++)
        if (cards[i].data_bytes != own.data.bytes || cards[i].data_offset != own.data.offset)
            return 0;
    return own.data.bytes;
}

/* Blocks lie at the same offsets everywhere, so that they are aligned at all PEs or at none. */
static void agree_on_align(const struct card *cards)
{
    for (int i = 0; i < mpi_shmem.n; i++)
        if (cards[i].heap_align < own.heap_align)
            own.heap_align = cards[i].heap_align;
}

static void check_alike(const struct card *cards)
{
    for (int i = 0; i < mpi_shmem.n; i++)
        if (cards[i].heap_bytes != own.heap_bytes)
            mpi_shmem_die("shmem_init", "SHMEM_SYMMETRIC_SIZE differs: %llu bytes at PE %d, %zu "
                          "here", (unsigned long long)cards[i].heap_bytes, i, own.heap_bytes);
}

void mpi_shmem_symmetric_begin(MPI_Comm all)
{
    struct card card = { .reaches = reaches() }, *cards = NULL;
    make_heap(&card);
    make_data(&card);
    mpi_door.in_child(in_child);
    cards = calloc((size_t)mpi_shmem.n, sizeof *cards);
    if (!cards)
        mpi_shmem_die("shmem_init", "no memory for tables of all PEs");
    mpi_door.allgather("shmem_init", &card, sizeof card, cards, all);
    check_alike(cards);
    agree_on_align(cards);
    const size_t data = data_alike(cards);
    mpi_shmem.local = true;
    settle(MPI_SHMEM_HEAP, cards, own.front + PAGE, own.heap_bytes);
    settle_waits();
    settle(MPI_SHMEM_DATA, cards, (void *)own.data.base, data);
    mpi_shmem.region[MPI_SHMEM_DATA].bytes = data;
    free(cards);
    mpi_door.nic_enter(mpi_shmem.nic);
    mpi_door.nic_hold_service(mpi_shmem.nic, !mpi_shmem.local);
    mpi_door.nic_leave(mpi_shmem.nic);
}

/* Behind the line with the word that counts who waits. */
void *mpi_shmem_front(uint64_t *place)
{
    enum { LINE = 64 };
    if (own.block == NIC_HEAP_NONE)
        return NULL;
    *place = own.block + (uint64_t)(own.front - own.place) + LINE;
    return own.front + LINE;
}

/* -- the end */

static void conceal(int region)
{
    const struct nic_address *a = &mpi_shmem.region[region].address[mpi_shmem.me];
    if (a->key < NIC_KEY_FIRST)
        return;
    mpi_door.nic_enter(mpi_shmem.nic);
    mpi_door.nic_deregister(mpi_shmem.nic, a->key);
    mpi_door.nic_leave(mpi_shmem.nic);
}

void mpi_shmem_symmetric_end(void)
{
    mpi_door.nic_enter(mpi_shmem.nic);
    mpi_door.nic_hold_service(mpi_shmem.nic, -!mpi_shmem.local);
    mpi_door.nic_leave(mpi_shmem.nic);
    for (int i = 0; i < MPI_SHMEM_REGIONS; i++)
        conceal(i);
    if (own.block == NIC_HEAP_NONE)
        munmap(own.place, own.place_bytes);
    else
        mpi_door.nic_heap_free(mpi_shmem.nic, own.block);
    free(mpi_shmem.waits);
    if (own.moved)
        mpi_door.move_back((void *)own.data.base, own.data.bytes);
    for (int i = 0; i < MPI_SHMEM_REGIONS; i++) {
        free(mpi_shmem.region[i].at);
        free(mpi_shmem.region[i].address);
        mpi_shmem.region[i] = (struct mpi_shmem_region){ .bytes = 0 };
    }
}
