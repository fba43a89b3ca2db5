/* Profiles: numbers with units, what files may say and what is said about their mistakes, what is
 * set on top, and that those that come with the library are whole and name their sources. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/finish.h"
#include "profile/parse.h"
#include "profile/path.h"
#include "suite.h"

static char error[4096];
static char path[64];

static const struct nic_profile_key *key(const char *name)
{
    const struct nic_profile_key *k = nic_profile_find(name);

    ck_assert_msg(k != NULL, "no key %s", name);
    return k;
}

/* -- the table */

START_TEST(the_table_agrees_with_the_struct)
{
    struct nic_profile p;

    nic_profile_default(&p);
    for (unsigned i = 0; i < NIC_PROFILE_KEYS; i++) {
        const struct nic_profile_key *k = &nic_profile_keys[i];

        ck_assert_uint_eq(k->offset, NIC_PROFILE_NAME_MAX + i * sizeof(uint64_t));
        ck_assert_uint_ge(k->fallback, k->least);
        ck_assert_uint_le(k->fallback, k->most);
        ck_assert_uint_eq(nic_profile_value(&p, k), k->fallback);
        ck_assert_str_eq(nic_profile_sections[k->section_index].name, k->section);
    }
    ck_assert_ptr_eq(nic_profile_find("tx.start"),
                     &nic_profile_keys[(offsetof(struct nic_profile,
                                                 tx.start) - NIC_PROFILE_NAME_MAX) / 8]);
    ck_assert_ptr_null(nic_profile_find("tx.begin"));
    ck_assert_ptr_null(nic_profile_find("tx"));
    ck_assert_ptr_null(nic_profile_find("t.start"));
    ck_assert_ptr_null(nic_profile_find(""));
}
END_TEST

/* The defaults are a profile: they pass their own checks. */
START_TEST(the_defaults_are_right)
{
    struct nic_parse d;
    struct nic_profile p;

    nic_parse_init(&d, error, sizeof error);
    ck_assert_int_eq(nic_parse_finish(&d, &p), 0);
    nic_parse_drop(&d);
}
END_TEST

/* -- amounts */

static const struct { const char *key, *text; uint64_t hertz, value; } amounts[] = {
    { "nic.entry_hit", "15 ns", 1, 15000 },
    { "nic.entry_hit", "15ns", 1, 15000 },
    { "nic.entry_hit", "0.015 us", 1, 15000 },
    { "nic.entry_hit", "15000 ps", 1, 15000 },
    { "nic.entry_hit", "0 s", 1, 0 },
    { "nic.entry_hit", "1.000000001 ms", 1, 1000000001 },
    { "nic.entry_hit", "7.5 cycles", 500000000, 15000 },
    { "nic.entry_hit", "217 cycles", 75000000, 2893333 },       /* and a third */
    { "nic.entry_hit", "2 cycles", 75000000, 26667 },           /* 26666 and two thirds */
    { "tx.byte", "1 ps/byte", 1, 1024 },
    { "tx.byte", "0.5 ns/byte", 1, 512000 },
    { "tx.byte", "2 bytes/ns", 1, 512000 },
    { "tx.byte", "2 GB/s", 1, 512000 },
    { "tx.byte", "2000 MB/s", 1, 512000 },
    { "tx.byte", "3 bytes/ns", 1, 341333 },
    { "tx.byte", "0.375 cycles/byte", 75000000, 5120000 },
    { "tx.byte", "4 bytes/cycle", 500000000, 512000 },
    { "nic.clock", "75 MHz", 1, 75000000 },
    { "nic.clock", "2.5 GHz", 1, 2500000000 },
    { "nic.cache", "32 KiB", 1, 32768 },
    { "nic.cache", "1.5 KiB", 1, 1536 },
    { "alpu.posted", "256 cells", 1, 256 },
    { "protocol.eager", "packet", 1, NIC_EAGER_PACKET },
    { "protocol.eager", "ring", 1, NIC_EAGER_RING },
    { "protocol.offload", "match", 1, NIC_OFFLOAD_MATCH },
    { "completion.kind", "interrupt", 1, NIC_COMPLETION_INTERRUPT },
    { "protocol.rendezvous", "get", 1, NIC_RENDEZVOUS_GET },
    { "protocol.send_returns", "landed", 1, NIC_SEND_LANDED },
    { "alpu.overlap", "yes", 1, 1 },
    { "alpu.overlap", "no", 1, 0 },
};

START_TEST(amounts_convert_exactly)
{
    struct nic_quantity a;
    uint64_t value = 0;
    const char *wrong = nic_quantity_read(key(amounts[_i].key), amounts[_i].text, &a);

    ck_assert_msg(!wrong, "%s: %s", amounts[_i].text, wrong);
    wrong = nic_quantity_value(&a, key(amounts[_i].key), amounts[_i].hertz, &value);
    ck_assert_msg(!wrong, "%s: %s", amounts[_i].text, wrong);
    ck_assert_uint_eq(value, amounts[_i].value);
}
END_TEST

static const struct { const char *key, *text, *wrong; } refusals[] = {
    { "nic.entry_hit", "", "no value" },
    { "nic.entry_hit", "15", "no unit" },
    { "nic.entry_hit", "15 bytes", "wrong unit" },
    { "nic.entry_hit", "15 NS", "wrong unit" },
    { "nic.entry_hit", "15 ns per entry", "wrong unit" },
    { "nic.entry_hit", "15 tx.cycles", "wrong unit" },         /* tx has no clock of its own */
    { "nic.entry_hit", "-15 ns", "not a number" },
    { "nic.entry_hit", "1e3 ns", "wrong unit" },
    { "nic.entry_hit", "1,5 ns", "wrong unit" },
    { "nic.entry_hit", ".", "not a number" },
    { "nic.entry_hit", "1. ns", "not a number" },
    { "nic.entry_hit", "1.2.3 ns", "wrong unit" },
    { "nic.entry_hit", "1234567890123456 ns", "too many digits" },
    { "nic.entry_hit", "0.0000000001 ns", "too many digits behind the point" },
    { "nic.entry_hit", "nan ns", "not a number" },
    { "alpu.posted", "256 entries", "wrong unit" },
    { "alpu.posted", "256", "no unit" },
    { "nic.cache", "32 KB", "wrong unit" },
    { "protocol.eager", "rin", "no such choice" },
    { "protocol.eager", "packet|ring", "no such choice" },
    { "alpu.overlap", "1", "no such choice" },
};

START_TEST(what_is_no_amount_is_refused)
{
    struct nic_quantity a;
    const char *wrong = nic_quantity_read(key(refusals[_i].key), refusals[_i].text, &a);

    ck_assert_msg(wrong != NULL, "%s was taken", refusals[_i].text);
    ck_assert_str_eq(wrong, refusals[_i].wrong);
}
END_TEST

START_TEST(what_does_not_convert_is_refused)
{
    static const struct { const char *key, *text; } cases[] = {
        { "nic.entry_hit", "0.5 ps" }, { "nic.cache", "0.3 KiB" }, { "alpu.posted", "1.5 cells" },
        { "tx.byte", "0 bytes/ns" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nic_quantity a;
        uint64_t value;

        ck_assert_ptr_null(nic_quantity_read(key(cases[i].key), cases[i].text, &a));
        ck_assert_msg(nic_quantity_value(&a, key(cases[i].key), 1, &value) != NULL, "%s",
                      cases[i].text);
    }
}
END_TEST

/* Whatever is written for people can be read back, where it is not rounded. */
START_TEST(what_is_printed_can_be_read)
{
    for (unsigned i = 0; i < NIC_PROFILE_KEYS; i++) {
        const struct nic_profile_key *k = &nic_profile_keys[i];
        const uint64_t values[] = { k->least, k->most, k->fallback };

        for (unsigned j = 0; j < 3; j++) {
            char text[NIC_QUANTITY_TEXT];
            struct nic_quantity a;
            uint64_t back;

            nic_profile_format(k, values[j], text);
            ck_assert_msg(!nic_quantity_read(k, text, &a), "%s.%s: %s", k->section, k->name, text);
            ck_assert_ptr_null(nic_quantity_value(&a, k, 1, &back));
            ck_assert_uint_eq(back, values[j]);
        }
    }
}
END_TEST

START_TEST(bytes_are_rounded_to_the_nearest)
{
    ck_assert_uint_eq(nic_profile_bytes(512000, 1), 500);
    ck_assert_uint_eq(nic_profile_bytes(512000, 1000000), 500000000);
    ck_assert_uint_eq(nic_profile_bytes(341333, 3), 1000);
    ck_assert_uint_eq(nic_profile_bytes(1, 511), 0);
    ck_assert_uint_eq(nic_profile_bytes(1, 512), 1);
    ck_assert_uint_eq(nic_profile_bytes(NIC_RATE_MOST, NIC_BYTES_MOST >> 20),
                      UINT64_C(1048576) * 1000000000);
}
END_TEST

/* -- files */

static void write_file(const char *text)
{
    int fd;

    strcpy(path, "/tmp/test_profile.XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static int load(const char *text, const char *const *sets, size_t count, struct nic_profile *p)
{
    int rc;

    write_file(text);
    *error = '\0';
    rc = nic_profile_load(path, sets, count, p, error, sizeof error);
    unlink(path);
    return rc;
}

START_TEST(a_file_changes_what_it_names)
{
    struct nic_profile p, defaults;

    nic_profile_default(&defaults);
    ck_assert_int_eq(load("# title\n\n[nic]\nclock = 500 MHz  # paper\n  # on two "
                          "lines\n\tentry_hit=7.5 cycles\n[link]\nlatency = 200 ns", NULL, 0, &p),
                              0);
    ck_assert_uint_eq(p.nic.clock, 500000000);
    ck_assert_uint_eq(p.nic.entry_hit, 15000);
    ck_assert_uint_eq(p.link.latency, 200000);
    ck_assert_str_eq(p.name, strrchr(path, '/') + 1);
    memcpy(p.name, defaults.name, sizeof p.name);
    p.nic.clock = defaults.nic.clock;
    p.nic.entry_hit = 0;
    p.link.latency = defaults.link.latency;
    ck_assert_mem_eq(&p, &defaults, sizeof p);
}
END_TEST

/* Cycles mean those of the clock that holds in the end, of the
 * key's section or of the one that is named. */
START_TEST(cycles_follow_the_clock)
{
    static const char file[] = "[link]\nlatency = 10 cycles\nbyte = 2 "
        "host.cycles/byte\n[call]\nenter = 3 cycles\n[host]\nclock = 2 GHz\n[nic]\nclock = 500 "
            "MHz\n";
    const char *faster[] = { "nic.clock=1GHz" };
    struct nic_profile p;

    ck_assert_int_eq(load(file, NULL, 0, &p), 0);
    ck_assert_uint_eq(p.link.latency, 20000);
    ck_assert_uint_eq(p.link.byte, 1024 * 1000);
    ck_assert_uint_eq(p.call.enter, 1500);
    ck_assert_int_eq(load(file, faster, 1, &p), 0);
    ck_assert_uint_eq(p.link.latency, 10000);
    ck_assert_uint_eq(p.call.enter, 1500);
}
END_TEST

START_TEST(settings_apply_in_order)
{
    const char *sets[] = { "nic.entry_hit=1 ns", "nic.entry_hit = 2ns", "alpu.posted=128",
                           "tx.start=5ns" };
    struct nic_profile p;

    ck_assert_int_eq(load("[nic]\nentry_hit = 9 ns\n", sets, 4, &p), 0);
    ck_assert_uint_eq(p.nic.entry_hit, 2000);
    ck_assert_uint_eq(p.alpu.posted, 128);
    ck_assert_uint_eq(p.tx.start, 5000);
}
END_TEST

/* %s stands for the file. */
static const struct { const char *file, *set, *message; } mistakes[] = {
    { "[nic]\n\nentry = 1 ns\n", NULL, "%s:3: nic.entry: no such key; allowed in [nic]: clock, " },
    { "[nick]\n", NULL, "%s:1: nick: no such section; allowed: host, call, " },
    { "[nic]\nentry_hit = 1 ns\n# x\nentry_hit = 2 ns\n", NULL,
      "%s:4: nic.entry_hit = 2 ns: set before, in line 2; allowed: 0 ps to 1 s " },
    { "[nic]\nentry_hit = 1 byte\n", NULL,
      "%s:2: nic.entry_hit = 1 byte: wrong unit; allowed: 0 ps to 1 s (in ps, ns, us, ms, s, "
          "cycles)" },
    { "[nic]\nentry_hit = 2 s\n", NULL,
      "%s:2: nic.entry_hit = 2 s: out of range; allowed: 0 ps to 1 s (in ps, ns, us, ms, s, "
          "cycles)" },
    { "[nic]\nentry_hit =   # paper\n", NULL,
      "%s:2: nic.entry_hit = : no value; allowed: 0 ps to 1 s (in ps, ns, us, ms, s, cycles)" },
    { "[nic]\nentry_hit\n", NULL, "%s:2: 'entry_hit': must be KEY = VALUE" },
    { "entry_hit = 1 ns\n", NULL, "%s:1: entry_hit: before the first [SECTION]" },
    { "[nic\n", NULL, "%s:1: '[nic': a section is [NAME]" },
    { "[link]\nlatency = 0 ns\n", NULL,
      "%s:2: link.latency = 0 ns: out of range; allowed: 1 ps to 1 s " },
    { "[link]\nlatency = 0.4 cycles\n[nic]\nclock = 100 GHz\n", "link.latency=0.01cycles",
      "--set link.latency=0.01cycles: link.latency = 0.01cycles: out of range; allowed: 1 ps to 1 "
          "s " },
    { "[protocol]\neager = rung\n", NULL,
      "%s:2: protocol.eager = rung: no such choice; allowed: packet, ring" },
    { "[alpu]\nposted = 1025 cells\n", NULL,
      "%s:2: alpu.posted = 1025 cells: out of range; allowed: 0 cells to 1024 cells" },
    { "[nic]\n", "alpu.block=12",
      "--set alpu.block=12: alpu.block = 12 cells: does not fit the rest; allowed: a power of two, "
          "1 to 32 cells" },
    { "[nic]\n", "alpu.block=64",
      "--set alpu.block=64: alpu.block = 64: out of range; allowed: 1 cells to 32 cells" },
    { "include = nowhere\n", NULL,
      "%s:1: include = nowhere: no such profile; a path needs a slash" },
    { "include = ./no/where.conf\n", NULL,
      "%s:1: include = ./no/where.conf: No such file or directory" },
    { "# a folder\ninclude = /\n", NULL, "%s:2: include = /: Is a directory" },
    { "[nic]\ninclude = ideal\n", NULL, "%s:2: nic.include: no such key; allowed in [nic]: " },
    { "[own]\nx = 1 s\ny = 2\nx = 3\n", NULL, "%s:4: own.x: set before, in line 2" },
    { "[own]\nx = a value of more than thirty characters\n", NULL,
      "%s:2: own.x = a value of more than thirty characters: name and value have 1 to 31 "
          "characters" },
    { "[own]\n = 3\n", NULL, "%s:2: own. = 3: name and value have 1 to 31 characters" },
    { "[own]\nx =\n", NULL, "%s:2: own.x = : name and value have 1 to 31 characters" },
    { "[own]\n", "own.x=", "--set own.x=: own.x = : name and value have 1 to 31 characters" },
    { "[protocol]\neager = ring\neager_limit = 64 bytes\n", NULL,
      "%s:3: protocol.eager_limit = 64 bytes: does not fit the rest; allowed: what a slot holds "
          "behind the header, 48 bytes" },
    { "[protocol]\neager = ring\n[scratchpad]\nslots = 1 slots\n", NULL,
      "%s:4: scratchpad.slots = 1 slots: does not fit the rest; allowed: 2 or more, one of which "
          "is always empty" },
    { "[nic]\ncache = 1 KiB\ncache_line = 32 bytes\ncache_ways = 64 ways\n", NULL,
      "%s:2: nic.cache = 1 KiB: does not fit the rest; allowed: a multiple of cache_line * "
          "cache_ways, 2048 bytes" },
    { "[host]\nentry_read = 96 bytes\n", NULL,
      "%s:2: host.entry_read = 96 bytes: does not fit the rest; allowed: at most entry_bytes, 64 "
          "bytes" },
    { "[protocol]\neager = ring\nheader = 72 bytes\neager_limit = 0 bytes\n", NULL,
      "%s:3: protocol.header = 72 bytes: does not fit the rest; allowed: at most "
          "scratchpad.slot_bytes, 64 bytes" },
    { "[nic]\nentry_read = 96 bytes\n", NULL,
      "%s:2: nic.entry_read = 96 bytes: does not fit the rest; allowed: at most entry_bytes, 64 "
          "bytes" },
    { "[node]\nranks = 2 ranks\n[pgas]\nunit = yes\n", NULL,
      "%s:2: node.ranks = 2 ranks: does not fit the rest; allowed: 1, as there is a unit" },
    { "[node]\nranks = 2 ranks\n[protocol]\neager = ring\neager_limit = 8 bytes\n", NULL,
      "%s:2: node.ranks = 2 ranks: does not fit the rest; allowed: 1, as hosts write" },
    { "[node]\nranks = 2 ranks\ncpus = 3 processors\n", NULL,
      "%s:3: node.cpus = 3 processors: does not fit the rest; allowed: at most node.ranks, 2" },
    { "[link]\ntopology = mesh\ncontention = shared\n", "link.router=0ps",
      "--set link.router=0ps: link.router = 0 ps: does not fit the rest; allowed: 1 ps or more" },
    { "[link]\ncontention = shared\nlatency = 1 ps\n", NULL,
      "%s:3: link.latency = 1 ps: does not fit the rest; allowed: 2 ps or more" },
    { "[nic]\nentry_read = 32 bytes\n[ranks 0-1 nic]\nentry_read = 96 bytes\n", NULL,
      "%s:4: nic.entry_read = 96 bytes: does not fit the rest; allowed: at most entry_bytes, 64 " },
    { "[ranks 0-1 nic]\nentry_read = 96 bytes\n", NULL,
      "%s:2: nic.entry_read = 96 bytes: does not fit the rest; allowed: at most entry_bytes, 64 " },
    { "[ranks 4-5 nic]\n[ranks 1-4 nic]\n", NULL,
      "%s:2: [ranks 1-4 nic]: some of these ranks are of another part" },
    { "[ranks 4-5 nic]\n[ranks 4-4 nic]\n", NULL,
      "%s:2: [ranks 4-4 nic]: some of these ranks are of another part" },
    { "[own]\nx = aaaaaaaaaabbbbbbbbbbccccccccccdd\n", NULL,
      "%s:2: own.x = aaaaaaaaaabbbbbbbbbbccccccccccdd: name and value have 1 to 31 characters" },
    { "[own]\naaaaaaaaaabbbbbbbbbbccccccccccdd = 1\n", NULL,
      "%s:2: own.aaaaaaaaaabbbbbbbbbbccccccccccdd = 1: name and value have 1 to 31 characters" },
    { "# a\x7f\n", NULL, "%s:1: this is no text" },
    { "[nic]\n", "nic.entry=1ns",
      "--set nic.entry=1ns: nic.entry: no such key; allowed in [nic]: clock, " },
    { "[nic]\n", "nick.entry=1ns", "--set nick.entry=1ns: nick: no such section; allowed: host, " },
    { "[nic]\n", "entry_hit=1ns", "--set entry_hit=1ns: must be SECTION.KEY=VALUE" },
    { "[nic]\n", "nic.entry_hit", "--set nic.entry_hit: must be SECTION.KEY=VALUE" },
    { "[nic]\n", "nic.entry_hit=", "--set nic.entry_hit=: nic.entry_hit = : no value; allowed: " },
};

START_TEST(mistakes_are_named_with_their_place)
{
    const char *set = mistakes[_i].set;
    char expected[512];
    struct nic_profile p;

    ck_assert_int_lt(load(mistakes[_i].file, &set, set != NULL, &p), 0);
    snprintf(expected, sizeof expected, mistakes[_i].message, path);
    ck_assert_msg(!strncmp(error, expected, strlen(expected)), "said:     %s\nexpected: %s", error,
                  expected);
    ck_assert_ptr_null(strchr(error, '\n'));
}
END_TEST

/* What stands at a limit is within it. */
START_TEST(limits_are_allowed)
{
    static const char *const sets[] = {
        "link.latency=1ps", "link.latency=1s", "alpu.posted=0", "alpu.posted=1024", "alpu.block=1",
        "alpu.block=32", "own.aaaaaaaaaabbbbbbbbbbccccccccccd=1",
        "own.x=aaaaaaaaaabbbbbbbbbbccccccccccd",
    };
    struct nic_profile p;
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
        ck_assert_msg(load("[nic]\n", &sets[i], 1, &p) == 0, "%s", error);
    ck_assert_str_eq(p.own[0].value, "aaaaaaaaaabbbbbbbbbbccccccccccd");
    ck_assert_msg(load("[ranks 1-2 nic]\n[ranks 3-3 nic]\n[ranks 1-2 bus]\n", NULL, 0, &p) == 0,
                  "%s", error);
    ck_assert_msg(load("[link]\ncontention = shared\nlatency = 2 ps\n[node]\nranks = 3 ranks\n"
                       "cpus = 3 processors\n", NULL, 0, &p) == 0, "%s", error);
}
END_TEST

/* So many keys of a program's own, and not one more. */
START_TEST(keys_of_a_program_are_counted)
{
    char text[1024] = "[own]\n", expected[128];
    struct nic_profile p;
    for (unsigned i = 0; i < NIC_PROFILE_OWN_MOST; i++)
        sprintf(text + strlen(text), "k%u = %u\n", i, i);
    ck_assert_int_eq(load(text, NULL, 0, &p), 0);
    ck_assert_str_eq(p.own[NIC_PROFILE_OWN_MOST - 1].value, "15");
    strcat(text, "more = 1\n");
    ck_assert_int_lt(load(text, NULL, 0, &p), 0);
    snprintf(expected, sizeof expected, "%s:18: own.more: more than 16 keys", path);
    ck_assert_msg(!strncmp(error, expected, strlen(expected)), "%s", error);
}
END_TEST

/* The first line is the title; what stands indented below a key goes on with its source. */
START_TEST(comments_go_on)
{
    struct nic_parse d;
    write_file("# mine: a NIC\n#   of mine\n\n[nic]\n# of nothing\nclock = 1 GHz  # paper,\n"
               "    # on two\n\t# lines\n# and this is apart\nentry_hit = 1 ns\n  # guess\n");
    nic_parse_init(&d, error, sizeof error);
    ck_assert_msg(nic_parse_load(&d, path) == 0, "%s", error);
    ck_assert_str_eq(d.title, "mine: a NIC");
    ck_assert_str_eq(d.items[key("nic.clock") - nic_profile_keys].source, "paper, on two lines");
    ck_assert_str_eq(d.items[key("nic.entry_hit") - nic_profile_keys].source, "guess");
    nic_parse_drop(&d);
    unlink(path);
}
END_TEST

START_TEST(a_file_that_is_missing_is_named)
{
    struct nic_profile p;

    ck_assert_int_eq(nic_profile_load("/nowhere/x.conf", NULL, 0, &p, error, sizeof error),
                     -ENOENT);
    ck_assert_ptr_nonnull(strstr(error, "/nowhere/x.conf"));
    ck_assert_int_eq(nic_profile_load("nowhere", NULL, 0, &p, error, sizeof error), -ENOENT);
    ck_assert_ptr_nonnull(strstr(error, "no profile 'nowhere'"));
}
END_TEST

/* -- files that include others */

static void write_as(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

/* What a file says holds over what those say that it includes, wherever they stand: by name, or by
 * a path that begins in its own folder. */
START_TEST(files_include_others)
{
    char folder[] = "/tmp/test_profile.XXXXXX", base[64], middle[64], top[64];
    struct nic_profile p;
    struct nic_parse d;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(base, sizeof base, "%s/base.conf", folder);
    snprintf(middle, sizeof middle, "%s/middle.conf", folder);
    snprintf(top, sizeof top, "%s/top.conf", folder);
    write_as(base, "# base\ninclude = redstorm-alpu\n[nic]\nclock = 1 GHz  # base's\n"
             "entry_hit = 8 cycles\n[own]\nlookup = 3\n");
    write_as(middle, "# middle\ninclude = ./base.conf\n[nic]\nclock = 2 GHz\n");
    write_as(top, "# top\ninclude = ./middle.conf\n[own]\nlookup = 4\n");

    nic_parse_init(&d, error, sizeof error);
    ck_assert_msg(nic_parse_load(&d, top) == 0, "%s", error);
    ck_assert_msg(nic_parse_finish(&d, &p) == 0, "%s", error);
    ck_assert_str_eq(p.name, "top");
    ck_assert_str_eq(d.title, "top");
    ck_assert_uint_eq(p.nic.clock, 2000000000);
    ck_assert_uint_eq(p.nic.entry_hit, 4000);           /* 8 cycles of the clock of the middle */
    ck_assert_uint_eq(p.link.latency, 200000);          /* the included profile's */
    ck_assert_str_eq(p.own[0].name, "lookup");
    ck_assert_str_eq(p.own[0].value, "4");
    ck_assert_str_eq(p.own[1].name, "");
    ck_assert_uint_eq(d.files, 4);
    ck_assert_str_eq(d.file[d.items[key("nic.entry_hit") - nic_profile_keys].file] + strlen(folder),
                     "/base.conf");
    nic_parse_drop(&d);

    /* a mistake is told where it stands */
    write_as(base, "[link]\nlatency = 0 ns\n");
    ck_assert_int_eq(nic_profile_load(top, NULL, 0, &p, error, sizeof error), -EINVAL);
    ck_assert_ptr_nonnull(strstr(error, "/base.conf:2: link.latency = 0 ns: out of range"));
    write_as(base, "include = ./top.conf\n");
    ck_assert_int_eq(nic_profile_load(top, NULL, 0, &p, error, sizeof error), -EINVAL);
    ck_assert_ptr_nonnull(strstr(error, ": more than 16 files, as where one includes itself"));
    unlink(base), unlink(middle), unlink(top), rmdir(folder);
}
END_TEST

/* Every mistake at once, in the order of the file, those of ranges behind those of words. */
START_TEST(all_mistakes_are_named)
{
    static const char *const expected[] = { ":2: nic.entry: no such key", ":3: nic.copy = 1 m: ",
                                            ":4: nick: no such section", ":7: '[nic': a section",
                                            "--set rx.x=1: rx.x: no such key",
                                            ":10: link.latency = 0 ps: out of range" };
    struct nic_parse d;
    struct nic_profile p;
    char *at = error;

    write_file("[nic]\nentry = 1 ns\ncopy = 1 m\n[nick]\nclock = 1 Hz\nname = 2\n[nic\n"
               "copy = 1 ns\n[link]\nlatency = 0 ps\n");
    nic_parse_init(&d, error, sizeof error);
    d.all = true;
    ck_assert_int_eq(nic_parse_load(&d, path), 0);
    ck_assert_int_eq(nic_parse_set(&d, "rx.x=1"), 0);
    ck_assert_int_eq(nic_parse_finish(&d, &p), -EINVAL);
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        char *line = strstr(at, expected[i]);
        ck_assert_msg(line != NULL, "not said: %s in:\n%s", expected[i], error);
        at = line + 1;
    }
    ck_assert_uint_eq(d.mistakes, sizeof expected / sizeof *expected);
    nic_parse_drop(&d);
    unlink(path);
}
END_TEST

/* A message that does not fit is cut, and a long line is refused, not taken in two. */
START_TEST(lengths_are_bounded)
{
    char small[16], *text = malloc(5000);
    struct nic_profile p;

    memset(text, 'x', 4999);
    memcpy(text, "[nic]\n", 6);
    text[4999] = '\0';
    ck_assert_int_lt(load(text, NULL, 0, &p), 0);
    ck_assert_ptr_nonnull(strstr(error, "longer than"));
    write_file(text);
    ck_assert_int_lt(nic_profile_load(path, NULL, 0, &p, small, sizeof small), 0);
    ck_assert_uint_eq(strlen(small), sizeof small - 1);
    unlink(path);
    text[4999] = '\0';
    ck_assert_int_lt(load("[nic]\n", (const char *const[]){ text + 6 }, 1, &p), 0);
    free(text);
}
END_TEST

/* -- those that come with the library */

static const char *const ours[] = { "ideal", "redstorm-alpu", "fpga-scratchpad", "lanai43",
                                     "lanai43-fm", "lanai72", "pgas-xt", "seastar" };

/* Each number has a source of a known kind: the paper's section, with a sum if it takes one, the
 * row that it is calibrated on, or why it is assumed. */
START_TEST(ours_are_whole_and_name_their_sources)
{
    struct nic_parse d;
    struct nic_profile p;
    char folder[4096];

    nic_parse_init(&d, error, sizeof error);
    ck_assert_msg(nic_parse_load(&d, ours[_i]) == 0, "%s", error);
    ck_assert_msg(nic_parse_finish(&d, &p) == 0, "%s", error);
    ck_assert_str_eq(p.name, ours[_i]);
    ck_assert_int_eq(strncmp(d.title, ours[_i], strlen(ours[_i])), 0);
    for (unsigned i = 0; i < NIC_PROFILE_KEYS; i++) {
        const struct nic_item *item = &d.items[i];
        const char *name = nic_profile_keys[i].name, *section = nic_profile_keys[i].section;

        ck_assert_msg(item->origin == NIC_ITEM_FILE, "%s leaves out %s.%s", d.file[0], section,
                      name);
        const char *from = item->source ? item->source : "";
        ck_assert_msg(!strncmp(from, "paper ", 6) || !strncmp(from, "cal ", 4)
                      || !strncmp(from, "derived ", 8) || !strncmp(from, "assumed: ", 9),
                      "%s:%u: %s.%s: no source: '%s'", d.file[0], item->line, section, name, from);
    }
    ck_assert(nic_profile_folder(0, folder, sizeof folder));
    nic_parse_drop(&d);
}
END_TEST

/* What the papers state, in the units of the struct. */
START_TEST(ours_say_what_the_papers_say)
{
    struct nic_profile p;

    ck_assert_int_eq(nic_profile_load("redstorm-alpu", NULL, 0, &p, error, sizeof error), 0);
    ck_assert_uint_eq(p.host.clock, 2000000000);
    ck_assert_uint_eq(p.nic.clock, 500000000);
    ck_assert_uint_eq(p.alpu.clock, 500000000);
    ck_assert_uint_eq(p.bus.latency, 20000);
    ck_assert_uint_eq(p.link.latency, 200000);
    ck_assert_uint_eq(p.alpu.match, 0);     /* by cells and block */
    ck_assert_uint_eq(p.alpu.insert, 2);
    ck_assert_uint_eq(p.nic.cache, 32768);
    ck_assert_int_eq(nic_profile_load("fpga-scratchpad", NULL, 0, &p, error, sizeof error), 0);
    ck_assert_uint_eq(p.host.clock, 75000000);
    ck_assert_uint_eq(p.scratchpad.bytes, 16384);
    ck_assert_uint_eq(p.scratchpad.slots * p.scratchpad.slot_bytes, 512);
    ck_assert_uint_eq(p.protocol.eager_limit, 48);
    /* 34 cycles for 16 bytes, 52 for 64, to the rounding of four numbers */
    uint64_t base = p.rdma.start + p.link.latency;
    ck_assert_int_le(llabs((long long)(base + nic_profile_bytes(p.rdma.short_byte, 16)) - 34
                           * 1000000 / 75), 2);
    ck_assert_int_le(llabs((long long)(base + nic_profile_bytes(p.rdma.short_byte, 64)) - 52
                           * 1000000 / 75), 2);
}
END_TEST

START_TEST(a_folder_of_ones_own_comes_first)
{
    char folder[] = "/tmp/test_profiles.XXXXXX", file[64];
    struct nic_profile p;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/ideal.conf", folder);
    FILE *f = fopen(file, "w");
    fputs("[nic]\nentry_hit = 77 ns\n", f);
    fclose(f);
    setenv("NICEMU_PROFILES", folder, 1);
    ck_assert_int_eq(nic_profile_load("ideal", NULL, 0, &p, error, sizeof error), 0);
    ck_assert_uint_eq(p.nic.entry_hit, 77000);
    ck_assert_int_eq(nic_profile_load("redstorm-alpu", NULL, 0, &p, error, sizeof error), 0);
    unsetenv("NICEMU_PROFILES");
    unlink(file);
    rmdir(folder);
}
END_TEST

/* With a decimal comma in force, nothing changes. */
START_TEST(a_locale_changes_nothing)
{
    struct nic_profile here, there;

    ck_assert_int_eq(nic_profile_load("fpga-scratchpad", NULL, 0, &here, error, sizeof error), 0);
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        setlocale(LC_ALL, "C.UTF-8");
    ck_assert_int_eq(nic_profile_load("fpga-scratchpad", NULL, 0, &there, error, sizeof error), 0);
    setlocale(LC_ALL, "C");
    ck_assert_mem_eq(&here, &there, sizeof here);
}
END_TEST

#define COUNT(array) (int)(sizeof array / sizeof *array)

int main(void)
{
    Suite *s = suite_create("profile");
    TCase *t = tcase_create("all");

    tcase_add_test(t, the_table_agrees_with_the_struct);
    tcase_add_test(t, the_defaults_are_right);
    tcase_add_loop_test(t, amounts_convert_exactly, 0, COUNT(amounts));
    tcase_add_loop_test(t, what_is_no_amount_is_refused, 0, COUNT(refusals));
    tcase_add_test(t, what_does_not_convert_is_refused);
    tcase_add_test(t, what_is_printed_can_be_read);
    tcase_add_test(t, bytes_are_rounded_to_the_nearest);
    tcase_add_test(t, a_file_changes_what_it_names);
    tcase_add_test(t, cycles_follow_the_clock);
    tcase_add_test(t, settings_apply_in_order);
    tcase_add_loop_test(t, mistakes_are_named_with_their_place, 0, COUNT(mistakes));
    tcase_add_test(t, limits_are_allowed);
    tcase_add_test(t, keys_of_a_program_are_counted);
    tcase_add_test(t, comments_go_on);
    tcase_add_test(t, a_file_that_is_missing_is_named);
    tcase_add_test(t, files_include_others);
    tcase_add_test(t, all_mistakes_are_named);
    tcase_add_test(t, lengths_are_bounded);
    tcase_add_loop_test(t, ours_are_whole_and_name_their_sources, 0, COUNT(ours));
    tcase_add_test(t, ours_say_what_the_papers_say);
    tcase_add_test(t, a_folder_of_ones_own_comes_first);
    tcase_add_test(t, a_locale_changes_nothing);
    suite_add_tcase(s, t);
    return suite_run(s);
}
