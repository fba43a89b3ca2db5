/* Objects named by index, in chunks that never move. */
#ifndef FW_SLAB_H
#define FW_SLAB_H

#include <stddef.h>
#include <stdint.h>

struct fw_slab { void **chunk; uint32_t chunks, used; size_t object_bytes; };
enum { FW_SLAB_CHUNK = 128 };

/* A new object, all zero, and its index; NULL: no memory. */
void *mpi_fw_slab_new(struct fw_slab *slab, uint32_t *index);
/* NULL: there is no object of that index. */
static inline void *fw_slab_at(const struct fw_slab *s, uint32_t index)
{
    if (index >= s->used)
        return NULL;
    return (char *)s->chunk[index / FW_SLAB_CHUNK] + index % FW_SLAB_CHUNK * s->object_bytes;
}
void mpi_fw_slab_release(struct fw_slab *slab);

#endif
