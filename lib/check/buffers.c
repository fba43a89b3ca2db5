/* See buffers.h. */
#define _GNU_SOURCE
#include "check/buffers.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi/door.h"

struct check_buffer check_buffer_find(const void *buf, MPI_Count count, MPI_Datatype type)
{
    ptrdiff_t at = 0;
    size_t bytes = buf ? mpi_door.run_of(count, type, &at) : 0;

    if (!bytes)
        return (struct check_buffer){ NULL, NULL };
    const char *begin = (const char *)buf + at;
    return (struct check_buffer){ begin, begin + bytes };
}

uint64_t check_buffer_sum(struct check_buffer b)
{
    uint64_t sum = 0, word;
    size_t bytes = (size_t)(b.end - b.begin);

    bytes = bytes < CHECK_BUFFER_SUMMED ? bytes : CHECK_BUFFER_SUMMED;
    for (; bytes >= sizeof word; bytes -= sizeof word, b.begin += sizeof word) {
        memcpy(&word, b.begin, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c55);
        sum ^= sum >> 29;
    }
    word = 0;
    memcpy(&word, b.begin, bytes);
    return (sum ^ word) * UINT64_C(0x9e3779b97f4a7c55);
}

bool check_buffer_is_there(struct check_buffer b)
{
    enum { PAGE_LEAST = 4096, PAGES = CHECK_BUFFER_SUMMED / PAGE_LEAST + 2 };
    unsigned char pages[PAGES];
    uintptr_t from = (uintptr_t)b.begin & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    size_t bytes = (size_t)((uintptr_t)b.end - from);

    return !mincore((void *)from, bytes < CHECK_BUFFER_SUMMED ? bytes : CHECK_BUFFER_SUMMED,
                    pages);
}
