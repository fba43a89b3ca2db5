/* The program's buffers: where they lie, and a number for what is in them. */
#ifndef CHECK_BUFFERS_H
#define CHECK_BUFFERS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Of a buffer without gaps whose data come in the order of its bytes, so that the data of a short
 * message are its first bytes; NULL: it is none, or there is nothing in it. */
struct check_buffer { const char *begin, *end; };
struct check_buffer check_buffer_find(const void *buf, MPI_Count count, MPI_Datatype type);

/* How many bytes of it are summed up. */
enum { CHECK_BUFFER_SUMMED = 1 << 22 };
uint64_t check_buffer_sum(struct check_buffer buffer);
/* False: its memory is gone. */
bool check_buffer_is_there(struct check_buffer buffer);

#endif
