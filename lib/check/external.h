/* Which instructions ask something of the world. */
#ifndef CHECK_EXTERNAL_H
#define CHECK_EXTERNAL_H

#include <stdbool.h>

/* The one that begins there: a system call, a clock, a counter, a random number. */
bool check_is_external(const unsigned char *instruction);

#endif
