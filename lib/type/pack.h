/* Copying between the bytes that a layout names and a packed stream of them. */
#ifndef MPI_PACK_H
#define MPI_PACK_H

#include "type/layout.h"

/* `count` elements of a layout, one every `extent` bytes from `origin` on. */
struct mpi_data {
    struct mpi_placed placed;
    void *origin;               /* only read by packing */
    size_t count;
    ptrdiff_t extent;
};

/* Bytes from..to-1 of the stream; `packed` is where byte `from` stands.  Both must be within the
 * stream.  Bytes of the buffer that the layout does not name stay as they are. */
void mpi_data_pack(const struct mpi_data *d, size_t from, size_t to, void *packed);
void mpi_data_unpack(const struct mpi_data *d, size_t from, size_t to, const void *packed);

/* Bytes of the stream, from any multiple of them on, that are much faster copied at once than in
 * smaller parts (columns side by side), at most `most`; 0: parts of any size are as fast. */
size_t mpi_data_window(const struct mpi_data *d, size_t most);

/* Calls `run` for each run of bytes from..to-1 of the stream, in order, until it returns false. */
typedef bool mpi_run_fn(void *context, void *at, size_t bytes);
void mpi_data_runs(const struct mpi_data *d, size_t from, size_t to, mpi_run_fn *run,
                   void *context);

#endif
