/* nicinfo: lists, prints and checks the profiles of modelled hardware. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "profile/finish.h"
#include "profile/parse.h"
#include "profile/path.h"

enum { OK, WRONG, USAGE };
enum { ERROR_ROOM = 65536, SETS_MOST = 256, NAME_WIDTH = 24 };

struct job { const char *sets[SETS_MOST]; unsigned count; bool keys, tsv; const char *check;
             const char *profile; };

static void usage(FILE *out)
{
    fputs("usage: nicinfo                                     list the profiles\n"
          "       nicinfo [--set KEY=VALUE]... PROFILE        explain one, by name or path\n"
          "       nicinfo [--set KEY=VALUE]... --check FILE   read one, and say all that is wrong "
              "with it\n"
          "       nicinfo --keys                              explain all keys\n\n"
          "  --tsv                     for programs: key, value as written, kind, stored value, "
              "source, with tabs between\n"
          "  --set SECTION.KEY=VALUE   on top of the profile; several, in order\n"
          "  -h, --help                print this text\n"
          "  -V, --version             print the version\n\n"
          "Profiles describe what is modelled by mpirun --model; see nicinfo(1).  Those in the "
              "folder NICEMU_PROFILES, if set,\n"
          "come before the installed ones.  Exit code: 0, 1 for a profile that is wrong or "
              "missing, 2 for a wrong call.\n",
          out);
}

/* -- list */

static int is_profile(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 5 && !strcmp(entry->d_name + n - 5, ".conf");
}

/* Without the name in front of it. */
static const char *title(const struct nic_parse *d, const char *name)
{
    const char *text = d->title ? d->title : "";
    size_t n = strlen(name);
    if (!strncmp(text, name, n) && text[n] == ':')
        text += n + 1;
    return text + strspn(text, " ");
}

static void list_one(const char *name)
{
    char error[ERROR_ROOM];
    struct nic_parse d;
    nic_parse_init(&d, error, sizeof error);
    int rc = nic_parse_load(&d, name);
    printf("%-20s %s\n", name, rc ? error : title(&d, name));
    nic_parse_drop(&d);
}

/* True if an earlier folder has it, which then is the one that a name means. */
static bool is_hidden(const char *folder, const char *name)
{
    char path[PATH_MAX], mine[PATH_MAX * 2];
    snprintf(mine, sizeof mine, "%s/%s.conf", folder, name);
    return nic_profile_path(name, path, sizeof path) || strcmp(path, mine);
}

static int list(void)
{
    char folder[PATH_MAX];
    unsigned found = 0;
    for (unsigned i = 0; i < NIC_PROFILE_FOLDERS && nic_profile_folder(i, folder, sizeof folder);
         i++) {
        struct dirent **entries;
        int n = scandir(folder, &entries, is_profile, alphasort);
        for (int k = 0; k < n; k++) {
            entries[k]->d_name[strlen(entries[k]->d_name) - 5] = '\0';
            if (!is_hidden(folder, entries[k]->d_name)) {
                list_one(entries[k]->d_name);
                found++;
            }
            free(entries[k]);
        }
        if (n >= 0)
            free(entries);
        /* those of one installation, behind one's own */
        if (n > 0 && !(i == 0 && getenv("NICEMU_PROFILES")))
            break;
    }
    if (!found)
        fprintf(stderr, "nicinfo: no profiles found\n");
    return found ? OK : WRONG;
}

/* -- print */

static void print_section(const struct nic_profile_key *key)
{
    const struct nic_profile_section *s = &nic_profile_sections[key->section_index];
    if (key > nic_profile_keys && key[-1].section_index == key->section_index)
        return;
    printf("\n[%s]  %s; cycles are those of %s.clock\n", s->name, s->text, s->clock);
}

/* Nanoseconds, where the stored number is a time. */
static void print_time(const struct nic_profile_key *key, uint64_t value)
{
    char text[64] = "";
    if (key->kind == NIC_KEY_TIME)
        snprintf(text, sizeof text, "%llu.%03u ns", (unsigned long long)(value / 1000),
                 (unsigned)(value % 1000));
    if (key->kind == NIC_KEY_RATE)
        snprintf(text, sizeof text, "%llu.%06u ns/byte", (unsigned long long)(value / 1024000),
                 (unsigned)(value % 1024000 * 1000000 / 1024000));
    printf("%22s  ", text);
}

/* The value as it was written; `value` is the default's. */
static const char *written(const struct nic_item *item, const char *value)
{
    const char *text = item->origin == NIC_ITEM_DEFAULT ? value : item->origin == NIC_ITEM_SET
                       ? strchr(item->text, '=') + 1 : item->text;
    return text + strspn(text, " ");
}

static const char *source(const struct nic_item *item)
{
    switch (item->origin) {
    case NIC_ITEM_SET: return "--set";
    case NIC_ITEM_FILE: return item->source ? item->source : "not stated";
    default: return "default";
    }
}

static void print_key(const struct nic_item *item, const struct nic_profile *p,
                      const struct nic_profile_key *key)
{
    char name[64], value[NIC_QUANTITY_TEXT], allowed[NIC_ALLOWED_TEXT];
    snprintf(name, sizeof name, "%s.%s", key->section, key->name);
    nic_profile_format(key, nic_profile_value(p, key), value);
    nic_profile_allowed(key, allowed);
    printf("%-*s %20s ", NAME_WIDTH, name, written(item, value));
    print_time(key, nic_profile_value(p, key));
    printf("%s\n%*s   allowed: %s\n", key->text, NAME_WIDTH, "", allowed);
    printf("%*s   source: %s\n", NAME_WIDTH, "", source(item));
}

/* -- of some ranks */

/* Whether a key of these ranks is said, or has become another by their clock. */
static bool is_other(const struct nic_part_items *part, const struct nic_profile *all,
                     const struct nic_profile *own, const struct nic_profile_key *key)
{
    return part->items[key - nic_profile_keys].origin != NIC_ITEM_DEFAULT
           || nic_profile_value(all, key) != nic_profile_value(own, key);
}

/* What was said of a key: of these ranks, or, in cycles of a clock of theirs, of all. */
static const struct nic_item *item_of(const struct nic_parse *d, const struct nic_part_items *part,
                                      const struct nic_profile_key *key)
{
    const struct nic_item *item = &part->items[key - nic_profile_keys];
    return item->origin == NIC_ITEM_DEFAULT ? &d->items[key - nic_profile_keys] : item;
}

static void print_part(const struct nic_parse *d, const struct nic_part_items *part,
                       const struct nic_profile *p)
{
    struct nic_profile own;
    const char *section = "";
    nic_profile_of_rank(p, part->first, &own);
    for (const struct nic_profile_key *k = nic_profile_keys;
         k < nic_profile_keys + NIC_PROFILE_KEYS; k++) {
        if (!is_other(part, p, &own, k))
            continue;
        if (strcmp(section, k->section))
            printf("\n[ranks %u-%u %s]  where these differ from all others\n", part->first,
                   part->first + part->count - 1, k->section);
        section = k->section;
        print_key(item_of(d, part, k), &own, k);
    }
}

static void print_profile(const struct nic_parse *d, const struct nic_profile *p)
{
    printf("%s\n%s\n", d->title ? d->title : d->name, d->file[0]);
    for (unsigned i = 1; i < d->files; i++)
        printf("includes %s\n", d->file[i]);
    for (const struct nic_profile_key *k = nic_profile_keys;
         k < nic_profile_keys + NIC_PROFILE_KEYS; k++) {
        print_section(k);
        print_key(&d->items[k - nic_profile_keys], p, k);
    }
    for (unsigned i = 0; i < d->owns; i++)
        printf("%sown.%-*s %20s   source: %s\n", i ? "" : "\n[own]  keys of a program's own\n",
               NAME_WIDTH - 4, d->own[i].own.name, d->own[i].own.value, source(&d->own[i].item));
    for (unsigned i = 0; i < d->parts; i++)
        print_part(d, &d->part[i], p);
}

static const char *const kinds[] = {
    [NIC_KEY_TIME] = "ps", [NIC_KEY_RATE] = "ps/1024bytes", [NIC_KEY_CLOCK] = "Hz",
        [NIC_KEY_BYTES] = "bytes", [NIC_KEY_COUNT] = "count",
    [NIC_KEY_CHOICE] = "choice", [NIC_KEY_SWITCH] = "switch",
};

static void print_tsv_key(const struct nic_item *item, const struct nic_profile *p,
                          const struct nic_profile_key *key)
{
    char value[NIC_QUANTITY_TEXT];
    nic_profile_format(key, nic_profile_value(p, key), value);
    printf("%s.%s\t%s\t%s\t%llu\t%s\n", key->section, key->name, written(item, value),
           kinds[key->kind], (unsigned long long)nic_profile_value(p, key), source(item));
}

static void print_tsv_part(const struct nic_parse *d, const struct nic_part_items *part,
                           const struct nic_profile *p)
{
    struct nic_profile own;
    nic_profile_of_rank(p, part->first, &own);
    for (const struct nic_profile_key *k = nic_profile_keys;
         k < nic_profile_keys + NIC_PROFILE_KEYS; k++)
        if (is_other(part, p, &own, k)) {
            printf("ranks %u-%u ", part->first, part->first + part->count - 1);
            print_tsv_key(item_of(d, part, k), &own, k);
        }
}

static void print_tsv(const struct nic_parse *d, const struct nic_profile *p)
{
    for (const struct nic_profile_key *k = nic_profile_keys;
         k < nic_profile_keys + NIC_PROFILE_KEYS; k++)
        print_tsv_key(&d->items[k - nic_profile_keys], p, k);
    for (unsigned i = 0; i < d->owns; i++)
        printf("own.%s\t%s\town\t\t%s\n", d->own[i].own.name, d->own[i].own.value,
               source(&d->own[i].item));
    for (unsigned i = 0; i < d->parts; i++)
        print_tsv_part(d, &d->part[i], p);
}

static unsigned given(const struct nic_item *items)
{
    unsigned keys = 0;
    for (unsigned i = 0; i < NIC_PROFILE_KEYS; i++)
        keys += items[i].origin != NIC_ITEM_DEFAULT;
    return keys;
}

static void check_profile(const struct nic_parse *d)
{
    unsigned keys = given(d->items), of_ranks = 0;
    for (unsigned i = 0; i < d->parts; i++)
        of_ranks += given(d->part[i].items);
    printf("%s: right; %u keys, %u at their defaults", d->file[0], keys + d->owns,
           NIC_PROFILE_KEYS - keys);
    if (d->owns)
        printf("; %u of a program's own", d->owns);
    if (of_ranks)
        printf("; %u of some ranks", of_ranks);
    putchar('\n');
}

/* One line each, and how many. */
static void print_mistakes(char *error, unsigned count)
{
    char *rest = error;
    for (char *line; (line = strsep(&rest, "\n"));)
        fprintf(stderr, "nicinfo: %s\n", line);
    if (count > 1)
        fprintf(stderr, "nicinfo: %u mistakes\n", count);
}

static int show(const struct job *job)
{
    char error[ERROR_ROOM], path[PATH_MAX];
    struct nic_profile p;
    struct nic_parse d;
    /* What is checked is a file, slash or not. */
    snprintf(path, sizeof path, "%s%s", job->check && !strchr(job->check, '/') ? "./" : "",
             job->check ? job->check : job->profile);
    nic_parse_init(&d, error, sizeof error);
    d.all = job->check != NULL;
    int rc = nic_parse_load(&d, path);
    for (unsigned i = 0; !rc && i < job->count; i++)
        rc = nic_parse_set(&d, job->sets[i]);
    if (!rc)
        rc = nic_parse_finish(&d, &p);
    if (rc)
        print_mistakes(error, d.mistakes);
    else if (job->check)
        check_profile(&d);
    else if (job->tsv)
        print_tsv(&d, &p);
    else
        print_profile(&d, &p);
    nic_parse_drop(&d);
    return rc ? WRONG : OK;
}

static int print_keys(void)
{
    for (const struct nic_profile_key *k = nic_profile_keys;
         k < nic_profile_keys + NIC_PROFILE_KEYS; k++) {
        char name[64], value[NIC_QUANTITY_TEXT], allowed[NIC_ALLOWED_TEXT];
        print_section(k);
        snprintf(name, sizeof name, "%s.%s", k->section, k->name);
        nic_profile_format(k, k->fallback, value);
        nic_profile_allowed(k, allowed);
        printf("%-*s %s\n%*s   allowed: %s; default: %s\n", NAME_WIDTH, name, k->text, NAME_WIDTH,
               "", allowed, value);
    }
    return OK;
}

/* -- start */

static const struct option options[] = {
    { "set", required_argument, NULL, 's' }, { "check", required_argument, NULL, 'c' },
    { "keys", no_argument, NULL, 'k' },
    { "tsv", no_argument, NULL, 't' },
    { "help", no_argument, NULL, 'h' }, { "version", no_argument, NULL, 'V' }, { 0 },
};

/* -1: go on; else the exit code. */
static int read_option(struct job *job, int option)
{
    switch (option) {
    case 's':
        if (job->count == SETS_MOST) {
            fprintf(stderr, "nicinfo: more than %d --set\n", SETS_MOST);
            return USAGE;
        }
        job->sets[job->count++] = optarg;
        return -1;
    case 'c': job->check = optarg; return -1;
    case 'k': job->keys = true; return -1;
    case 't': job->tsv = true; return -1;
    case 'h': usage(stdout); return OK;
    case 'V': puts("nicinfo (libmpi-lite) " NIC_VERSION); return OK;
    default: usage(stderr); return USAGE;
    }
}

/* Reads the options and does what they ask; returns the exit code. */
static int run(struct job *job, int argc, char **argv)
{
    int option, code;
    while ((option = getopt_long(argc, argv, "hV", options, NULL)) != -1)
        if ((code = read_option(job, option)) >= 0)
            return code;
    job->profile = argv[optind];
    unsigned modes = (job->profile != NULL) + (job->check != NULL) + job->keys;
    if (argc - optind > 1 || modes > 1 || (job->count && !job->profile && !job->check)
        || (job->tsv && !job->profile)) {
        usage(stderr);
        return USAGE;
    }
    return job->keys ? print_keys() : job->profile || job->check ? show(job) : list();
}

int main(int argc, char **argv)
{
    struct job job = { .count = 0 };
    int code = run(&job, argc, argv);
    if (fflush(stdout) || ferror(stdout)) {
        perror("nicinfo: cannot write standard output");
        return WRONG;
    }
    return code;
}
