/* The variables of the environment that are ours: one table of them, and what is wrong with an
 * environment.  The manual's section is made from the table: `mpirun --help-environment`. */
#ifndef LIB_VARIABLES_H
#define LIB_VARIABLES_H

#include <stdbool.h>
#include <stdio.h>

/* Looks at "NAME=VALUE"; true: something is wrong, and `text` says what.  A name that begins as
 * ours do and is none of ours is taken for a mistake, and so is a value that would have no
 * effect.  Values that end the job where they are read are not looked at. */
bool mpi_variable_wrong(const char *assignment, char *text, size_t size);

/* Looks at a list of them, which ends with NULL (and may be NULL), and warns of each that is
 * wrong. */
void mpi_variables_check(char *const *list, void (*warn)(const char *text));

/* The table as text, for people and for the manual. */
void mpi_variables_print(FILE *out);

#endif
