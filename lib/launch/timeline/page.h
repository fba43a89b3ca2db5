/* The page of --report: one file that needs no other. */
#ifndef LAUNCH_PAGE_H
#define LAUNCH_PAGE_H

#include <stdio.h>

#include "launch/timeline/view.h"

void page_write(FILE *out, const struct view *view);

#endif
