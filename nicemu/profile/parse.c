/* Reading profiles.  Every message is one line: file and line or the --set, the key, what is wrong,
 * what is allowed. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profile/parse.h"
#include "profile/keys.h"
#include "profile/path.h"

enum { LINE_MOST = 1024 };

void nic_draft_init(struct nic_draft *d, char *error, size_t room)
{
    memset(d, 0, sizeof *d);
    d->error = error;
    d->room = room;
    strcpy(d->name, "default");
}

static void item_clear(struct nic_item *item)
{
    free(item->text);
    free(item->source);
    memset(item, 0, sizeof *item);
}

void nic_draft_drop(struct nic_draft *d)
{
    for (unsigned i = 0; i < NIC_PROFILE_KEYS; i++)
        item_clear(&d->items[i]);
    free(d->path);
    free(d->title);
    d->path = d->title = NULL;
}

/* -- messages */

static struct nic_item *item_of(struct nic_draft *d, const struct nic_profile_key *key)
{
    return &d->items[key - nic_profile_keys];
}

__attribute__((format(printf, 2, 3)))
static int fail(const struct nic_draft *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (d->room)
        vsnprintf(d->error, d->room, format, args);
    va_end(args);
    return -EINVAL;
}

/* Where a value came from. */
struct place { const char *file; unsigned line; const char *assignment; };

static int fail_at(const struct nic_draft *d, const struct place *at, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));
static int fail_at(const struct nic_draft *d, const struct place *at, const char *format, ...)
{
    char text[LINE_MOST * 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (at->assignment)
        return fail(d, "--set %s: %s", at->assignment, text);
    if (at->line)
        return fail(d, "%s:%u: %s", at->file, at->line, text);
    return fail(d, "%s: %s", at->file ? at->file : "defaults", text);
}

static int fail_value(const struct nic_draft *d, const struct place *at,
                      const struct nic_profile_key *key, const char *value, const char *wrong)
{
    char allowed[NIC_ALLOWED_TEXT];
    nic_profile_allowed(key, allowed);
    return fail_at(d, at, "%s.%s = %s: %s; allowed: %s", key->section, key->name, value, wrong,
                   allowed);
}

static int fail_key(const struct nic_draft *d, const struct place *at, const char *section,
                    const char *name)
{
    char keys[LINE_MOST] = "";
    size_t n = 0;
    for (const struct nic_profile_key *k = nic_profile_keys;
         k < nic_profile_keys + NIC_PROFILE_KEYS && n < sizeof keys; k++)
        if (!strcmp(k->section, section))
            n += (size_t)snprintf(keys + n, sizeof keys - n, "%s%s", n ? ", " : "", k->name);
    for (unsigned i = 0; !n && i < NIC_PROFILE_SECTION_COUNT; i++)
        snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s%s", i ? ", " : "",
                 nic_profile_sections[i].name);
    return n ? fail_at(d, at, "%s.%s: no such key; allowed in [%s]: %s", section, name, section,
                       keys)
             : fail_at(d, at, "%s: no such section; allowed: %s", *section ? section : name, keys);
}

/* -- values */

static int put_text(struct nic_draft *d, const struct nic_profile_key *key, const struct place *at,
                    const char *value, const char *source)
{
    struct nic_item new = { .origin = at->assignment ? NIC_ITEM_SET : NIC_ITEM_FILE,
                            .line = at->line };
    const char *wrong = nic_amount_parse(key, value, &new.amount);
    if (wrong)
        return fail_value(d, at, key, value, wrong);
    new.text = strdup(at->assignment ? at->assignment : value);
    new.source = source ? strdup(source) : NULL;
    if (!new.text || (source && !new.source)) {
        item_clear(&new);
        fail_at(d, at, "no memory");
        return -ENOMEM;
    }
    item_clear(item_of(d, key));
    *item_of(d, key) = new;
    return 0;
}

static char *trim(char *s)
{
    s += strspn(s, " \t\r\n");
    for (char *end = s + strlen(s); end > s && strchr(" \t\r\n", end[-1]);)
        *--end = '\0';
    return s;
}

/* Splits "key = value"; NULL without "=". */
static char *split(char *text, char **value)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return NULL;
    *equals = '\0';
    *value = trim(equals + 1);
    return trim(text);
}

int nic_draft_set(struct nic_draft *d, const char *assignment)
{
    struct place at = { .assignment = assignment };
    char copy[LINE_MOST], *value, *name, *dot;
    if (strlen(assignment) >= sizeof copy)
        return fail(d, "--set: longer than %d characters", LINE_MOST - 1);
    strcpy(copy, assignment);
    name = split(copy, &value);
    if (!name || !(dot = strchr(name, '.')))
        return fail_at(d, &at, "must be SECTION.KEY=VALUE");
    const struct nic_profile_key *key = nic_profile_find(name);
    if (!key) {
        *dot = '\0';
        return fail_key(d, &at, name, dot + 1);
    }
    /* A count has one unit only; on a command line it may go without. */
    char counted[LINE_MOST + 64];
    snprintf(counted, sizeof counted, "%s %s", value, key->unit);
    bool bare = key->kind == NIC_KEY_COUNT && *value && value[strspn(value, "0123456789")] == '\0';
    return put_text(d, key, &at, bare ? counted : value, NULL);
}

/* -- files */

struct reader { struct nic_draft *draft; struct place at; char section[64]; struct nic_item *last;
                bool opened; };

static int append_text(char **text, const char *more)
{
    char *joined;
    if (asprintf(&joined, "%s%s%s", *text ? *text : "", *text && **text && *more ? " " : "",
                 more) < 0)
        return -ENOMEM;
    free(*text);
    *text = joined;
    return 0;
}

/* A comment of its own: the first one is the title; an indented
 * one goes on with the source of the line above. */
static int read_comment(struct reader *r, const char *text, bool indented)
{
    text += strspn(text, "# \t");
    if (indented && r->last)
        return append_text(&r->last->source, text);
    if (!r->draft->title && !r->opened)
        return append_text(&r->draft->title, text);
    return 0;
}

static int read_section(struct reader *r, char *line)
{
    char *end = strchr(line, ']');
    if (!end || *trim(end + 1))
        return fail_at(r->draft, &r->at, "'%s': a section is [NAME]", line);
    *end = '\0';
    r->last = NULL;
    r->opened = true;
    for (unsigned i = 0; i < NIC_PROFILE_SECTION_COUNT; i++)
        if (!strcmp(nic_profile_sections[i].name, line + 1)) {
            strcpy(r->section, line + 1);
            return 0;
        }
    return fail_key(r->draft, &r->at, line + 1, "");
}

static int read_value(struct reader *r, char *line, const char *source)
{
    char *value, full[LINE_MOST + 80], *name = split(line, &value);
    if (!name)
        return fail_at(r->draft, &r->at, "'%s': must be KEY = VALUE", line);
    if (!*r->section)
        return fail_at(r->draft, &r->at, "%s: before the first [SECTION]", name);
    snprintf(full, sizeof full, "%s.%s", r->section, name);
    const struct nic_profile_key *key = nic_profile_find(full);
    if (!key)
        return fail_key(r->draft, &r->at, r->section, name);
    r->last = item_of(r->draft, key);
    if (r->last->origin == NIC_ITEM_FILE) {
        char wrong[64];
        snprintf(wrong, sizeof wrong, "set before, in line %u", r->last->line);
        return fail_value(r->draft, &r->at, key, value, wrong);
    }
    return put_text(r->draft, key, &r->at, value, source);
}

static int read_line(struct reader *r, char *line)
{
    bool indented = *line == ' ' || *line == '\t';
    line = trim(line);
    if (*line == '#')
        return read_comment(r, line, indented);
    char *hash = strchr(line, '#');
    if (hash)
        *hash++ = '\0';
    line = trim(line);
    if (!*line)
        return 0;
    return *line == '[' ? read_section(r, line) : read_value(r, line, hash ? trim(hash) : NULL);
}

/* A file of another kind would end up on a terminal. */
static bool is_text(const char *line)
{
    while (*line && ((unsigned char)*line >= ' ' || strchr("\t\r\n", *line)) && *line != 0x7f)
        line++;
    return !*line;
}

/* Some editors begin with a mark that nobody sees. */
static char *behind_mark(char *line) { return strncmp(line, "\xef\xbb\xbf", 3) ? line : line + 3; }

static int read_file(struct nic_draft *d, FILE *file)
{
    struct reader r = { .draft = d, .at.file = d->path };
    char line[LINE_MOST];
    int rc = 0;
    while (!rc && fgets(line, sizeof line, file)) {
        bool whole = strchr(line, '\n') || feof(file);
        r.at.line++;
        if (!is_text(line) || (!whole && strlen(line) < sizeof line - 1))
            return fail_at(d, &r.at, "this is no text");
        if (!whole)
            return fail_at(d, &r.at, "longer than %d characters", LINE_MOST - 2);
        rc = read_line(&r, r.at.line == 1 ? behind_mark(line) : line);
    }
    if (!rc && ferror(file))
        rc = fail(d, "%s: cannot be read", d->path);
    return rc;
}

/* "path/NAME.conf" */
static void name_from_path(struct nic_draft *d)
{
    const char *base = strrchr(d->path, '/');
    base = base ? base + 1 : d->path;
    size_t n = strlen(base);
    if (n > 5 && !strcmp(base + n - 5, ".conf"))
        n -= 5;
    snprintf(d->name, sizeof d->name, "%.*s", (int)n, base);
}

static int no_profile(const struct nic_draft *d, const char *name)
{
    char folder[PATH_MAX];
    if (!nic_profile_folder(0, folder, sizeof folder))
        strcpy(folder, "(none)");
    fail(d,
         "no profile '%s': 'nicinfo' lists those that there are (first folder: %s); a path needs "
             "a slash", name, folder);
    return -ENOENT;
}

int nic_draft_load(struct nic_draft *d, const char *name)
{
    char path[PATH_MAX];
    if (strchr(name, '/'))
        snprintf(path, sizeof path, "%s", name);
    else if (nic_profile_path(name, path, sizeof path))
        return no_profile(d, name);
    free(d->path);
    d->path = strdup(path);
    FILE *file = d->path ? fopen(path, "re") : NULL;
    if (!file) {
        int rc = -errno;
        fail(d, "%s: %s", path, strerror(errno));
        return rc;
    }
    name_from_path(d);
    int rc = read_file(d, file);
    fclose(file);
    return rc;
}

/* -- numbers */

static struct place place_of(const struct nic_draft *d, const struct nic_item *item)
{
    return (struct place){ .file = d->path, .line = item->origin == NIC_ITEM_FILE ? item->line : 0,
                           .assignment = item->origin == NIC_ITEM_SET ? item->text : NULL };
}

static int finish_key(const struct nic_draft *d, const struct nic_profile_key *key,
                      struct nic_profile *p)
{
    const struct nic_item *item = &d->items[key - nic_profile_keys];
    const char *section = item->amount.clock ? item->amount.clock
                          : nic_profile_sections[key->section_index].clock;
    char clock[64];
    uint64_t value = key->fallback;
    if (item->origin == NIC_ITEM_DEFAULT) {
        nic_profile_put(p, key, value);
        return 0;
    }
    snprintf(clock, sizeof clock, "%s.clock", section);
    const char *wrong = nic_amount_value(&item->amount, key,
                                         nic_profile_value(p, nic_profile_find(clock)), &value);
    if (!wrong && (value < key->least || value > key->most))
        wrong = "out of range";
    if (wrong) {
        struct place at = place_of(d, item);
        const char *text = at.assignment ? strchr(at.assignment, '=') + 1 : item->text;
        return fail_value(d, &at, key, text, wrong);
    }
    nic_profile_put(p, key, value);
    return 0;
}

/* One key's complaint about another. */
static int refuse(const struct nic_draft *d, const char *name, const struct nic_profile *p,
                  const char *format, unsigned long long limit)
{
    const struct nic_profile_key *key = nic_profile_find(name);
    struct place at = place_of(d, &d->items[key - nic_profile_keys]);
    char value[NIC_AMOUNT_TEXT], allowed[LINE_MOST];
    nic_profile_format(key, nic_profile_value(p, key), value);
    snprintf(allowed, sizeof allowed, format, limit);
    return fail_at(d, &at, "%s = %s: does not fit the rest; allowed: %s", name, value, allowed);
}

static bool is_cells(uint64_t cells, uint64_t block)
{
    return cells == 0 || (cells >= 128 && cells % block == 0);
}

static int check_processor(const struct nic_draft *d, const char *section,
                           const struct nic_profile_processor *r, const struct nic_profile *p)
{
    char name[64];
    snprintf(name, sizeof name, "%s.entry_read", section);
    if (r->entry_read > r->entry_bytes)
        return refuse(d, name, p, "at most entry_bytes, %llu bytes", r->entry_bytes);
    snprintf(name, sizeof name, "%s.cache", section);
    if (r->cache % (r->cache_line * (r->cache_ways ? r->cache_ways : 1)))
        return refuse(d, name, p, "a multiple of cache_line * cache_ways, %llu bytes",
                      r->cache_line * (r->cache_ways ? r->cache_ways : 1));
    return 0;
}

static int check(const struct nic_draft *d, const struct nic_profile *p)
{
    int rc = check_processor(d, "host", &p->host, p);
    if (!rc)
        rc = check_processor(d, "nic", &p->nic, p);
    if (rc)
        return rc;
    if (p->alpu.block != 8 && p->alpu.block != 16 && p->alpu.block != 32)
        return refuse(d, "alpu.block", p, "%llu, 16 or 32 cells", 8);
    if (!is_cells(p->alpu.posted, p->alpu.block))
        return refuse(d, "alpu.posted", p,
                      "0, or 128 to 1024 in multiples of alpu.block, %llu cells", p->alpu.block);
    if (!is_cells(p->alpu.unexpected, p->alpu.block))
        return refuse(d, "alpu.unexpected", p,
                      "0, or 128 to 1024 in multiples of alpu.block, %llu cells", p->alpu.block);
    if (p->protocol.eager == NIC_EAGER_RING && p->protocol.header > p->scratchpad.slot_bytes)
        return refuse(d, "protocol.header", p, "at most scratchpad.slot_bytes, %llu bytes",
                      p->scratchpad.slot_bytes);
    if (p->protocol.eager == NIC_EAGER_RING && p->scratchpad.slots < 2)
        return refuse(d, "scratchpad.slots", p, "%llu or more, one of which is always empty", 2);
    if (p->protocol.eager == NIC_EAGER_RING
        && p->protocol.eager_limit + p->protocol.header > p->scratchpad.slot_bytes)
        return refuse(d, "protocol.eager_limit", p,
                      "what a slot holds behind the header, %llu bytes",
                          p->scratchpad.slot_bytes - p->protocol.header);
    return 0;
}

int nic_draft_finish(const struct nic_draft *d, struct nic_profile *p)
{
    int rc = 0;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", d->name);
    /* first the clocks, by which cycles are converted */
    for (int clocks = 1; clocks >= 0; clocks--)
        for (const struct nic_profile_key *k = nic_profile_keys; !rc
             && k < nic_profile_keys + NIC_PROFILE_KEYS; k++)
            if ((k->kind == NIC_KEY_CLOCK) == clocks)
                rc = finish_key(d, k, p);
    return rc ? rc : check(d, p);
}

int nic_profile_load(const char *name, const char *const *sets, size_t count,
                     struct nic_profile *p, char *error, size_t room)
{
    struct nic_draft d;
    nic_draft_init(&d, error, room);
    int rc = nic_draft_load(&d, name);
    for (size_t i = 0; !rc && i < count; i++)
        rc = nic_draft_set(&d, sets[i]);
    if (!rc)
        rc = nic_draft_finish(&d, p);
    nic_draft_drop(&d);
    return rc;
}
