/* NICs that boot while others send to them (reliable/incarnation.h, model/flow_boot.c): of each
 * message its sender knows that it has come or failed, each incarnation is given them in order and
 * none twice; and all of it is the same in each run. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/nic.h"
#include "modelled.h"
#include "reliable/incarnation.h"

/* -- the states, one by one */

static const struct nic_window_config config = { .frames = 8, .ack_every = 1, .wait = 1000,
                                                 .wait_most = 8000, .give_up = UINT64_MAX,
                                                 .each = true };

static bool comes(struct nic_incarnation *i, struct nic_window *w, uint8_t own,
                  struct nic_incarnation_frame frame)
{
    bool taken = nic_incarnation_frame(i, w, own, &frame);
    if (taken)
        nic_window_arrived(w, nic_number_near(w->expected, frame.number), 0);
    return taken;
}

START_TEST(who_has_booted_takes_what_comes_first)
{
    struct nic_incarnation i;
    struct nic_window w;
    void *kept[8];
    nic_window_init(&w, &config, kept, 0);
    nic_incarnation_init(&i, 0, false);
    ck_assert(comes(&i, &w, 2, (struct nic_incarnation_frame){ 1, 1, 65535, 2 }));
    ck_assert(i.stale);
    ck_assert_uint_eq(i.first, 65535);
    ck_assert_uint_eq(w.expected, 65536);
    ck_assert(comes(&i, &w, 2, (struct nic_incarnation_frame){ 1, 1, 65533, 0 }));  /* had failed */
    ck_assert_uint_eq(w.expected, 65536);
    ck_assert(comes(&i, &w, 2, (struct nic_incarnation_frame){ 1, 2, 0, 1 }));
    ck_assert(!i.stale);
    ck_assert_uint_eq(w.expected, 65537);
    /* what its sender no longer has is not waited for */
    ck_assert(comes(&i, &w, 2, (struct nic_incarnation_frame){ 1, 2, 5, 1 }));
    ck_assert_uint_eq(w.expected, 65536 + 4);
    /* its sender boots: from 0 on, and nothing of before */
    ck_assert(comes(&i, &w, 2, (struct nic_incarnation_frame){ 2, 0, 1, 1 }));
    ck_assert(i.stale);
    ck_assert_uint_eq(w.expected, 0);
    ck_assert(!comes(&i, &w, 2, (struct nic_incarnation_frame){ 1, 2, 0, 0 }));
    ck_assert(comes(&i, &w, 2, (struct nic_incarnation_frame){ 2, 0, 0, 0 }));
    ck_assert_uint_eq(w.expected, 1);
    /* incarnations wrap */
    i.its = 255;
    ck_assert(comes(&i, &w, 2, (struct nic_incarnation_frame){ 0, 2, 0, 0 }));
    ck_assert_uint_eq(w.expected, 1);
    ck_assert(!comes(&i, &w, 2, (struct nic_incarnation_frame){ 255, 2, 1, 0 }));
}
END_TEST

START_TEST(answers_of_others_do_not_count)
{
    struct nic_incarnation i;
    nic_incarnation_init(&i, 1, true);
    ck_assert_int_eq(nic_incarnation_answer(&i, 1, 1, 1, false), NIC_ANSWER_OURS);
    ck_assert_int_eq(nic_incarnation_answer(&i, 1, 1, 2, false), NIC_ANSWER_OTHERS);
    ck_assert_int_eq(nic_incarnation_answer(&i, 1, 2, 1, false), NIC_ANSWER_OTHERS);
    ck_assert_int_eq(nic_incarnation_answer(&i, 1, 2, 1, true), NIC_ANSWER_FIRST);
    ck_assert_uint_eq(i.meant, 2);
    ck_assert_int_eq(nic_incarnation_answer(&i, 1, 2, 1, true), NIC_ANSWER_OURS);
    ck_assert_int_eq(nic_incarnation_answer(&i, 1, 1, 1, true), NIC_ANSWER_OTHERS);
    ck_assert(nic_incarnation_is_booting(&i, 1, 2, 1));
    ck_assert(nic_incarnation_is_booting(&i, 1, 0, 1));         /* it was never up */
    ck_assert(!nic_incarnation_is_booting(&i, 1, 1, 1));
    ck_assert(!nic_incarnation_is_booting(&i, 2, 2, 1));
    nic_incarnation_init(&i, 0, false);                         /* nothing is known of it */
    ck_assert_int_eq(nic_incarnation_answer(&i, 3, 7, 3, false), NIC_ANSWER_OTHERS);
    ck_assert_int_eq(nic_incarnation_answer(&i, 3, 7, 3, true), NIC_ANSWER_FIRST);
}
END_TEST

/* -- two NICs */

enum { COUNT = 60, US = 1000000, PAUSE = 10 * US };

struct rank {
    struct nic *nic;
    unsigned me, failures, last, incarnation;
    unsigned came[COUNT], failed[COUNT];        /* of the other's; of its own */
    uint64_t sent[COUNT], told[COUNT];          /* when; that it has failed */
};

/* Rank 1 is not up before 100 us and boots at 300 us; rank 0 boots at 400 us. */
static const char boots_of_both[] = "1@0-100,1@300-350,0@400-420";
static const char *boots = boots_of_both;       /* NULL: none */
static const uint64_t up[2][2] = { { 420, 420 }, { 100, 350 } };

static void on_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    struct rank *r = context;
    unsigned now = 0;
    for (unsigned i = 0; i < 2; i++)
        now += nic_moment(nic) >= up[r->me][i] * US;
    if (now != r->incarnation)
        r->last = 0;
    r->incarnation = now;
    must(p->match > r->last && p->match <= COUNT);
    r->last = (unsigned)p->match;
    r->came[p->match - 1]++;
}

static void on_failed(struct nic *nic, void *context, unsigned peer, const struct nic_tx *message)
{
    struct rank *r = context;
    must(peer == 1 - r->me && message->type == 7 && message->data_bytes == 40);
    must(!memcmp(message->data, loop_payload((unsigned)message->match), 40));
    must(!r->failed[message->match - 1]++);
    r->told[message->match - 1] = nic_moment(nic);
    r->failures++;
}

static const struct nic_program program = { .name = "boot", .packet = on_packet,
                                            .landed = idle_landed, .command = idle_command,
                                            .advance = idle_advance };

static void *talk(void *argument)
{
    struct rank *r = argument;
    nic_enter(r->nic);
    must(nic_moment(r->nic) == (r->me && boots ? 100 * US : 0));
    for (unsigned i = 1; i <= COUNT; i++) {
        const struct nic_tx m = { .type = 7, .match = i, .data = loop_payload(i),
                                  .data_bytes = 40 };
        r->sent[i - 1] = nic_moment(r->nic);
        must(nic_send(r->nic, 1 - r->me, &m) == 0);
        nic_compute(r->nic, PAUSE);
        nic_step(r->nic);
    }
    nic_compute(r->nic, UINT64_C(100000) * PAUSE);      /* who leaves is sent nothing again */
    nic_step(r->nic);
    must(r->nic->stats.value[NIC_STAT_messages_failed] == r->failures);
    nic_leave(r->nic);
    nic_close(r->nic);
    return NULL;
}

/* implicit: what is short is acknowledged by its arrival, as far as that can be relied on. */
static struct nic_job *new_job(bool serial, bool implicit)
{
    struct nic_profile p = *test_profile();
    struct nic_model_config model = { .profile = &p, .serial = serial };
    struct nic_job_config config = { .ranks = 2, .cores = 1, .model = &model };
    struct nic_job *job;
    p.flow.implicit = implicit;
    p.flow.short_bytes = 1000;
    must(nic_job_create(&config, &job) == 0);
    return job;
}

static void run(struct rank *r, bool serial, bool implicit, struct nic_model_result *result)
{
    pthread_t thread[2];
    if (boots)
        setenv("NICEMU_BOOT", boots, 1);
    struct nic_job *job = new_job(serial, implicit);
    loop_payload(0);
    for (unsigned i = 0; i < 2; i++) {
        r[i].me = i;
        r[i].nic = loop_nic(job, i, NIC_PROGRESS_AUTO, &program, &r[i]);
        nic_on_failed(r[i].nic, on_failed);
    }
    for (unsigned i = 0; i < 2; i++)
        must(!pthread_create(&thread[i], NULL, talk, &r[i]));
    for (unsigned i = 0; i < 2; i++)
        must(!pthread_join(thread[i], NULL));
    must(nic_job_model_result(job, result));
    nic_job_close(job);
    unsetenv("NICEMU_BOOT");
    for (unsigned i = 0; i < 2; i++)
        for (unsigned m = 0; m < COUNT; m++)
            must(r[1 - i].came[m] || r[i].failed[m]);
}

/* Rank 0 sends at 10 us and some ns each, and a packet takes less than 1 us: its messages 1 to 10
 * come before 100 us, 31 to 35 while rank 1 boots for the second time.  Rank 1 begins at 100 us;
 * its messages 31 and 32 come while rank 0 boots.  What a NIC is given while it boots itself
 * waits. */
START_TEST(what_comes_while_a_nic_boots_fails)
{
    struct nic_model_result result[2];
    for (unsigned serial = 0; serial < 2; serial++) {
        struct rank r[2] = { { 0 } };
        run(r, serial, _i, &result[serial]);
        for (unsigned m = 1; m <= COUNT; m++) {
            ck_assert_uint_eq(r[0].failed[m - 1], m <= 10 || (m >= 31 && m <= 35));
            ck_assert_uint_eq(r[1].failed[m - 1], m == 31 || m == 32);
            for (unsigned i = 0; i < 2; i++)    /* at once, not by what comes later */
                must(!r[i].failed[m - 1] || r[i].told[m - 1] < r[i].sent[m - 1] + 2 * US);
            ck_assert_uint_eq(r[1].came[m - 1], !r[0].failed[m - 1]);
            ck_assert_uint_eq(r[0].came[m - 1], !r[1].failed[m - 1]);
        }
    }
    ck_assert_uint_eq(result[0].hash, result[1].hash);
    ck_assert_uint_eq(result[0].time, result[1].time);
}
END_TEST

START_TEST(the_same_on_a_wire_that_loses)
{
    char faults[80];
    struct nic_model_result result[2];
    snprintf(faults, sizeof faults, "drop=20%%,dup=10%%,reorder=10%%,corrupt=5%%,seed=%d", _i + 1);
    setenv("NICEMU_FAULT", faults, 1);
    for (unsigned serial = 0; serial < 2; serial++) {
        struct rank r[2] = { { 0 } };
        run(r, serial, false, &result[serial]);
        ck_assert_uint_ge(r[0].failures, 5);
        ck_assert_uint_lt(r[0].failures + r[1].failures, 2 * COUNT);
    }
    ck_assert_uint_eq(result[0].hash, result[1].hash);
    ck_assert_uint_eq(result[0].time, result[1].time);
    unsetenv("NICEMU_FAULT");
}
END_TEST

/* A NIC goes down and comes up at the times that were said, and its processor does nothing for it,
 * nor is it waited for. */
START_TEST(a_boot_takes_no_time)
{
    struct nic_profile p = *test_profile();
    struct nic_model_config model = { .profile = &p };
    struct nic_job_config config = { .ranks = 1, .cores = 1, .model = &model };
    struct rank r = { .me = 0 };
    struct nic_job *job;
    p.nic.loop = 10 * US;
    setenv("NICEMU_BOOT", "0@100-200", 1);
    must(nic_job_create(&config, &job) == 0);
    r.nic = loop_nic(job, 0, NIC_PROGRESS_AUTO, &program, &r);
    unsetenv("NICEMU_BOOT");
    nic_enter(r.nic);
    nic_compute(r.nic, 300 * US);
    nic_step(r.nic);
    ck_assert_uint_eq(r.nic->clock->charged[NIC_COST_EXECUTE], 0);
    ck_assert_uint_eq(r.nic->clock->free_at[NIC_RES_PROCESSOR], 200 * US);
    nic_leave(r.nic);
    nic_close(r.nic);
    nic_job_close(job);
}
END_TEST

/* Without boots: short messages are acknowledged as all others. */
START_TEST(all_of_it_comes_on_a_wire_that_loses)
{
    struct rank r[2] = { { 0 } };
    struct nic_model_result result;
    boots = NULL;
    setenv("NICEMU_FAULT", "drop=20%,seed=7", 1);
    run(r, false, _i, &result);
    unsetenv("NICEMU_FAULT");
    boots = boots_of_both;
    ck_assert_uint_eq(r[0].failures + r[1].failures, 0);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned m = 0; m < COUNT; m++)
            ck_assert_uint_eq(r[i].came[m], 1);
}
END_TEST

enum { LONG = 200 };                    /* times the patience */

static uint64_t patience(void) { return test_profile()->flow.patience; }

static void *leaves_late(void *nic)
{
    nic_compute(nic, LONG * patience());
    nic_close(nic);
    return NULL;
}

/* What never arrives is sent again after 1, 3, 7 and 15 times the patience, and every eighth from
 * then on. */
START_TEST(patience_doubles_three_times)
{
    enum { LOOKED = 100, REPEATS = 3 + (LOOKED - 7) / 8 };
    struct rank r[2] = { { .me = 0 }, { .me = 1 } };
    pthread_t other;
    setenv("NICEMU_FAULT", "drop=100%", 1);
    struct nic_job *job = new_job(false, false);
    for (unsigned i = 0; i < 2; i++)
        r[i].nic = loop_nic(job, i, NIC_PROGRESS_AUTO, &program, &r[i]);
    unsetenv("NICEMU_FAULT");
    must(!pthread_create(&other, NULL, leaves_late, r[1].nic));
    nic_enter(r[0].nic);
    must(nic_send(r[0].nic, 1, &(struct nic_tx){ .type = 7, .match = 1 }) == 0);
    nic_compute(r[0].nic, LOOKED * patience() + patience() / 2);
    nic_step(r[0].nic);
    ck_assert_uint_eq(r[0].nic->stats.value[NIC_STAT_wire_repeats], REPEATS);
    nic_leave(r[0].nic);
    nic_close(r[0].nic);                /* as soon as the other one has left */
    must(!pthread_join(other, NULL));
    nic_job_close(job);
}
END_TEST

/* The rank is not open then, and can be. */
START_TEST(nonsense_is_refused)
{
    struct rank r = { .me = 0 };
    struct nic_config c = { .job = new_job(false, false), .link = "loop", .program = &program,
                            .context = &r };
    setenv("NICEMU_FAULT", "drop=twice", 1);
    ck_assert_int_eq(nic_open(&c, &r.nic), -EINVAL);
    unsetenv("NICEMU_FAULT");
    setenv("NICEMU_BOOT", "0@200-100", 1);
    ck_assert_int_eq(nic_open(&c, &r.nic), -EINVAL);
    unsetenv("NICEMU_BOOT");
    ck_assert_int_eq(nic_open(&c, &r.nic), 0);
    nic_close(r.nic);
    nic_job_close(c.job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("boot");
    TCase *tcase = tcase_create("boot");

    tcase_add_test(tcase, who_has_booted_takes_what_comes_first);
    tcase_add_test(tcase, answers_of_others_do_not_count);
    tcase_add_loop_test(tcase, what_comes_while_a_nic_boots_fails, 0, 2);
    tcase_add_loop_test(tcase, all_of_it_comes_on_a_wire_that_loses, 0, 2);
    tcase_add_test(tcase, patience_doubles_three_times);
    tcase_add_test(tcase, nonsense_is_refused);
    tcase_add_test(tcase, a_boot_takes_no_time);
    tcase_add_loop_test(tcase, the_same_on_a_wire_that_loses, 0, 40);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
