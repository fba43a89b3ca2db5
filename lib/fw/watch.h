/* What the firmware tells somebody who wants to know: never on the short ways, where a message
 * meets nothing.  A header without a .c. */
#ifndef FW_WATCH_H
#define FW_WATCH_H

#include "fw/state.h"

/* match: of the message; peer: of the job, where it is known; bytes: of the message; queue: length
 * of the queue that it stands in now, or has left. */
static inline void fw_notice(struct fw *fw, enum fw_notice_kind kind, const struct fw_notice *n)
{
    if (__builtin_expect(fw->watch != NULL, 0))
        fw->watch(kind, n);
}

#endif
