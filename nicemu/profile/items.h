/* A profile while it is read: what was said about each key and where, before all of it becomes
 * numbers. */
#ifndef NIC_PROFILE_ITEMS_H
#define NIC_PROFILE_ITEMS_H

#include <stdio.h>

#include "nicemu/profile.h"
#include "profile/quantity.h"

enum nic_item_origin { NIC_ITEM_DEFAULT, NIC_ITEM_FILE, NIC_ITEM_SET };

struct nic_item {
    enum nic_item_origin origin;
    unsigned file, line;        /* FILE: which of the parse's, and where in it */
    char *text;                 /* the value as written, or NULL */
    char *source;               /* FILE: the comment behind it, or NULL */
    struct nic_quantity amount;
};

/* A key of a program's own: any name, and a value that only the program understands. */
struct nic_own_item { struct nic_profile_own own; struct nic_item item; };

/* What is said of some ranks; where nothing is, they have what all have. */
struct nic_part_items { unsigned first, count; struct nic_item items[NIC_PROFILE_KEYS]; };

enum { NIC_PROFILE_FILES_MOST = 16 };   /* that one profile includes, itself counted */

struct nic_parse {
    char name[NIC_PROFILE_NAME_MAX];
    char *file[NIC_PROFILE_FILES_MOST]; /* paths, in the order of reading: 0 is the profile's own */
    unsigned files;
    char *title;                /* first comment of the file, or NULL */
    char *error;                /* where messages go; the caller's */
    size_t room;
    bool all;                   /* go on behind a mistake, with a line for each; else the first */
    unsigned mistakes;
    struct nic_item items[NIC_PROFILE_KEYS];
    struct nic_own_item own[NIC_PROFILE_OWN_MOST];
    unsigned owns;
    struct nic_part_items part[NIC_PROFILE_PARTS_MOST];
    unsigned parts;
    const struct nic_part_items *finished;      /* of these ranks; NULL: of all */
};

#endif
