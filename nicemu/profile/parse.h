/* A profile while it is read: what was said about each key
 * and where, before all of it becomes numbers. */
#ifndef NIC_PROFILE_PARSE_H
#define NIC_PROFILE_PARSE_H

#include <stdio.h>

#include "nicemu/profile.h"
#include "profile/quantity.h"

enum nic_item_origin { NIC_ITEM_DEFAULT, NIC_ITEM_FILE, NIC_ITEM_SET };

struct nic_item {
    enum nic_item_origin origin;
    unsigned line;              /* FILE */
    char *text;                 /* the value as written, or NULL */
    char *source;               /* FILE: the comment behind it, or NULL */
    struct nic_amount amount;
};

struct nic_draft {
    char name[NIC_PROFILE_NAME_MAX];
    char *path;                 /* NULL: from no file */
    char *title;                /* first comment of the file, or NULL */
    char *error;                /* where messages go; the caller's */
    size_t room;
    struct nic_item items[NIC_PROFILE_KEYS];
};

/* All keys at their defaults.  Ends with nic_draft_drop. */
void nic_draft_init(struct nic_draft *draft, char *error, size_t room);
void nic_draft_drop(struct nic_draft *draft);
/* These return 0, or -errno with one line in the draft's error. */
int nic_draft_load(struct nic_draft *draft, const char *name);
int nic_draft_set(struct nic_draft *draft, const char *assignment);
int nic_draft_finish(const struct nic_draft *draft, struct nic_profile *profile);

#endif
