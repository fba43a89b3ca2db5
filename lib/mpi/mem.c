/* MPI_Alloc_mem and MPI_Free_mem.  A hint in the info object that makes no sense counts as none. */
#include "mpi/mem.h"

#include <string.h>

#include "core/err.h"
#include "core/info.h"
#include "core/mem.h"
#include "core/world.h"
#include "mpi/weak_alias.h"
#include "nicemu/sizes.h"

enum { ALIGN_MIN = 64 };
#define ALIGN_MAX ((size_t)1 << 30)
#define SIZE_LIMIT ((MPI_Aint)1 << 47)      /* no address space is larger: nobody need be asked */

size_t mpi_mem_align(MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL];
    uint64_t align;
    if (info == MPI_INFO_NULL
        || !mpi_info_find(info, "mpi_minimum_memory_alignment", value, sizeof value)
        || nic_size_parse(value, &align) || (align & (align - 1)))
        return ALIGN_MIN;
    return align < ALIGN_MIN || align > ALIGN_MAX ? ALIGN_MIN : (size_t)align;
}

static enum mpi_mem_place wish(MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL];
    bool said = mpi_info_find(info, "mpilite_memory", value, sizeof value);
    return said ? mpi_mem_place_by_name(value) : MPI_MEM_PLACE_COUNT;
}

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    const char *call = "MPI_Alloc_mem";
    void *base = NULL;
    MPI_ENTER(call);
    if (size < 0)
        return mpi_err(NULL, call, MPI_ERR_SIZE, "the size is %lld", (long long)size);
    if (!baseptr)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the result is NULL");
    if (!mpi_info_valid(info))
        return mpi_err(NULL, call, MPI_ERR_INFO, "%p is no info object", (void *)info);
    if (size < SIZE_LIMIT)
        base = mpi_mem_new((size_t)size, mpi_mem_align(info), wish(info));
    if (!base)
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for %lld bytes", (long long)size);
    memcpy(baseptr, &base, sizeof base);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Alloc_mem);

int PMPI_Free_mem(void *base)
{
    MPI_ENTER("MPI_Free_mem");
    if (!base || mpi_mem_free(base))
        return MPI_SUCCESS;
    return mpi_err(NULL, "MPI_Free_mem", MPI_ERR_BASE,
                   "%p was not returned by MPI_Alloc_mem, or has been freed", base);
}
MPI_WEAK_ALIAS(Free_mem);
