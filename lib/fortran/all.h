/* All functions of Fortran, once for each of their two names (names.h). */
#include "fortran/names.h"
#include "fortran/attributes.h"
#include "fortran/callbacks.h"
#include "fortran/convert.h"
#include "fortran/later.h"
#include "fortran/view.h"

/* Fortran's compiler declares these, no header does. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#include "fortran/calls.inc"
#include "fortran/special_strings.h"
#include "fortran/special_callbacks.h"
#include "fortran/special_attributes.h"
