/* What a call waited for. */
#ifndef LAUNCH_CAUSE_H
#define LAUNCH_CAUSE_H

#include "launch/timeline/view.h"

/* Sets `cause` and `waited` of each call whose other end is known: a receive that came before its
 * send, a send that was over only when its receive came, a collective that others came to later. */
void cause_find(struct view *view);

/* "the sender came late" */
const char *cause_text(enum wait_cause cause);

#endif
