/* The table of a profile's keys, as data.  All of it comes from the lists in nicemu/profile.h. */
#include <assert.h>
#include <string.h>

#include "profile/keys.h"

/* Shared layout: the launcher and the ranks of a job may have been built apart. */
static_assert(sizeof(struct nic_profile)
              == NIC_PROFILE_NAME_MAX + NIC_PROFILE_KEYS * sizeof(uint64_t)
                 + NIC_PROFILE_OWN_MOST * 2 * NIC_PROFILE_OWN_TEXT
                 + NIC_PROFILE_PARTS_MOST * (NIC_PROFILE_KEYS + 2) * sizeof(uint64_t),
              "a name, one number per key, keys of programs' own as text, and parts");

enum {
#define SECTION_INDEX(section, keys, clock, text) INDEX_##section,
    NIC_PROFILE_SECTIONS(SECTION_INDEX)
};

#define KEY(section, name, kind, least, most, fallback, unit, text) \
    { #section, #name, NIC_KEY_##kind, INDEX_##section, least, most, fallback, unit, text, \
      offsetof(struct nic_profile, section.name) },
#define KEYS(section, keys, clock, text) keys(KEY, section)
const struct nic_profile_key nic_profile_keys[NIC_PROFILE_KEYS] = { NIC_PROFILE_SECTIONS(KEYS) };

#define SECTION(section, keys, clock, text) { #section, text, #clock },
const struct nic_profile_section nic_profile_sections[NIC_PROFILE_SECTION_COUNT] =
    { NIC_PROFILE_SECTIONS(SECTION) };

const struct nic_profile_key *nic_profile_find(const char *name)
{
    const char *dot = strchr(name, '.');
    for (const struct nic_profile_key *k = nic_profile_keys; dot
         && k < nic_profile_keys + NIC_PROFILE_KEYS; k++)
        if (strlen(k->section) == (size_t)(dot - name) && !memcmp(k->section, name, dot - name)
            && !strcmp(k->name, dot + 1))
            return k;
    return NULL;
}

void nic_profile_put(struct nic_profile *p, const struct nic_profile_key *key, uint64_t value)
{
    *(uint64_t *)((char *)p + key->offset) = value;
}

void nic_profile_default(struct nic_profile *p)
{
    memset(p, 0, sizeof *p);
    strcpy(p->name, "default");
    for (const struct nic_profile_key *k = nic_profile_keys;
         k < nic_profile_keys + NIC_PROFILE_KEYS; k++)
        nic_profile_put(p, k, k->fallback);
}

void nic_profile_of_rank(const struct nic_profile *p, unsigned rank, struct nic_profile *own)
{
    *own = *p;
    for (unsigned i = 0; i < NIC_PROFILE_PARTS_MOST; i++)
        if (rank >= p->part[i].first && rank - p->part[i].first < p->part[i].count)
            memcpy((char *)own + NIC_PROFILE_NAME_MAX, p->part[i].value, sizeof p->part[i].value);
}
