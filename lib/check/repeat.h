/* Whether a program that calls MPI again and again repeats itself.  It does for certain if it comes
 * back to where it was, from one call to the next or within a few of them, with the same registers
 * and the same memory, and has asked nothing of the world meanwhile: no system call, no clock, no
 * other thread, no handler of a signal, no memory that others write to.  Then it can only go on as
 * it did, until a call tells it something else.
 *
 * To see that, its instructions between two calls are executed one at a time. */
#ifndef CHECK_REPEAT_H
#define CHECK_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

/* From the end of this call on, which has told nothing. */
void check_repeat_try(void);

/* It was so, as of the call before this one; asked once.  since: when the attempt began, as of
 * stand.h. */
bool check_repeat_is_proved(uint64_t *since);

/* First of all in a call, and last of all, with the place behind the call; told: it has told the
 * program something, or does not count. */
void check_repeat_enter(void);
void check_repeat_leave(const void *caller, bool told);

/* The program looks at a clock. */
void check_repeat_stop(void);

#endif
