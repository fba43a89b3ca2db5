/* What the program can write to, as a number. */
#ifndef CHECK_MEMORY_H
#define CHECK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for what changes while that is looked at; once.  NULL: there is none. */
void *check_memory_room(size_t bytes);

/* Finds what can be written now, but for the stack.  False: it is not known who else writes there,
 * or that is too much to look at. */
bool check_memory_find(void);

/* The end of the main thread's stack, and a number for all that lies between. */
uintptr_t check_memory_stack_end(void);
uint64_t check_memory_between(uintptr_t begin, uintptr_t end);

/* A number for the contents of all that was found; another one each time if it has grown, or is
 * gone.  Takes no memory, and writes to none but that
 * room. */
uint64_t check_memory_sum(void);

#endif
