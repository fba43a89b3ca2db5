/* Parts of the model clock: the order of events, the cache, the governor's horizons, configurations
 * that are refused. */
#include <errno.h>
#include "base/cache.h"
#include "model/state.h"
#include "modelled.h"
#include "time/log.h"

/* -- the heap */

START_TEST(heap_order)
{
    struct nic_events h = { 0 };
    uint64_t state = 4711;

    for (unsigned i = 0; i < 5000; i++) {
        struct nic_event *e = nic_event_new(&h, loop_below(&state, 200));
        e->key = (struct nic_event_key){ .time = loop_below(&state, 50),
                                         .source = loop_below(&state, 7), .sequence = i };
        nic_events_push(&h, e);
    }
    struct nic_event_key last = { 0 };
    for (unsigned i = 0; i < 5000; i++) {
        must(nic_events_least(&h) == h.slot[0].key.time);
        struct nic_event *e = nic_events_pop(&h);
        must(i == 0 || nic_event_compare(&last, &e->key) < 0);
        last = e->key;
        nic_event_free(&h, e);
    }
    ck_assert_uint_eq(nic_events_least(&h), UINT64_MAX);
    nic_events_clear(&h);
}
END_TEST

/* -- the cache: two sets of two lines */

START_TEST(cache_least_recently_used)
{
    struct nic_cache *c = nic_cache_new(256, 64, 2);

    must(c && !nic_cache_touch(c, 0) && !nic_cache_touch(c, 2) && !nic_cache_touch(c, 1));
    must(nic_cache_touch(c, 0));
    must(!nic_cache_touch(c, 4));       /* in place of 2 */
    must(nic_cache_touch(c, 0) && nic_cache_touch(c, 4) && nic_cache_touch(c, 1));
    must(!nic_cache_touch(c, 2) && !nic_cache_touch(c, 0));
    nic_cache_delete(c);
}
END_TEST

START_TEST(cache_fully_associative)
{
    struct nic_cache *c = nic_cache_new(1024, 64, 0);

    for (uint64_t line = 0; line < 32; line++)
        must(!nic_cache_touch(c, line * 7));
    for (uint64_t line = 31; line >= 16; line--)
        must(nic_cache_touch(c, line * 7));
    must(!nic_cache_touch(c, 15 * 7));
    nic_cache_delete(c);
}
END_TEST

/* Whatever its shape, it holds what the lines of a set in order of use say. */
enum { ORDER_SETS = 16, ORDER_WAYS = 64 };

struct order { uint64_t sets, ways, line[ORDER_SETS][ORDER_WAYS], used[ORDER_SETS]; };

static bool order_touch(struct order *o, uint64_t line)
{
    uint64_t set = line % o->sets, *lines = o->line[set], way = 0;
    while (way < o->used[set] && lines[way] != line)
        way++;
    bool hit = way < o->used[set];
    if (!hit && o->used[set] < o->ways)
        o->used[set]++;
    else if (!hit)
        way--;
    memmove(lines + 1, lines, way * sizeof *lines);
    lines[0] = line;
    return hit;
}

static const struct { uint64_t sets, ways; } shape[] = {
    { 1, 1 }, { 1, 2 }, { 7, 1 }, { 2, 2 }, { 3, 5 }, { 1, 64 }, { 16, 64 },
};

START_TEST(cache_as_in_order)
{
    struct order o = { .sets = shape[_i].sets, .ways = shape[_i].ways };
    uint64_t lines = o.sets * o.ways, state = 99 + (uint64_t)_i, hits = 0, all = 60000;
    struct nic_cache *c = nic_cache_new(lines * 32, 32, o.ways);

    must(c);
    for (uint64_t i = 0; i < all; i++) {
        /* from half to twice what fits, far apart, and one after the other */
        uint64_t most = lines / 2 + i * lines * 3 / 2 / all + 1, at = i / 1000 % 3;
        uint64_t line = at == 2 ? i % most : loop_below(&state, (uint32_t)most);
        line = at == 1 ? line * UINT64_C(0x100000001) + UINT64_MAX / 2 : line;
        bool hit = order_touch(&o, line);
        hits += hit;
        must(nic_cache_touch(c, line) == hit);
    }
    must(hits > all / 20 && hits < all);
    nic_cache_delete(c);
}
END_TEST

START_TEST(sequences_wrap)
{
    struct nic_event_key before = { 5, 1, UINT32_MAX }, after = { 5, 1, 0 },
        other = { 5, 2, UINT32_MAX - 7 };

    ck_assert_int_lt(nic_event_compare(&before, &after), 0);
    ck_assert_int_gt(nic_event_compare(&after, &before), 0);
    ck_assert_int_eq(nic_event_compare(&after, &after), 0);
    ck_assert_int_lt(nic_event_compare(&after, &other), 0);
}
END_TEST

START_TEST(names)
{
    ck_assert_str_eq(nic_event_name(NIC_EVENT_PACKET), "PACKET");
    ck_assert_str_eq(nic_event_name(NIC_EVENT_TIMER), "TIMER");
    ck_assert_str_eq(nic_event_name(NIC_EVENT_COUNT), "?");
}
END_TEST

/* -- logs: what the hash of a job is made of */

static uint64_t hash_of(const struct nic_log_record *r, unsigned times)
{
    struct nic_log l;
    _Atomic int32_t failed = 0;
    must(!nic_log_open(&l, "", 0, 0, &failed));
    for (unsigned i = 0; i < times; i++)
        nic_log_add(&l, r);
    must(l.events == times && !failed);
    nic_log_close(&l);
    return l.hash;
}

/* Nothing of an event can be another one, and none be missing, without another hash. */
START_TEST(all_of_an_event_counts)
{
    const struct nic_log_record r = { .key = { .time = 1, .source = 2, .sequence = 3 }, .kind = 4,
                                      .rank = 5, .start = 6, .end = 7, .charges = 8, .host = 9 };
    uint64_t hash[10];
    struct nic_log_record other[10];
    for (unsigned i = 0; i < 10; i++)
        other[i] = r;
    other[1].key.time++;
    other[2].key.source++;
    other[3].key.sequence++;
    other[4].kind++;
    other[5].rank++;
    other[6].start++;
    other[7].end++;
    other[8].charges++;
    other[9].host++;
    for (unsigned i = 0; i < 10; i++) {
        hash[i] = hash_of(&other[i], 1);
        for (unsigned k = 0; k < i; k++)
            ck_assert_uint_ne(hash[k], hash[i]);
    }
    ck_assert_uint_ne(hash_of(&r, 2), hash[0]);
}
END_TEST

/* -- promises and horizons, against a plain search */

static uint64_t plain_horizon(struct nic_governor *g, const uint64_t *bound, unsigned ranks,
                              unsigned rank)
{
    uint64_t horizon = NIC_NEVER;

    for (unsigned r = 0; r < ranks; r++)
        if (r != rank) {
            uint64_t end = nic_time_add(bound[r], g->set.serial && r > rank);
            horizon = end < horizon ? end : horizon;
        }
    return horizon;
}

static void random_bounds(bool serial)
{
    uint64_t state = 12345 + serial;

    for (unsigned ranks = 1; ranks <= 20; ranks++) {
        struct nic_job *job = model_job(ranks, serial, NULL);
        struct nic_governor *g = nic_job_governor(job);
        uint64_t bound[20];
        for (unsigned r = 0; r < ranks; r++)        /* of those that have not come yet */
            bound[r] = serial ? 0 : test_profile()->link.latency;
        for (unsigned i = 0; i < 500; i++) {
            unsigned r = loop_below(&state, ranks);
            bound[r] = loop_below(&state, 8) ? loop_below(&state, 1000) : NIC_NEVER;
            nic_governor_set_promise(g, r, bound[r]);
            r = loop_below(&state, ranks);
            must(nic_governor_promise(g, r) == bound[r]);
            must(nic_governor_horizon(g, r) == plain_horizon(g, bound, ranks, r));
        }
        nic_job_close(job);
    }
}

START_TEST(horizons_parallel) { random_bounds(false); }
END_TEST
START_TEST(horizons_serial) { random_bounds(true); }
END_TEST

/* After a packet that arrives at 100 its sender waits for what that may bring: in parallel from
 * what its peer takes on; one rank at a time from then on, where of two at one time the lower is
 * first. */
START_TEST(cuts)
{
    struct nic_job *job = model_job(3, _i, NULL);
    struct nic_governor *g = nic_job_governor(job);

    for (unsigned r = 0; r < 3; r++)
        memcpy(nic_governor_rank(g, r)->reaction, (uint32_t[]){ 70 + r, 30 + r }, 8);
    for (unsigned carried = 0; carried < 2; carried++) {
        uint64_t later = 100 + (carried ? 30 : 70);
        ck_assert_uint_eq(nic_governor_horizon_after_send(g, 1, 0, 100, carried, NIC_NEVER),
                          _i ? 100 : later);
        ck_assert_uint_eq(nic_governor_horizon_after_send(g, 1, 2, 100, carried, NIC_NEVER),
                          _i ? 101 : later + 2);
        ck_assert_uint_eq(nic_governor_horizon_after_send(g, 1, 2, 100, carried, 50), 50);
    }
    nic_job_close(job);
}
END_TEST

START_TEST(refused_configurations)
{
    struct nic_profile none = *test_profile();
    struct nic_model_config model = { .profile = &none };
    struct nic_job_config config = { .ranks = 2, .model = &model };
    struct nic_job *job;
    char name[1000];

    none.link.latency = 0;
    ck_assert_int_eq(nic_job_create(&config, &job), -EINVAL);
    none = *test_profile();
    none.call.test = 0;
    ck_assert_int_eq(nic_job_create(&config, &job), -EINVAL);
    uint64_t *const positive[] = { &none.call.probe, &none.call.wtime, &none.alpu.clock };
    for (unsigned i = 0; i < 3; i++) {
        none = *test_profile();
        *positive[i] = 0;
        ck_assert_int_eq(nic_job_create(&config, &job), -EINVAL);
    }
    none = *test_profile();
    none.link.topology = NIC_TOPOLOGY_MESH;     /* of one node: too small */
    none.link.x = none.link.y = none.link.z = 1;
    ck_assert_int_eq(nic_job_create(&config, &job), -EINVAL);
    none = *test_profile();
    model.explain = NIC_EXPLAIN_MAX + 1;
    ck_assert_int_eq(nic_job_create(&config, &job), -EINVAL);
    model.explain = 0;
    ck_assert_int_eq(nic_job_create(&config, &job), 0);
    ck_assert_uint_eq(nic_job_governor(job)->set.scale, 1000);      /* of measured time: all */
    nic_job_close(job);
    model.profile = NULL;
    ck_assert_int_eq(nic_job_create(&config, &job), -EINVAL);
    model.profile = test_profile();
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    model.log = name;
    ck_assert_int_eq(nic_job_create(&config, &job), -ENAMETOOLONG);
    name[NIC_LOG_NAME] = 0;
    ck_assert_int_eq(nic_job_create(&config, &job), -ENAMETOOLONG);
    name[NIC_LOG_NAME - 1] = 0;
    ck_assert_int_eq(nic_job_create(&config, &job), 0);
    ck_assert_str_eq(nic_job_governor(job)->set.log, name);
    nic_job_close(job);
    memset(name, 'y', 500);             /* as long as is promised */
    name[500] = 0;
    model.scale = 1000 * 1000;
    ck_assert_int_eq(nic_job_create(&config, &job), 0);
    ck_assert_str_eq(nic_job_governor(job)->set.log, name);
    ck_assert_uint_eq(nic_job_governor(job)->set.scale, 1000 * 1000);
    nic_job_close(job);
    job = loop_job(1);
    ck_assert(!nic_job_modelled(job));
    ck_assert(!nic_job_stands(job));
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model_parts");
    TCase *tcase = tcase_create("model_parts");

    tcase_add_test(tcase, heap_order);
    tcase_add_loop_test(tcase, cuts, 0, 2);
    tcase_add_test(tcase, cache_least_recently_used);
    tcase_add_test(tcase, cache_fully_associative);
    tcase_add_loop_test(tcase, cache_as_in_order, 0, sizeof shape / sizeof *shape);
    tcase_add_test(tcase, sequences_wrap);
    tcase_add_test(tcase, names);
    tcase_add_test(tcase, all_of_an_event_counts);
    tcase_add_test(tcase, horizons_parallel);
    tcase_add_test(tcase, horizons_serial);
    tcase_add_test(tcase, refused_configurations);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
