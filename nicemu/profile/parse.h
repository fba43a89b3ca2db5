/* A profile while it is read: what was said about each key and where, before all of it becomes numbers. */
#ifndef NIC_PROFILE_PARSE_H
#define NIC_PROFILE_PARSE_H

#include <stdio.h>

#include "nicemu/profile.h"

/* -- amounts: a decimal number with a unit, kept as written, since cycles become time only when all clocks are known */

struct nic_unit;

struct nic_amount {
    uint64_t digits;            /* the number without its point */
    unsigned decimals;          /* digits behind the point */
    const struct nic_unit *unit;
    const char *clock;          /* cycles: section whose clock counts; NULL: the key's own */
};

/* Reads a value of this key.  NULL, or what is wrong with it, in few words. */
const char *nic_amount_parse(const struct nic_profile_key *key, const char *text, struct nic_amount *amount);
/* The number to store; `hertz` is the clock for cycles.  NULL, or what is wrong with it.  The range of the key is not looked at. */
const char *nic_amount_value(const struct nic_amount *amount, const struct nic_profile_key *key, uint64_t hertz, uint64_t *value);

enum { NIC_AMOUNT_TEXT = 128, NIC_ALLOWED_TEXT = 256 };
/* "1.5 ns", "32 KiB", "polling": in the largest unit that needs no long fraction. */
void nic_profile_format(const struct nic_profile_key *key, uint64_t value, char text[static NIC_AMOUNT_TEXT]);
/* "0 to 1 s (in ps, ns, us, ms, s, cycles)" */
void nic_profile_allowed(const struct nic_profile_key *key, char text[static NIC_ALLOWED_TEXT]);

/* -- drafts */

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

/* -- folders of profiles: those of the environment, the installation or build of the running program, the configured installation */

enum { NIC_PROFILE_FOLDERS = 8 };
/* False: none with this number. */
bool nic_profile_folder(unsigned number, char *path, size_t room);
/* 0, or -ENOENT: none of that name. */
int nic_profile_path(const char *name, char *path, size_t room);

void nic_profile_put(struct nic_profile *profile, const struct nic_profile_key *key, uint64_t value);

#endif
