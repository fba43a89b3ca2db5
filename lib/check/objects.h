/* Objects that the program has made and has to free. */
#ifndef CHECK_OBJECTS_H
#define CHECK_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

enum check_kind { CHECK_COMM, CHECK_TYPE, CHECK_GROUP, CHECK_WIN, CHECK_OP, CHECK_REQUEST,
                  CHECK_KINDS };

/* One that is predefined, or none, is not noted. */
void check_made(enum check_kind kind, uintptr_t handle, const char *call, const void *caller);
void check_freed(enum check_kind kind, uintptr_t handle);

/* The program has one of these. */
bool check_is_any(enum check_kind kind);

/* Reports what is left, at the end. */
void check_left(void);

#endif
