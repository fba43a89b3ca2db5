/* nicemu/match.h: more of the matching list of nicemu.h (struct nic_match_list). */
#ifndef NICEMU_MATCH_H
#define NICEMU_MATCH_H

#include "../nicemu.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* nic_match_list_match without deleting. */
bool nic_match_list_find(const struct nic_match_list *list, uint64_t bits, uint64_t mask,
                         uint32_t *tag, size_t *position);

/* Makes room, so that appending does not fail while there are at most so many entries.  0 or
 * -ENOMEM. */
int nic_match_list_reserve(struct nic_match_list *list, size_t entries);

/* Deletes all entries; the room stays. */
void nic_match_list_clear(struct nic_match_list *list);

/* The entry with so many live entries before it.  False: there are not so many. */
struct nic_match_entry { uint64_t bits, mask; uint32_t tag; };
bool nic_match_list_at(const struct nic_match_list *list, size_t position,
                       struct nic_match_entry *entry);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
