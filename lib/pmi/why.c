/* What failed last. */
#include "pmi/why.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/printable.h"

static char why[512];

/* A part of the text may come from a server. */
int mpi_pmi_failed(int error, const char *format, ...)
{
    char text[384];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printable(why, sizeof why, text, "");
    return error;
}

const char *mpi_pmi_why(void) { return why; }
