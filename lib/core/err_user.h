/* Error classes and codes that the program has added to those of the standard.  A number is never
 * used again.  Any thread, at any time. */
#ifndef MPI_ERR_USER_H
#define MPI_ERR_USER_H

#include <stdbool.h>
#include <stddef.h>

enum mpi_err_user {
    MPI_ERR_USER_DONE,
    MPI_ERR_USER_UNKNOWN,       /* the program has added no such class or code */
    MPI_ERR_USER_HAS_CODES,     /* a class of which codes are left */
    MPI_ERR_USER_HAS_TEXT,      /* its text is still there; or there is none to remove */
    MPI_ERR_USER_NO_MEMORY,
};

/* A new code of `class`, which is the standard's or the program's, or with 0 a new class; 0: no
 * memory. */
int mpi_err_user_add(int class);

/* Takes back a class or code, which must have no text and, a class, no codes. */
enum mpi_err_user mpi_err_user_remove(int code, bool class);

/* Gives a class or code a text in place of the one that it has; NULL takes it away. */
enum mpi_err_user mpi_err_user_describe(int code, const char *text);

/* The greatest number that was ever used for a code: the value of MPI_LASTUSEDCODE. */
int mpi_err_last_used(void);

/* Of any code, the standard's or the program's: its class, -1 if it is none. */
int mpi_err_class(int code);

/* Its text, "" if it has none, cut at `room` bytes; of the standard's code: behind its name, or
 * (words) alone.  False: it is no code. */
bool mpi_err_string(int code, char *text, size_t room);
bool mpi_err_words(int code, char *text, size_t room);

#endif
