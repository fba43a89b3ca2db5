/* Reading profiles: lines of files and assignments become items. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profile/keys.h"
#include "profile/mistake.h"
#include "profile/parse.h"
#include "profile/path.h"

enum { LINE_MOST = 1024 };
static const char own_section[] = "own";

void nic_parse_init(struct nic_parse *d, char *error, size_t room)
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

void nic_parse_drop(struct nic_parse *d)
{
    for (unsigned i = 0; i < NIC_PROFILE_KEYS; i++)
        item_clear(&d->items[i]);
    for (unsigned i = 0; i < d->owns; i++)
        item_clear(&d->own[i].item);
    for (unsigned i = 0; i < d->parts; i++)
        for (unsigned k = 0; k < NIC_PROFILE_KEYS; k++)
            item_clear(&d->part[i].items[k]);
    for (unsigned i = 0; i < d->files; i++)
        free(d->file[i]);
    free(d->title);
    d->title = NULL;
    d->files = d->owns = d->parts = 0;
}

/* -- values */

/* What is being read, and where it stands. */
struct reader {
    struct nic_parse *parse;
    struct nic_place at;
    unsigned file;              /* of at.file: its number */
    char section[64];
    struct nic_part_items *part;        /* of some ranks; NULL: of all */
    struct nic_item *last;      /* whose source an indented comment goes on with */
    bool opened;                /* a section has begun */
};

static int no_memory(struct nic_parse *d, const struct nic_place *at)
{
    nic_mistake_at(d, at, "no memory");
    return -ENOMEM;
}

/* A file says each thing once; another that includes it may say it again. */
static bool is_set_before(const struct reader *r, const struct nic_item *item)
{
    return item->origin == NIC_ITEM_FILE && item->file == r->file && !r->at.assignment;
}

static int put_text(struct reader *r, struct nic_item *item, const char *value,
                    const char *source, const struct nic_quantity *amount)
{
    struct nic_item new = { .origin = r->at.assignment ? NIC_ITEM_SET : NIC_ITEM_FILE,
                            .file = r->file, .line = r->at.line };
    if (amount)
        new.amount = *amount;
    new.text = strdup(r->at.assignment ? r->at.assignment : value);
    new.source = source ? strdup(source) : NULL;
    if (!new.text || (source && !new.source)) {
        item_clear(&new);
        return no_memory(r->parse, &r->at);
    }
    item_clear(item);
    *item = new;
    r->last = item;
    return 0;
}

static int read_key(struct reader *r, const struct nic_profile_key *key, const char *value,
                    const char *source)
{
    struct nic_item *item = r->part ? &r->part->items[key - nic_profile_keys]
                            : &r->parse->items[key - nic_profile_keys];
    struct nic_quantity amount;
    const char *wrong = nic_quantity_read(key, value, &amount);
    char before[64];
    if (is_set_before(r, item)) {
        snprintf(before, sizeof before, "set before, in line %u", item->line);
        wrong = before;
    }
    return wrong ? nic_mistake_in_value(r->parse, &r->at, key, value, wrong)
           : put_text(r, item, value, source, &amount);
}

static struct nic_own_item *own_item(struct nic_parse *d, const char *name)
{
    for (unsigned i = 0; i < d->owns; i++)
        if (!strcmp(d->own[i].own.name, name))
            return &d->own[i];
    if (d->owns == NIC_PROFILE_OWN_MOST)
        return NULL;
    strcpy(d->own[d->owns].own.name, name);
    return &d->own[d->owns++];
}

/* A key that only the program knows: kept as it is written. */
static int read_own(struct reader *r, const char *name, const char *value, const char *source)
{
    struct nic_parse *d = r->parse;
    if (!*name || !*value || strlen(name) >= NIC_PROFILE_OWN_TEXT
        || strlen(value) >= NIC_PROFILE_OWN_TEXT)
        return nic_mistake_at(d, &r->at, "own.%s = %s: name and value have 1 to %d characters",
                              name, value, NIC_PROFILE_OWN_TEXT - 1);
    struct nic_own_item *own = own_item(d, name);
    if (!own)
        return nic_mistake_at(d, &r->at, "own.%s: more than %d keys of a program's own", name,
                              NIC_PROFILE_OWN_MOST);
    if (is_set_before(r, &own->item))
        return nic_mistake_at(d, &r->at, "own.%s: set before, in line %u", name, own->item.line);
    strcpy(own->own.value, value);
    return put_text(r, &own->item, value, source, NULL);
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

static int read_setting(struct reader *r, const char *assignment)
{
    char copy[LINE_MOST], *value, *name, *dot;
    if (strlen(assignment) >= sizeof copy)
        return nic_mistake(r->parse, "--set: longer than %d characters", LINE_MOST - 1);
    strcpy(copy, assignment);
    name = split(copy, &value);
    if (!name || !(dot = strchr(name, '.')))
        return nic_mistake_at(r->parse, &r->at, "must be SECTION.KEY=VALUE");
    const struct nic_profile_key *key = nic_profile_find(name);
    *dot = key ? '.' : '\0';
    if (!key)
        return strcmp(name, own_section) ? nic_mistake_in_name(r->parse, &r->at, name, dot + 1)
               : read_own(r, dot + 1, value, NULL);
    /* A count has one unit only; on a command line it may go without. */
    char counted[LINE_MOST + 64];
    snprintf(counted, sizeof counted, "%s %s", value, key->unit);
    bool bare = key->kind == NIC_KEY_COUNT && *value && value[strspn(value, "0123456789")] == '\0';
    return read_key(r, key, bare ? counted : value, NULL);
}

/* Behind a mistake all others are looked for. */
static int go_on(const struct nic_parse *d, int rc) { return d->all && rc == -EINVAL ? 0 : rc; }

int nic_parse_set(struct nic_parse *d, const char *assignment)
{
    struct reader r = { .parse = d, .at.assignment = assignment };
    return go_on(d, read_setting(&r, assignment));
}

/* -- lines */

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
    if (!r->parse->title && !r->opened && r->file == 0)
        return append_text(&r->parse->title, text);
    return 0;
}

static bool is_section(const char *name)
{
    for (unsigned i = 0; i < NIC_PROFILE_SECTION_COUNT; i++)
        if (!strcmp(nic_profile_sections[i].name, name))
            return true;
    return !strcmp(name, own_section);
}

/* What a rank may have of its own: what is on its side of the wire. */
static bool is_of_rank(const char *section)
{
    static const char *const own[] = { "host", "call", "bus", "nic", "tx", "rx", "completion" };
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(own[i], section))
            return true;
    return false;
}

static struct nic_part_items *part_of(struct nic_parse *d, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < d->parts; i++)
        if (d->part[i].first == first && d->part[i].count == count)
            return &d->part[i];
    if (d->parts == NIC_PROFILE_PARTS_MOST)
        return NULL;
    d->part[d->parts] = (struct nic_part_items){ .first = first, .count = count };
    return &d->part[d->parts++];
}

static bool overlaps(const struct nic_parse *d, unsigned first, unsigned last)
{
    for (unsigned i = 0; i < d->parts; i++) {
        unsigned begin = d->part[i].first, end = begin + d->part[i].count - 1;
        if (first <= end && last >= begin && (first != begin || last != end))
            return true;
    }
    return false;
}

/* "FIRST-LAST", without signs, which sscanf takes. */
static bool is_range(const char *text)
{
    static const char digits[] = "0123456789";
    const size_t first = strspn(text, digits);
    return first && text[first] == '-' && strspn(text + first + 1, digits);
}

/* "ranks FIRST-LAST SECTION" */
static int read_part(struct reader *r, const char *text)
{
    const char *range = text + strcspn(text, " \t");
    unsigned first, last;
    char section[64], more;
    if (!is_range(range + strspn(range, " \t"))
        || sscanf(text, "ranks %5u-%5u %63s%c", &first, &last, section, &more) != 3
        || last < first)
        return nic_mistake_at(r->parse, &r->at, "[%s]: a section of some ranks is "
                              "[ranks FIRST-LAST SECTION]", text);
    if (!is_of_rank(section))
        return nic_mistake_at(r->parse, &r->at, "[%s]: ranks may differ in host, call, bus, nic, "
                              "tx, rx and completion", text);
    if (overlaps(r->parse, first, last))
        return nic_mistake_at(r->parse, &r->at, "[%s]: some of these ranks are of another part",
                              text);
    r->part = part_of(r->parse, first, last - first + 1);
    if (!r->part)
        return nic_mistake_at(r->parse, &r->at, "[%s]: more than %d parts", text,
                              NIC_PROFILE_PARTS_MOST);
    strcpy(r->section, section);
    return 0;
}

static int read_section(struct reader *r, char *line)
{
    char *end = strchr(line, ']');
    r->last = NULL;
    r->opened = true;
    r->section[0] = '\0';
    r->part = NULL;
    if (!end || *trim(end + 1))
        return nic_mistake_at(r->parse, &r->at, "'%s': a section is [NAME]", line);
    *end = '\0';
    if (!strncmp(line + 1, "ranks ", 6))
        return read_part(r, line + 1);
    if (!is_section(line + 1))
        return nic_mistake_in_name(r->parse, &r->at, line + 1, "");
    strcpy(r->section, line + 1);
    return 0;
}

static int read_file(struct nic_parse *d, const char *path);

/* "include = NAME", or a path from the folder of the file that says it. */
static int read_include(struct reader *r, const char *name)
{
    char path[PATH_MAX * 2];
    const char *slash = strrchr(r->at.file, '/');
    int folder = slash && *name != '/' ? (int)(slash - r->at.file) + 1 : 0;
    if (!strchr(name, '/') && nic_profile_path(name, path, PATH_MAX))
        return nic_mistake_at(r->parse, &r->at, "include = %s: no such profile; a path needs a "
                              "slash", name);
    if (strchr(name, '/'))
        snprintf(path, sizeof path, "%.*s%s", folder, r->at.file,
                 name + (folder && !strncmp(name, "./", 2) ? 2 : 0));
    int rc = read_file(r->parse, path);
    if (rc == -EINVAL || rc == -ENOMEM)
        return rc;
    if (rc == -ELOOP)
        return nic_mistake_at(r->parse, &r->at, "include = %s: more than %d files, as where one "
                              "includes itself", name, NIC_PROFILE_FILES_MOST);
    return rc ? nic_mistake_at(r->parse, &r->at, "include = %s: %s", name, strerror(-rc)) : 0;
}

static int read_value(struct reader *r, char *line, const char *source)
{
    char *value, full[LINE_MOST + 80], *name = split(line, &value);
    if (!name)
        return nic_mistake_at(r->parse, &r->at, "'%s': must be KEY = VALUE", line);
    if (!r->opened && !strcmp(name, "include"))
        return read_include(r, value);
    if (!*r->section && r->opened)      /* behind one that is wrong, which has been said */
        return 0;
    if (!*r->section)
        return nic_mistake_at(r->parse, &r->at, "%s: before the first [SECTION]", name);
    if (!strcmp(r->section, own_section))
        return read_own(r, name, value, source);
    snprintf(full, sizeof full, "%s.%s", r->section, name);
    const struct nic_profile_key *key = nic_profile_find(full);
    return key ? read_key(r, key, value, source)
           : nic_mistake_in_name(r->parse, &r->at, r->section, name);
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

/* -- files */

/* A file of another kind would end up on a terminal. */
static bool is_text(const char *line)
{
    while (*line && ((unsigned char)*line >= ' ' || strchr("\t\r\n", *line)) && *line != 0x7f)
        line++;
    return !*line;
}

/* Some editors begin with a mark that nobody sees. */
static char *behind_mark(char *line) { return strncmp(line, "\xef\xbb\xbf", 3) ? line : line + 3; }

static int read_lines(struct reader *r, FILE *file)
{
    char line[LINE_MOST];
    int rc = 0;
    while (!rc && fgets(line, sizeof line, file)) {
        bool whole = strchr(line, '\n') || feof(file);
        r->at.line++;
        if (!is_text(line) || (!whole && strlen(line) < sizeof line - 1))
            return nic_mistake_at(r->parse, &r->at, "this is no text");
        if (!whole)
            return nic_mistake_at(r->parse, &r->at, "longer than %d characters", LINE_MOST - 2);
        rc = go_on(r->parse, read_line(r, r->at.line == 1 ? behind_mark(line) : line));
    }
    if (!rc && ferror(file))
        rc = nic_mistake(r->parse, "%s: cannot be read", r->at.file);
    return rc;
}

static bool is_folder(FILE *file)
{
    struct stat st;
    return !fstat(fileno(file), &st) && S_ISDIR(st.st_mode);
}

/* Its number is its place among those begun.  -errno without a message: it cannot be opened, or it
 * is one too many, as when a file includes itself (-ELOOP). */
static int read_file(struct nic_parse *d, const char *path)
{
    if (d->files == NIC_PROFILE_FILES_MOST)
        return -ELOOP;
    FILE *file = fopen(path, "re");
    if (!file)
        return -errno;
    if (is_folder(file)) {      /* which can be opened, but not read */
        fclose(file);
        return -EISDIR;
    }
    struct reader r = { .parse = d, .file = d->files };
    r.at.file = d->file[d->files] = strdup(path);
    d->files += r.at.file != NULL;
    int rc = r.at.file ? read_lines(&r, file) : no_memory(d, &r.at);
    fclose(file);
    return rc;
}

/* "path/NAME.conf" */
static void name_from_path(struct nic_parse *d, const char *path)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    size_t n = strlen(base);
    if (n > 5 && !strcmp(base + n - 5, ".conf"))
        n -= 5;
    snprintf(d->name, sizeof d->name, "%.*s", (int)n, base);
}

static int no_profile(struct nic_parse *d, const char *name)
{
    char there[PATH_MAX];
    nic_profiles_describe(there, sizeof there);
    nic_mistake(d, "no profile '%s': a path needs a slash, and %s", name, there);
    return -ENOENT;
}

int nic_parse_load(struct nic_parse *d, const char *name)
{
    char path[PATH_MAX];
    if (strchr(name, '/'))
        snprintf(path, sizeof path, "%s", name);
    else if (nic_profile_path(name, path, sizeof path))
        return no_profile(d, name);
    name_from_path(d, path);
    int rc = read_file(d, path);
    if (rc && !d->files)
        nic_mistake(d, "%s: %s", path, strerror(-rc));
    return rc;
}
