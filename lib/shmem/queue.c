/* The command queue of this PE's NIC, on the model clock alone: there one thread calls, as a queue
 * needs it, and what is mapped must not be used. */
#include "shmem/queue.h"

#include <string.h>

#include "nicemu/profile.h"
#include "shmem/error.h"
#include "shmem/symmetric.h"

/* Bytes: a longer put costs less in a transfer of its own, unless a unit executes the queue. */
enum { SHORT = 128, ELEMENTS = 65535 };

static struct nic_pgas *queue;
static size_t longest;

/* Where there is no room for one, all goes the long way. */
void mpi_shmem_queue_begin(void)
{
    if (mpi_shmem.modelled && mpi_door.nic_pgas_open(mpi_shmem.nic, &queue))
        queue = NULL;
    longest = queue && mpi_door.nic_profile_of(mpi_shmem.nic)->pgas.unit ? SIZE_MAX : SHORT;
}

void mpi_shmem_queue_end(void)
{
    if (queue)
        mpi_door.nic_pgas_close(queue);
    queue = NULL;
}

/* Places of commands are offsets in heaps. */
static bool has_place(const struct nic_address *a)
{
    return a->key == NIC_KEY_HEAP && a->offset < NIC_PGAS_SCRATCHPAD;
}

/* A line that is not full is kept back until the flush, and nobody may wait for that in vain. */
static bool write(const struct nic_pgas_command *c, const void *data)
{
    if (mpi_door.nic_pgas_write(queue, c, data))
        return false;
    mpi_door.nic_pgas_flush(queue);
    return true;
}

bool mpi_shmem_queue_put(struct nic_address to, const void *source, size_t bytes)
{
    if (!queue || !bytes || bytes > longest || !has_place(&to))
        return false;
    const unsigned size = (to.offset | bytes) & 3 ? 0 : (to.offset | bytes) & 7 ? 2 : 3;
    if (bytes >> size > ELEMENTS)
        return false;
    const struct nic_pgas_command c = { .op = NIC_PGAS_PUT, .size = size, .stride = 1,
                                        .count = (unsigned)(bytes >> size), .pid = to.rank,
                                        .address = to.offset };
    return write(&c, source);
}

/* [result wanted]; 0: there is none */
static const unsigned char commands[NIC_ATOMIC_OP_COUNT][2] = {
    [NIC_ATOMIC_ADD] = { NIC_PGAS_ADD, NIC_PGAS_FETCH_ADD },
    [NIC_ATOMIC_AND] = { NIC_PGAS_AND },
    [NIC_ATOMIC_OR] = { NIC_PGAS_OR },
    [NIC_ATOMIC_XOR] = { NIC_PGAS_XOR },
    [NIC_ATOMIC_WRITE] = { NIC_PGAS_SWAP, NIC_PGAS_SWAP },
    [NIC_ATOMIC_COMPARE] = { NIC_PGAS_COMPARE_SWAP, NIC_PGAS_COMPARE_SWAP },
};

bool mpi_shmem_queue_atomic(const char *call, struct nic_address at,
                            const struct mpi_shmem_atomic *a)
{
    uint64_t place, *result = mpi_shmem_front(&place);
    struct nic_pgas_command c = { .op = commands[a->op][a->result != NULL],
                                  .size = a->bytes == 4 ? 2 : 3, .count = 1, .stride = 1,
                                  .pid = at.rank, .address = at.offset, .local = place };
    unsigned char data[16];
    if (!queue || !c.op || !result || !has_place(&at))
        return false;
    memcpy(data, &a->operand, a->bytes);
    memcpy(data + a->bytes, &a->compare, a->bytes);
    if (!write(&c, data))
        return false;
    if (a->result) {
        mpi_shmem_queue_quiet(call);
        memcpy(a->result, result, a->bytes);
    }
    return true;
}

void mpi_shmem_queue_quiet(const char *call)
{
    int rc = queue ? mpi_door.nic_pgas_quiet(queue) : 0;
    if (rc)
        mpi_shmem_die(call, "memory of a PE can't be reached: %s", strerror(-rc));
}
