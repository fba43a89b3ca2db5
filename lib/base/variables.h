/* The variables of the environment that are ours: one table of them, and what is wrong with an
 * environment.  The manual's section is made from the table: `mpirun --help-environment`. */
#ifndef LIB_VARIABLES_H
#define LIB_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct nic_variable;

/* Looks at a list of "NAME=VALUE" that ends with NULL (and may be NULL), and warns of each that
 * is wrong: a name that begins as ours do and is none of ours, or a value that would have no
 * effect, perhaps as the job is not on the model clock (`modelled`).  Values that are refused where
 * they are read are not looked at. */
void mpi_variables_check(char *const *list, bool modelled, void (*warn)(const char *text));

/* From 0; NULL: no more. */
const struct nic_variable *mpi_variable_at(unsigned i);

/* What one is for, its values and its default, in a paragraph. */
void mpi_variable_describe(const struct nic_variable *v, char *text, size_t size);

/* The table as text, for people and for the manual. */
void mpi_variables_print(FILE *out);

#endif
