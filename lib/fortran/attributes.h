/* Attributes and generalized requests: functions of Fortran that C calls with a state of ours, and
 * values of attributes.
 *
 * An attribute is a pointer in C and an integer in Fortran.  What Fortran sets lies in a cell,
 * whose address is C's attribute, so that C finds the integer behind its pointer; what C sets is
 * an integer with the pointer's value in Fortran (MPI standard, "Attributes", of language
 * interoperability). */
#ifndef MPIF_ATTRIBUTES_H
#define MPIF_ATTRIBUTES_H

#include <stdbool.h>
#include "fortran/callbacks.h"

/* A new cell (NULL: no memory); its end, of what may be none. */
void *mpif_cell_new(MPI_Aint value);
void mpif_cell_free(void *attribute);

/* What Fortran sees of an attribute. */
MPI_Aint mpif_attribute(int keyval, void *attribute);

/* What keyvals of Fortran have as their extra_state in C.  `of_default`: extra_state and attributes
 * are default integers (MPI_Keyval_create). */
struct mpif_keyval {
    mpif_function *copy, *remove;
    MPI_Aint extra;
    bool of_default;
    struct mpif_keyval *next;
};

/* A new one (NULL: no memory).  It stays to the end of the program: attributes, also those that C
 * sets, may outlive the keyval. */
struct mpif_keyval *mpif_keyval_new(mpif_function *copy, mpif_function *remove, MPI_Aint extra,
                                    bool of_default);

MPI_Comm_copy_attr_function mpif_comm_copy;
MPI_Comm_delete_attr_function mpif_comm_delete;
MPI_Type_copy_attr_function mpif_type_copy;
MPI_Type_delete_attr_function mpif_type_delete;
MPI_Win_copy_attr_function mpif_win_copy;
MPI_Win_delete_attr_function mpif_win_delete;

/* A generalized request of Fortran, its extra_state in C. */
struct mpif_grequest {
    mpif_function *query, *free, *cancel;
    MPI_Aint extra;
};

MPI_Grequest_query_function mpif_grequest_query;
MPI_Grequest_free_function mpif_grequest_free;
MPI_Grequest_cancel_function mpif_grequest_cancel;

#endif
