/* nicemu/gaps.h: data that do not lie in one piece, which the control program copies where the NIC
 * would have, a few lines of the inbox at a time.  Baton held. */
#ifndef NICEMU_GAPS_H
#define NICEMU_GAPS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic;
struct nic_tx;

/* In struct nic_program.  A message that is marked `gathered` has data of the program's own: gather
 * is asked for `bytes` of them from a place on, again and again while nic_send or a later try sends
 * it, until all have gone to `to`.  Each byte is asked for once, the first of a part after its
 * others.  scatter gets what nic_receive_scattered asked for, in order. */
struct nic_gaps {
    void (*gather)(struct nic *nic, void *context, const struct nic_tx *message, size_t place,
                   void *to, size_t bytes);
    void (*scatter)(struct nic *nic, void *context, void *cookie, size_t place, const void *from,
                    size_t bytes);
};

/* As nic_receive_body, to the program's scatter; `place`: of the first byte.  The cookie is not
 * NULL. */
void nic_receive_scattered(struct nic *nic, size_t place, size_t capacity, void *cookie);

/* Whether that can be done with what is sent and received here: not on the model clock, and not for
 * a program without this table. */
bool nic_gathers(const struct nic *nic);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
