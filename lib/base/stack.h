/* Text that is put together by hand, and frames of the stack in it, a line each:
 *     #0 name+0x12 (/path/of/program+0x1234) */
#ifndef LIB_STACK_H
#define LIB_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* Bytes of a report at most: it is written in one piece. */
enum { CRASH_BYTES = 4096, CRASH_FRAMES = 32 };

struct mpi_stack_text { char buf[CRASH_BYTES]; size_t used; };

/* What fits; control characters become question marks. */
void mpi_stack_put(struct mpi_stack_text *t, const char *s, size_t most);
void mpi_stack_put_words(struct mpi_stack_text *t, const char *s);
void mpi_stack_put_number(struct mpi_stack_text *t, uint64_t n, unsigned base);

/* "  #@ what (/path/of/program+0x1234)", where the call that made it returns to `maker`; nothing if
 * that is NULL, or in no file. */
void mpi_stack_put_made(struct mpi_stack_text *t, const char *what, const void *maker);

/* Of where a signal has interrupted the thread; 0: not known on this kind of machine. */
uintptr_t mpi_stack_pointer(const ucontext_t *u);
uintptr_t mpi_stack_counter(const ucontext_t *u);
/* From there on, in the handler.  A damaged stack may make it crash in its turn, with part of a
 * line put.  no_code: no instruction could be read there; then u becomes that of the caller. */
void mpi_stack_put_interrupted(struct mpi_stack_text *t, ucontext_t *u, bool no_code);
/* In place of the rest, from the beginning of the line on. */
#define STACK_DAMAGED "  the stack is damaged: no more of it can be read"
void mpi_stack_put_damaged(struct mpi_stack_text *t);
/* From where this library was called.  False: not known, as where the program has it in it. */
bool mpi_stack_put_callers(struct mpi_stack_text *t);

#endif
