/* What memory of this process is: read from the kernel's list of its mappings. */
#ifndef MPI_RMA_MAPS_H
#define MPI_RMA_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MPI_RMA_PAGE = 4096 };

enum mpi_rma_mapping_kind {
    MPI_RMA_MAPPING_OTHER,      /* of which nothing may be taken */
    MPI_RMA_MAPPING_PRIVATE,    /* the process's own, writable, with no name or malloc's */
    MPI_RMA_MAPPING_DATA,       /* the same with a file behind it: a program's variables, or not */
    MPI_RMA_MAPPING_HEAP        /* this rank's heap, with any rights: `offset` says which part */
};

/* Mappings that touch a range, in order of addresses. */
struct mpi_rma_mapping {
    uintptr_t begin, end;
    enum mpi_rma_mapping_kind kind;
    int rights;                 /* PROT_READ and others */
    uint64_t offset;
};
enum { MPI_RMA_MAPPINGS = 256 };
struct mpi_rma_maps {
    unsigned count;
    struct mpi_rma_mapping mapping[MPI_RMA_MAPPINGS];
    /* with what lies in front of it and behind it without a gap and is PRIVATE too, or heap */
    uintptr_t around_begin, around_end;
};

/* Fills it in for [begin, end).  Takes no memory.  One call at a time.  False: the list cannot be
 * read, or is too long there; or a tool runs the process that has to know all of its memory. */
bool mpi_rma_maps_read(struct mpi_rma_maps *maps, uintptr_t begin, uintptr_t end);

/* Something of this part of the heap is mapped beside the heap, at whatever address: as where the
 * program has moved its memory by mremap.  Or nobody knows.  One call at a time. */
bool mpi_rma_maps_show(uint64_t offset, size_t bytes);

/* The memory of the mapping that has this page may be kept from being swapped out. */
bool mpi_rma_maps_locked(uintptr_t begin);

/* Variables: of the program, of a library, or neither. */
enum mpi_rma_owner { MPI_RMA_OF_NOBODY, MPI_RMA_OF_PROGRAM, MPI_RMA_OF_LIBRARY };
enum mpi_rma_owner mpi_rma_maps_owner(uintptr_t begin, uintptr_t end);

#endif
