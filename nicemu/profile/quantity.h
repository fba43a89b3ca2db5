/* A value as a profile says it: a decimal number with a unit, kept as written, since cycles become
 * time only when all clocks are known. */
#ifndef NIC_PROFILE_QUANTITY_H
#define NIC_PROFILE_QUANTITY_H

#include "nicemu/profile.h"

struct nic_unit;

struct nic_quantity {
    uint64_t digits;            /* the number without its point */
    unsigned decimals;          /* digits behind the point */
    const struct nic_unit *unit;
    const char *clock;          /* cycles: section whose clock counts; NULL: the key's own */
};

/* Reads a value of this key.  NULL, or what is wrong with it, in few words. */
const char *nic_quantity_read(const struct nic_profile_key *key, const char *text,
                             struct nic_quantity *amount);
/* The number to store; `hertz` is the clock for cycles.  NULL, or what is wrong with it.  The range
 * of the key is not looked at. */
const char *nic_quantity_value(const struct nic_quantity *amount, const struct nic_profile_key *key,
                             uint64_t hertz, uint64_t *value);

enum { NIC_QUANTITY_TEXT = 128, NIC_ALLOWED_TEXT = 256 };
/* "1.5 ns", "32 KiB", "polling": in the largest unit that needs no long fraction. */
void nic_profile_format(const struct nic_profile_key *key, uint64_t value,
                        char text[static NIC_QUANTITY_TEXT]);
/* "0 to 1 s (in ps, ns, us, ms, s, cycles)" */
void nic_profile_allowed(const struct nic_profile_key *key, char text[static NIC_ALLOWED_TEXT]);

#endif
