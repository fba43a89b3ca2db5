/* Past the cores a message is copied once, by the kernel, for a receiver that reads it in its turn
 * (`get`), or twice, through buffers, where each part waits for a turn of the other end (`staged`).
 * What is quicker hangs on processor and kernel (us for 1 MiB: once 66 to 88, twice 45 to 200), so
 * a rank measures both from time to time.
 *
 * All calls with the baton held. */
#ifndef FW_COPIES_H
#define FW_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Into a buffer, out of it, by the kernel. */
enum fw_copy { FW_COPY_FILL, FW_COPY_TAKE, FW_COPY_READ, FW_COPY_COUNT };

struct fw_copies {
    bool trial;
    int64_t lead;               /* ns that a copy by the kernel takes longer, for FW_COPIES_BYTES */
    uint32_t turns_ns;          /* until all who share a core have had a turn; never changes */
    uint32_t left;              /* messages of the trial, or until the next one, */
    uint32_t pause;             /* which is after so many: memory that is new is slow */
    struct { uint64_t ns, bytes; } sum[FW_COPY_COUNT];      /* of this trial */
};

/* sharing: ranks for each core */
void mpi_fw_copies_init(struct fw_copies *copies, unsigned sharing);

/* Which way the next message, of so many bytes, comes to this rank: copied once?  A short one does,
 * since the turns take longer than the copy, and one that does not gain as much by buffers as
 * another turn of its sender takes. */
bool mpi_fw_copies_once(struct fw_copies *copies, size_t bytes);

/* Before a copy, and behind it, with what the first returned. */
uint64_t mpi_fw_copies_begin(const struct fw_copies *copies);
void mpi_fw_copies_end(struct fw_copies *copies, enum fw_copy copy, uint64_t begin, size_t bytes);
/* What the second does, of a copy that took so long. */
void mpi_fw_copies_count(struct fw_copies *copies, enum fw_copy copy, uint64_t ns, size_t bytes);

#endif
