#include "fw/slab.h"

#include <stdlib.h>

void *mpi_fw_slab_new(struct fw_slab *s, uint32_t *index)
{
    if (s->used == s->chunks * FW_SLAB_CHUNK) {
        void **chunk = realloc(s->chunk, (s->chunks + 1) * sizeof *chunk);
        if (!chunk)
            return NULL;
        s->chunk = chunk;
        if (!(chunk[s->chunks] = calloc(FW_SLAB_CHUNK, s->object_bytes)))
            return NULL;
        s->chunks++;
    }
    *index = s->used++;
    return fw_slab_at(s, *index);
}

void mpi_fw_slab_release(struct fw_slab *s)
{
    for (uint32_t i = 0; i < s->chunks; i++)
        free(s->chunk[i]);
    free(s->chunk);
}
