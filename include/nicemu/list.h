/* nicemu/list.h: a queue that the NIC's processor keeps and searches on the model clock.  Part of
 * nicemu.h.
 *
 * A list takes the place of a plain matching store (struct nic_match_list), call for call, and
 * charges what each call costs on the modelled hardware: the processor traverses entries, each of
 * which lies in its cache or not, or an associative unit has the older part of the list (Brightwell
 * et al., IV-B to IV-D, V-C; nicemu/alpu_unit.h). Which, and what it costs, is in the NIC's
 * profile: alpu.*, and nic.append, unlink, update, entry_*, cache*; without cells the processor has
 * it all. All lists of a NIC share its cache; an entry's place there follows from the order of
 * calls alone, so the same calls cost the same in every run.
 *
 * Threads: baton held, as for all that a program does. */
#ifndef NICEMU_LIST_H
#define NICEMU_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alpu_unit.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nic_timed_list;

/* Model clock only.  The NIC owns the list, until nic_close.  0, -ENOSYS (live clock), -ENOMEM. */
int nic_timed_list_new(struct nic *nic, enum nic_alpu_kind kind, struct nic_timed_list **list);

/* As nic_match_list_append, _match, _find and _remove.  A NIC whose unit is in use asks it even if
 * the list is empty. */
int nic_timed_list_append(struct nic_timed_list *list, uint64_t bits, uint64_t mask, uint32_t tag);
bool nic_timed_list_match(struct nic_timed_list *list, uint64_t bits, uint64_t mask, uint32_t *tag);
bool nic_timed_list_find(struct nic_timed_list *list, uint64_t bits, uint64_t mask, uint32_t *tag);
bool nic_timed_list_remove(struct nic_timed_list *list, uint32_t tag);
size_t nic_timed_list_count(const struct nic_timed_list *list);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
