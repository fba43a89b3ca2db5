/* Numbers with units.  Integer arithmetic throughout: what a profile means depends on no locale and
 * no floating-point unit. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profile/quantity.h"

enum how {
    PLAIN,              /* stored = number * scale; has to come out whole */
    ROUNDED,            /* the same, to the nearest whole */
    CYCLES,             /* stored = number * scale / hertz, to the nearest */
    INVERSE,            /* stored = scale / number, to the nearest */
    INVERSE_CYCLES      /* stored = scale / (number * hertz), to the nearest */
};

struct nic_unit { const char *name; enum nic_profile_kind kind; enum how how; uint64_t scale; };

/* In each kind from small to large: the formatter takes the last that fits. */
static const struct nic_unit units[] = {
    { "ps", NIC_KEY_TIME, PLAIN, 1 },
    { "ns", NIC_KEY_TIME, PLAIN, 1000 },
    { "us", NIC_KEY_TIME, PLAIN, 1000000 },
    { "ms", NIC_KEY_TIME, PLAIN, 1000000000 },
    { "s", NIC_KEY_TIME, PLAIN, 1000000000000 },
    { "cycles", NIC_KEY_TIME, CYCLES, 1000000000000 },
    { "ps/byte", NIC_KEY_RATE, ROUNDED, 1024 },
    { "ns/byte", NIC_KEY_RATE, ROUNDED, 1024000 },
    { "us/byte", NIC_KEY_RATE, ROUNDED, 1024000000 },
    { "cycles/byte", NIC_KEY_RATE, CYCLES, 1024000000000000 },
    { "bytes/ns", NIC_KEY_RATE, INVERSE, 1024000 },
    { "bytes/cycle", NIC_KEY_RATE, INVERSE_CYCLES, 1024000000000000 },
    { "MB/s", NIC_KEY_RATE, INVERSE, 1024000000 },
    { "GB/s", NIC_KEY_RATE, INVERSE, 1024000 },
    { "Hz", NIC_KEY_CLOCK, PLAIN, 1 },
    { "kHz", NIC_KEY_CLOCK, PLAIN, 1000 },
    { "MHz", NIC_KEY_CLOCK, PLAIN, 1000000 },
    { "GHz", NIC_KEY_CLOCK, PLAIN, 1000000000 },
    { "bytes", NIC_KEY_BYTES, PLAIN, 1 },
    { "KiB", NIC_KEY_BYTES, PLAIN, 1024 },
    { "MiB", NIC_KEY_BYTES, PLAIN, 1048576 },
    { "GiB", NIC_KEY_BYTES, PLAIN, 1073741824 },
};
#define UNITS_END (units + sizeof units / sizeof *units)

/* A count has the key's own unit; names and switches have none. */
static const struct nic_unit count_unit = { "", NIC_KEY_COUNT, PLAIN, 1 };

/* -- reading */

enum { DIGITS_MOST = 15, DECIMALS_MOST = 9 };

/* Reads "12" or "1.25"; *text goes past it. */
static const char *parse_number(const char **text, struct nic_quantity *a)
{
    const char *s = *text;
    unsigned digits = 0;
    bool point = false;
    a->digits = a->decimals = 0;
    for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        if (++digits > DIGITS_MOST)
            return "too many digits";
        a->digits = a->digits * 10 + (unsigned)(*s - '0');
        a->decimals += point;
    }
    if (!digits || s[-1] == '.')
        return "not a number";
    if (a->decimals > DECIMALS_MOST)
        return "too many digits behind the point";
    *text = s;
    return NULL;
}

/* "nic.cycles": takes the section off. */
static const char *parse_clock(const char *text, struct nic_quantity *a)
{
    const char *dot = strchr(text, '.');
    a->clock = NULL;
    if (!dot || strncmp(dot + 1, "cycles", 6))
        return text;
    for (unsigned i = 0; i < NIC_PROFILE_SECTION_COUNT; i++) {
        const struct nic_profile_section *s = &nic_profile_sections[i];
        if (strlen(s->name) == (size_t)(dot - text) && !memcmp(s->name, text, dot - text)
            && !strcmp(s->name, s->clock)) {
            a->clock = s->name;
            return dot + 1;
        }
    }
    return text;
}

static const char *parse_unit(const struct nic_profile_key *key, const char *text,
                              struct nic_quantity *a)
{
    if (!*text)
        return "no unit";
    if (key->kind == NIC_KEY_COUNT) {
        a->unit = &count_unit;
        return strcmp(text, key->unit) ? "wrong unit" : NULL;
    }
    text = parse_clock(text, a);
    for (a->unit = units; a->unit < UNITS_END; a->unit++)
        if (a->unit->kind == key->kind && !strcmp(a->unit->name, text))
            return NULL;
    return "wrong unit";
}

/* The index of a name in "|one|two". */
static const char *parse_choice(const char *names, const char *text, struct nic_quantity *a)
{
    size_t length = strlen(text);
    a->digits = 0;
    a->unit = &count_unit;
    for (const char *s = names; (s = strchr(s, '|')); a->digits++)
        if (strcspn(++s, "|") == length && !memcmp(s, text, length))
            return NULL;
    return "no such choice";
}

const char *nic_quantity_read(const struct nic_profile_key *key, const char *text,
                             struct nic_quantity *a)
{
    memset(a, 0, sizeof *a);
    if (!*text)
        return "no value";
    if (key->kind == NIC_KEY_CHOICE)
        return parse_choice(key->unit, text, a);
    if (key->kind == NIC_KEY_SWITCH)
        return parse_choice("|no|yes", text, a);
    const char *wrong = parse_number(&text, a);
    if (wrong)
        return wrong;
    return parse_unit(key, text + strspn(text, " \t"), a);
}

/* -- conversion */

typedef unsigned __int128 wide;

static wide power_of_ten(unsigned n)
{
    wide p = 1;
    while (n--)
        p *= 10;
    return p;
}

/* No product overflows: 15 digits, 9 decimals, clocks and scales below 2^50. */
const char *nic_quantity_value(const struct nic_quantity *a, const struct nic_profile_key *key,
                             uint64_t hertz, uint64_t *value)
{
    enum how how = a->unit->how;
    bool inverse = how == INVERSE || how == INVERSE_CYCLES;
    wide above = (wide)a->digits * (inverse ? 1 : a->unit->scale),
        below = inverse ? 1 : power_of_ten(a->decimals);
    if (inverse) {
        below = above;
        above = a->unit->scale * power_of_ten(a->decimals);
    }
    if (how == CYCLES || how == INVERSE_CYCLES)
        below *= hertz;
    if (!below)
        return "nothing passes at that rate";
    if (how == PLAIN && above % below)
        return key->kind == NIC_KEY_TIME ? "no whole number of picoseconds" : "not whole";
    wide v = (above + below / 2) / below;
    if (v > UINT64_MAX)
        return "out of range";
    *value = (uint64_t)v;
    return NULL;
}

/* -- writing */

/* Three decimals at most; true if that is all of it.  What is rounded is 1024ths, and none of them
 * comes to a whole. */
static bool format_scaled(uint64_t value, const struct nic_unit *u,
                          char text[static NIC_QUANTITY_TEXT])
{
    uint64_t whole = value / u->scale, rest = value % u->scale, thousandths;
    thousandths = (uint64_t)(((wide)rest * 1000 + u->scale / 2) / u->scale);
    int n = snprintf(text, NIC_QUANTITY_TEXT, "%llu.%03u", (unsigned long long)whole,
                     (unsigned)thousandths);
    while (text[n - 1] == '0')
        n--;
    n -= text[n - 1] == '.';
    snprintf(text + n, NIC_QUANTITY_TEXT - n, " %s", u->name);
    return (wide)rest * 1000 % u->scale == 0;
}

static void format_choice(const char *names, uint64_t value, char text[static NIC_QUANTITY_TEXT])
{
    for (uint64_t i = 0; names && i <= value; i++)
        names = strchr(names + (i > 0), '|');
    snprintf(text, NIC_QUANTITY_TEXT, "%.*s", names ? (int)strcspn(names + 1, "|") : 1,
             names ? names + 1 : "?");
}

void nic_profile_format(const struct nic_profile_key *key, uint64_t value,
                        char text[static NIC_QUANTITY_TEXT])
{
    char shown[NIC_QUANTITY_TEXT];
    switch (key->kind) {
    case NIC_KEY_CHOICE: format_choice(key->unit, value, text); return;
    case NIC_KEY_SWITCH: format_choice("|no|yes", value, text); return;
    case NIC_KEY_COUNT: snprintf(text, NIC_QUANTITY_TEXT, "%llu %s", (unsigned long long)value,
                                 key->unit); return;
    default: break;
    }
    bool any = false;
    for (const struct nic_unit *u = units; u < UNITS_END; u++)
        if (u->kind == key->kind && u->how <= ROUNDED && (!any || value >= u->scale)
            && (format_scaled(value, u, shown) || !any)) {
            memcpy(text, shown, sizeof shown);
            any = true;
        }
}

void nic_profile_allowed(const struct nic_profile_key *key, char text[static NIC_ALLOWED_TEXT])
{
    char least[NIC_QUANTITY_TEXT], most[NIC_QUANTITY_TEXT];
    if (key->kind == NIC_KEY_CHOICE || key->kind == NIC_KEY_SWITCH) {
        int n = snprintf(text, NIC_ALLOWED_TEXT, "%s",
                         key->kind == NIC_KEY_SWITCH ? "no|yes" : key->unit + 1);
        for (char *bar = text; n < NIC_ALLOWED_TEXT && (bar = strchr(bar, '|'));)
            memmove(bar + 2, bar + 1, strlen(bar + 1) + 1), memcpy(bar, ", ", 2);
        return;
    }
    nic_profile_format(key, key->least, least);
    nic_profile_format(key, key->most, most);
    int n = snprintf(text, NIC_ALLOWED_TEXT, "%s to %s", least, most);
    const char *before = " (in ";
    for (const struct nic_unit *u = units; u < UNITS_END && key->kind != NIC_KEY_COUNT; u++)
        if (u->kind == key->kind) {
            n += snprintf(text + n, NIC_ALLOWED_TEXT - n, "%s%s", before, u->name);
            before = ", ";
        }
    if (key->kind != NIC_KEY_COUNT)
        snprintf(text + n, NIC_ALLOWED_TEXT - n, ")");
}
