/* What a control program charges itself, and handlers that it does not have. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/nic.h"
#include "modelled.h"
#include "time/governor.h"

/* -- charges, worked out by hand: a cycle of 75 MHz is 13333.3 ps, of 400 MHz 2500 ps */

struct worker { enum nic_unit_kind unit; uint64_t cycles, before, after, complete; int rc;
                uint64_t free_before[NIC_RESOURCES], free_after[NIC_RESOURCES], strays; };

static void work(struct nic *nic, void *context, const struct nic_command *command)
{
    struct worker *w = context;
    (void)command;
    w->before = nic->clock->now;
    memcpy(w->free_before, nic->clock->free_at, sizeof w->free_before);
    w->rc = nic_charge(nic, w->unit, w->cycles);
    memcpy(w->free_after, nic->clock->free_at, sizeof w->free_after);
    w->after = nic->clock->now;
    w->complete = nic_clock_complete(nic->clock);
}

static const struct nic_program worker = { .name = "worker", .packet = idle_packet,
                                           .command = work };

/* One rank whose NIC is charged in a handler and then closed; returns what the job came to. */
static struct nic_model_result run(struct worker *w)
{
    struct nic_profile p = *test_profile();
    struct nic_model_config model = { .profile = &p, .explain = 1 };
    struct nic_job_config config = { .ranks = 1, .cores = 1, .model = &model };
    struct nic_model_result result;
    struct nic_explained_rank explained;
    struct nic_job *job;
    p.nic.clock = 75000000;
    p.alpu.clock = 500000000;
    p.host.clock = 400000000;
    must(nic_job_create(&config, &job) == 0);
    struct nic *nic = loop_nic(job, 0, NIC_PROGRESS_HOST, &worker, w);
    nic_enter(nic);
    uint64_t host = nic->clock->free_at[NIC_RES_HOST];
    ck_assert_int_eq(nic_charge(nic, NIC_UNIT_HOST, 4), 0);
    ck_assert_uint_eq(nic->clock->free_at[NIC_RES_HOST], host + p.call.enter + 4 * 2500);
    ck_assert_int_eq(nic_charge(nic, NIC_UNIT_PROCESSOR, 4), -EINVAL);
    nic_leave(nic);
    nic_submit(nic, &(struct nic_command){ .op = 1 });
    nic_enter(nic);
    for (unsigned i = 0; i < 100 && !w->after; i++)
        nic_step(nic);
    nic_leave(nic);
    nic_close(nic);
    must(nic_job_model_result(job, &result));
    must(nic_job_explained_rank(job, 0, &explained));
    w->strays = explained.strays;
    nic_job_close(job);
    return result;
}

START_TEST(processor)
{
    struct worker w = { .unit = NIC_UNIT_PROCESSOR, .cycles = 100 };
    run(&w);
    ck_assert_int_eq(w.rc, 0);
    ck_assert_uint_eq(w.after - w.before, 1333333);     /* 100 / 75 MHz to the nearest ps */
    w = (struct worker){ .unit = NIC_UNIT_PROCESSOR, .cycles = 2 };
    run(&w);
    ck_assert_uint_eq(w.after - w.before, 26667);
}
END_TEST

/* An engine works beside the handler, which ends with it. */
START_TEST(engine)
{
    struct worker w = { .unit = NIC_UNIT_TX, .cycles = 3 };
    run(&w);
    ck_assert_uint_eq(w.after, w.before);
    ck_assert_uint_eq(w.complete - w.before, 40000);
}
END_TEST

/* Each unit is busy for what it is charged, and no other is: the ALPU by its own clock, all others
 * by the NIC's.  All of it is explained. */
START_TEST(units)
{
    for (unsigned unit = 0; unit < NIC_UNIT_COUNT; unit++) {
        struct worker w = { .unit = (enum nic_unit_kind)unit, .cycles = 3 };
        if (unit == NIC_UNIT_HOST)
            continue;
        run(&w);
        ck_assert_int_eq(w.rc, 0);
        ck_assert_uint_eq(w.strays, 0);
        for (unsigned r = 0; r < NIC_RESOURCES; r++) {
            uint64_t from = w.free_before[r] > w.before ? w.free_before[r] : w.before;
            ck_assert_uint_eq(w.free_after[r], r != unit ? w.free_before[r]
                                               : from + (unit == NIC_UNIT_ALPU ? 6000 : 40000));
        }
    }
}
END_TEST

START_TEST(same_in_each_run)
{
    struct worker a = { .unit = NIC_UNIT_BUS, .cycles = 7 }, b = a, c = a;
    c.cycles = 8;
    struct nic_model_result first = run(&a), again = run(&b), other = run(&c);
    ck_assert_uint_eq(first.hash, again.hash);
    ck_assert_uint_eq(first.time, again.time);
    ck_assert(first.hash != other.hash);
}
END_TEST

START_TEST(refused)
{
    struct worker w = { .unit = NIC_UNIT_HOST, .cycles = 1 };
    run(&w);
    ck_assert_int_eq(w.rc, -EINVAL);
    ck_assert_uint_eq(w.after, w.before);
    w = (struct worker){ .unit = NIC_UNIT_COUNT, .cycles = 1 };
    run(&w);
    ck_assert_int_eq(w.rc, -EINVAL);
    w = (struct worker){ .unit = NIC_UNIT_LINK, .cycles = UINT64_C(1) << 40 };
    run(&w);
    ck_assert_int_eq(w.rc, -ERANGE);
}
END_TEST

START_TEST(live)
{
    struct loop l;
    loop_open(&l, 1);
    nic_enter(l.nic[0]);
    ck_assert_int_eq(nic_charge(l.nic[0], NIC_UNIT_PROCESSOR, 5), 0);
    ck_assert_int_eq(nic_charge(l.nic[0], NIC_UNIT_COUNT, 5), -EINVAL);
    nic_leave(l.nic[0]);
    loop_close(&l);
}
END_TEST

/* -- handlers */

START_TEST(no_packet_handler)
{
    static const struct nic_program none = { .name = "deaf", .command = idle_command };
    struct nic_job *job = loop_job(1);
    struct nic_config c = { .job = job, .link = "loop", .program = &none };
    struct nic *nic = NULL;
    ck_assert_int_eq(nic_open(&c, &nic), -EINVAL);
    ck_assert_ptr_null(nic);
    ck_assert_str_eq(nic_open_error(), "control program 'deaf' has no handler 'packet'");
    c.program = &worker;                                /* the rank is still free */
    ck_assert_int_eq(nic_open(&c, &nic), 0);
    ck_assert_str_eq(nic_open_error(), "");
    nic_close(nic);
    c.link = "string";
    ck_assert_int_eq(nic_open(&c, &nic), -EINVAL);
    ck_assert_str_eq(nic_open_error(), "there is no link 'string'");
    nic_job_close(job);
}
END_TEST

START_TEST(no_such_rank)
{
    struct nic_job *job = loop_job(2);
    struct nic_config c = { .job = job, .rank = 2, .link = "loop", .program = &worker };
    struct nic *nic = NULL;
    ck_assert_int_eq(nic_open(&c, &nic), -EINVAL);
    ck_assert_ptr_null(nic);
    ck_assert_str_eq(nic_open_error(), "rank 2 is not in the job");
    c.rank = 1;
    ck_assert_int_eq(nic_open(&c, &nic), 0);
    nic_close(nic);
    nic_job_close(job);
}
END_TEST

static void submits(struct nic *nic) { nic_submit(nic, &(struct nic_command){ .op = 1 }); }

static void is_active(struct nic *nic)
{
    nic_enter(nic);
    nic_hold_polling(nic, 1);
    nic_step(nic);
}

/* What a process says that needs a handler which it does not have; it must end with 1. */
static void expect_missing(void (*use)(struct nic *nic), const char *wanted)
{
    static const struct nic_program few = { .name = "few", .packet = idle_packet };
    struct nic_job *job = loop_job(1);
    char said[256] = "";
    int ends[2], status;
    must(!pipe(ends));
    pid_t child = fork();
    must(child >= 0);
    if (!child) {
        dup2(ends[1], STDERR_FILENO);
        use(loop_nic(job, 0, NIC_PROGRESS_HOST, &few, NULL));
        _exit(0);
    }
    close(ends[1]);
    must(waitpid(child, &status, 0) == child);      /* it has said all, in however many pieces */
    must(read(ends[0], said, sizeof said - 1) >= 0);
    close(ends[0]);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    ck_assert_str_eq(said, wanted);
    nic_job_close(job);
}

START_TEST(missing_handlers)
{
    expect_missing(submits, "nicemu: rank 0: control program 'few' has no handler 'command', which "
                            "nic_submit, nic_later, nic_tell_host and nic_timer need\n");
    expect_missing(is_active, "nicemu: rank 0: control program 'few' has no handler 'advance', "
                              "which nic_hold_polling needs\n");
}
END_TEST

/* -- keys of the program's own */

static const struct nic_program_key own_keys[] = {
    { "lookup", "entries", 1, 100, 7 }, { "hash", "ps", 0, 1000000, 2500 },
    { "table", "bytes", 64, 65536, 1024 }, { NULL, NULL, 0, 0, 0 }
};
static const struct nic_program keyed = { .name = "keyed", .packet = idle_packet,
                                          .keys = own_keys };

static int open_keyed(const struct nic_program *program, const struct nic_profile *p,
                      uint64_t values[3])
{
    struct nic_model_config model = { .profile = p };
    struct nic_job_config config = { .ranks = 1, .cores = 1, .model = p ? &model : NULL };
    struct nic_config c = { .rank = 0, .link = "loop", .program = program };
    struct nic *nic;
    must(nic_job_create(&config, &c.job) == 0);
    int rc = nic_open(&c, &nic);
    for (unsigned i = 0; !rc && i < 3; i++)
        values[i] = nic_key(nic, i);
    if (!rc)
        nic_close(nic);
    nic_job_close(c.job);
    return rc;
}

START_TEST(own_keys_have_values)
{
    struct nic_profile p = *test_profile();
    uint64_t v[3];

    ck_assert_int_eq(open_keyed(&keyed, NULL, v), 0);
    ck_assert(v[0] == 7 && v[1] == 2500 && v[2] == 1024);
    p.nic.clock = 500000000;
    strcpy(p.own[0].name, "hash"), strcpy(p.own[0].value, "10 cycles");
    strcpy(p.own[1].name, "lookup"), strcpy(p.own[1].value, "12");
    strcpy(p.own[2].name, "table"), strcpy(p.own[2].value, "4 KiB");
    ck_assert_int_eq(open_keyed(&keyed, &p, v), 0);
    ck_assert(v[0] == 12 && v[1] == 20000 && v[2] == 4096);
    p.host.clock = 2000000000, p.alpu.clock = 250000000;
    strcpy(p.own[0].value, "10 host.cycles");
    ck_assert_int_eq(open_keyed(&keyed, &p, v), 0);
    ck_assert_uint_eq(v[1], 5000);
    strcpy(p.own[0].value, "10 alpu.cycles");
    ck_assert_int_eq(open_keyed(&keyed, &p, v), 0);
    ck_assert_uint_eq(v[1], 40000);
}
END_TEST

static const struct { const char *name, *value, *said; } wrong_keys[] = {
    { "lookup", "101 entries", "profile 'default': own.lookup = 101 entries: out of range; "
                               "allowed: 1 entries to 100 entries" },
    { "lookup", "0", "profile 'default': own.lookup = 0: out of range; allowed: 1 entries to 100" },
    { "lookup", "3 cells", "profile 'default': own.lookup = 3 cells: wrong unit; allowed: 1 " },
    { "hash", "3", "profile 'default': own.hash = 3: no unit; allowed: 0 ps to 1 us (in ps, " },
    { "hush", "3 ns", "profile 'default' sets own.hush; keys of control program 'keyed': lookup, "
                      "hash, table" },
};

/* By the name of a key: its cycles so many times, and refused where there is none. */
static const struct nic_program_key costs[] = {
    { "probe", "cycles", 0, UINT64_MAX, 3 }, { "depth", "entries", 0, 100, 7 },
    { "huge", "cycles", 0, UINT64_MAX, UINT64_MAX }, { NULL, NULL, 0, 0, 0 },
};

struct named { int rc[5]; uint64_t before, after; };

static void charge_named(struct nic *nic, void *context, const struct nic_command *command)
{
    struct named *w = context;
    (void)command;
    w->before = nic->clock->now;
    w->rc[0] = nic_charge_key(nic, NIC_UNIT_PROCESSOR, 0, 4);
    w->after = nic->clock->now;
    w->rc[1] = nic_charge_key(nic, NIC_UNIT_PROCESSOR, 1, 4);
    w->rc[2] = nic_charge_key(nic, NIC_UNIT_PROCESSOR, 2, 2);
    w->rc[3] = nic_charge_key(nic, NIC_UNIT_PROCESSOR, 3, 1);
    w->rc[4] = nic_charge_key(nic, NIC_UNIT_HOST, 0, 1);
}

START_TEST(by_the_name_of_a_key)
{
    static const struct nic_program program = { .name = "named", .packet = idle_packet,
                                                .command = charge_named, .keys = costs };
    struct named w = { .after = 0 };
    struct nic_profile p = *test_profile();
    struct nic_model_config model = { .profile = &p };
    struct nic_job_config config = { .ranks = 1, .cores = 1, .model = &model };
    struct nic_job *job;
    p.nic.clock = 400000000;
    must(nic_job_create(&config, &job) == 0);
    struct nic *nic = loop_nic(job, 0, NIC_PROGRESS_HOST, &program, &w);
    nic_submit(nic, &(struct nic_command){ .op = 1 });
    nic_enter(nic);
    for (unsigned i = 0; i < 100 && !w.after; i++)
        nic_step(nic);
    nic_leave(nic);
    nic_close(nic);
    nic_job_close(job);
    ck_assert_uint_eq(w.after - w.before, 4 * 3 * 2500);
    ck_assert_int_eq(w.rc[0], 0);
    ck_assert_int_eq(w.rc[1], -EINVAL);
    ck_assert_int_eq(w.rc[2], -ERANGE);
    ck_assert_int_eq(w.rc[3], -EINVAL);
    ck_assert_int_eq(w.rc[4], -EINVAL);
}
END_TEST

START_TEST(own_keys_are_checked)
{
    struct nic_profile p = *test_profile();
    uint64_t v[3];

    strcpy(p.name, "default");
    strcpy(p.own[0].name, wrong_keys[_i].name);
    strcpy(p.own[0].value, wrong_keys[_i].value);
    ck_assert_int_eq(open_keyed(&keyed, &p, v), -EINVAL);
    ck_assert_msg(!strncmp(nic_open_error(), wrong_keys[_i].said, strlen(wrong_keys[_i].said)),
                  "said: %s", nic_open_error());
    ck_assert_int_eq(open_keyed(&worker, &p, v), -EINVAL);
    ck_assert_ptr_nonnull(strstr(nic_open_error(), "keys of control program 'worker': none"));
}
END_TEST

/* No more than profiles can set. */
START_TEST(own_keys_are_so_many)
{
    struct nic_program_key many[NIC_PROFILE_OWN_MOST + 2] = { { NULL, NULL, 0, 0, 0 } };
    const struct nic_program program = { .name = "many", .packet = idle_packet, .keys = many };
    char name[NIC_PROFILE_OWN_MOST + 1][NIC_PROFILE_OWN_TEXT + 1];
    uint64_t v[3];

    for (unsigned i = 0; i < NIC_PROFILE_OWN_MOST; i++) {
        snprintf(name[i], sizeof *name, "%0*u", NIC_PROFILE_OWN_TEXT - 1, i);
        many[i] = (struct nic_program_key){ name[i], "cycles", 0, 9, i };
    }
    ck_assert_int_eq(open_keyed(&program, test_profile(), v), 0);
    ck_assert(v[0] == 0 && v[1] == 1 && v[2] == 2);
    many[NIC_PROFILE_OWN_MOST] = (struct nic_program_key){ "one", "cycles", 0, 9, 1 };
    ck_assert_int_eq(open_keyed(&program, test_profile(), v), -EINVAL);
    ck_assert_str_eq(nic_open_error(), "control program 'many' has 17 keys of its own: at most 16 "
                                       "are allowed");
    ck_assert_int_eq(open_keyed(&program, NULL, v), -EINVAL);
    many[NIC_PROFILE_OWN_MOST].name = NULL;
    strcat(name[1], "x");
    ck_assert_int_eq(open_keyed(&program, test_profile(), v), -EINVAL);
    ck_assert_ptr_nonnull(strstr(nic_open_error(), "001x': a name has 1 to 31 characters"));
}
END_TEST

/* Of a job that somebody else has made: no text in it is read past its end. */
START_TEST(texts_of_a_job_end)
{
    struct nic_job *job = model_job(1, false, NULL), *other;
    struct nic_governor_settings *set = (void *)(job->base + job->layout.settings);
    memset(set->profile.name, 'x', sizeof set->profile.name);
    memset(set->profile.own, 'x', sizeof set->profile.own);
    memset(set->log, 'x', sizeof set->log);
    set->groups = 2;                    /* more than there are ranks */
    must(nic_job_attach(dup(nic_job_fd(job)), &other) == 0);
    const struct nic_governor_settings *read = &nic_job_governor(other)->set;
    must(!read->groups);
    must(memchr(read->profile.name, 0, sizeof read->profile.name));
    must(memchr(read->log, 0, sizeof read->log));
    for (unsigned i = 0; i < NIC_PROFILE_OWN_MOST; i++) {
        const struct nic_profile_own *own = &read->profile.own[i];
        must(memchr(own->name, 0, sizeof own->name) && memchr(own->value, 0, sizeof own->value));
    }
    nic_job_close(other);
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("charge");
    TCase *t = tcase_create("charge");
    tcase_add_test(t, processor);
    tcase_add_test(t, engine);
    tcase_add_test(t, units);
    tcase_add_test(t, same_in_each_run);
    tcase_add_test(t, refused);
    tcase_add_test(t, live);
    tcase_add_test(t, no_packet_handler);
    tcase_add_test(t, no_such_rank);
    tcase_add_test(t, missing_handlers);
    tcase_add_test(t, own_keys_have_values);
    tcase_add_test(t, by_the_name_of_a_key);
    tcase_add_loop_test(t, own_keys_are_checked, 0, 5);
    tcase_add_test(t, own_keys_are_so_many);
    tcase_add_test(t, texts_of_a_job_end);
    suite_add_tcase(s, t);
    return loop_run(s);
}
