#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "profile/mistake.h"

enum { KEYS_TEXT = 1024, MESSAGE_TEXT = 2048 };

/* One line each; what does not fit is cut. */
static int append(struct nic_parse *d, const char *format, va_list args)
{
    size_t used = d->mistakes && d->room ? strlen(d->error) : 0;
    if (used && used + 1 < d->room)
        strcpy(d->error + used++, "\n");
    if (used < d->room)
        vsnprintf(d->error + used, d->room - used, format, args);
    d->mistakes++;
    return -EINVAL;
}

int nic_mistake(struct nic_parse *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = append(d, format, args);
    va_end(args);
    return rc;
}

int nic_mistake_at(struct nic_parse *d, const struct nic_place *at, const char *format, ...)
{
    char text[MESSAGE_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (at->assignment)
        return nic_mistake(d, "--set %s: %s", at->assignment, text);
    if (at->line)
        return nic_mistake(d, "%s:%u: %s", at->file, at->line, text);
    return nic_mistake(d, "%s: %s", at->file ? at->file : "defaults", text);
}

int nic_mistake_in_value(struct nic_parse *d, const struct nic_place *at,
                         const struct nic_profile_key *key, const char *value, const char *wrong)
{
    char allowed[NIC_ALLOWED_TEXT];
    nic_profile_allowed(key, allowed);
    return nic_mistake_at(d, at, "%s.%s = %s: %s; allowed: %s", key->section, key->name, value,
                          wrong, allowed);
}

int nic_mistake_in_name(struct nic_parse *d, const struct nic_place *at, const char *section,
                        const char *name)
{
    char keys[KEYS_TEXT] = "";
    size_t n = 0;
    for (const struct nic_profile_key *k = nic_profile_keys;
         k < nic_profile_keys + NIC_PROFILE_KEYS && n < sizeof keys; k++)
        if (!strcmp(k->section, section))
            n += (size_t)snprintf(keys + n, sizeof keys - n, "%s%s", n ? ", " : "", k->name);
    if (n)
        return nic_mistake_at(d, at, "%s.%s: no such key; allowed in [%s]: %s", section, name,
                              section, keys);
    for (unsigned i = 0; i < NIC_PROFILE_SECTION_COUNT; i++)
        n += (size_t)snprintf(keys + n, sizeof keys - n, "%s, ", nic_profile_sections[i].name);
    return nic_mistake_at(d, at, "%s: no such section; allowed: %sown", *section ? section : name,
                          keys);
}
