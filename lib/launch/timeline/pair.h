/* Which record is the other end of which. */
#ifndef LAUNCH_PAIR_H
#define LAUNCH_PAIR_H

#include "launch/timeline/view.h"

/* Sends with their receives, and packets with the events that they became: `partner` of both. */
void pair_messages(struct view *view);

#endif
