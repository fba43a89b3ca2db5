/* A segment that a rank has written all over: every reader of a job comes back, and says nothing
 * that cannot be. */
#define _GNU_SOURCE
#include <errno.h>
#include "job/critical_path.h"
#include "model/proxy_copy.h"
#include "time/critical_path.h"
#include "time/governor.h"
#include "loop.h"
#include "job/segment.h"

enum { RANKS = 3, KEPT = 4, SEEDS = 400 };

static struct nic_job *modelled_job(bool serial)
{
    struct nic_profile profile;
    struct nic_model_config model = { .profile = &profile, .serial = serial, .explain = KEPT };
    struct nic_job_config config = { .ranks = RANKS, .cores = 2, .model = &model };
    struct nic_job *job = NULL;

    nic_profile_default(&profile);
    profile.link.latency = profile.call.test = profile.call.probe = profile.call.wtime =
        profile.alpu.clock = 1000;
    must(!nic_job_create(&config, &job));
    return job;
}

/* The largest rank; and words that nobody who aborts would write: they do not count, and the first
 * who does abort still wins. */
START_TEST(abort_words)
{
    static const uint64_t nonsense[] = { 1, UINT64_MAX, UINT64_C(1) << 63,
                                         UINT64_C(0x8000000100000001),
                                             UINT64_C(0x7fffffffffffffff) };
    struct nic_job *job;
    unsigned rank;
    int code;

    ck_assert_int_eq(nic_job_create(&(struct nic_job_config){ .ranks = NIC_MAX_RANKS,
                                                              .heap = NIC_HEAP_OFF }, &job), 0);
    ck_assert(nic_job_set_abort(job, NIC_MAX_RANKS - 1, -1) && nic_job_aborted(job, &rank, &code));
    ck_assert(rank == NIC_MAX_RANKS - 1 && code == -1);
    uint64_t word = atomic_load(&job->state->abort);
    for (unsigned bit = 0; bit < 64; bit++) {
        atomic_store(&job->state->abort, word ^ UINT64_C(1) << bit);
        if (nic_job_aborted(job, NULL, NULL))
            ck_abort_msg("bit %u makes no difference", bit);
    }
    nic_job_close(job);
    job = loop_job(5);
    atomic_store(&job->state->abort, word);     /* no such rank here */
    ck_assert(!nic_job_aborted(job, NULL, NULL));
    for (unsigned i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        atomic_store(&job->state->abort, nonsense[i]);
        ck_assert(!nic_job_aborted(job, NULL, NULL));
        ck_assert(nic_job_set_abort(job, 4, 7) && nic_job_aborted(job, &rank, &code));
        ck_assert(rank == 4 && code == 7);
    }
    nic_job_close(job);
}
END_TEST

/* A rank that has lost output says why before it says so to mpirun; a word that it has not written
 * itself would make a job fail without a reason. */
START_TEST(lost_words)
{
    struct nic_job *job = loop_job(2);
    ck_assert(!nic_job_lost(job, 1));
    nic_job_set_lost(job, 1);
    uint32_t word = atomic_load(&job->publics[1].lost);
    ck_assert(nic_job_lost(job, 1) && !nic_job_lost(job, 0) && !nic_job_lost(job, 2));
    for (unsigned bit = 0; bit < 32; bit++) {
        atomic_store(&job->publics[1].lost, word ^ UINT32_C(1) << bit);
        ck_assert(!nic_job_lost(job, 1));
    }
    atomic_store(&job->publics[1].lost, 1);
    ck_assert(!nic_job_lost(job, 1));
    nic_job_close(job);
}
END_TEST

/* What a terminal would act on, and bytes that are no character, are not passed on; letters of any
 * language are. */
START_TEST(unprintable_notes)
{
    static const struct { const char *note, *plain; } cases[] = {
        { "\033[2J\a\tx\n\177", "?[2J??x??" },
        { "na\303\257ve \342\202\254 \360\237\230\200",
          "na\303\257ve \342\202\254 \360\237\230\200" },
        { "\233\302\233\302x", "???" "?x" }, { "\342\202", "??" },
        { "\340\200\200 \355\240\200", "??? ???" }, { "\342\200\256x", "???x" },
        { "\370\377\300\200\364\220\200\200", "????????" },
    };
    struct nic_job *job = loop_job(1);
    char text[NIC_NOTE_BYTES];

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        nic_job_set_note(job, 0, cases[i].note);
        nic_job_rank_note(job, 0, text, sizeof text);
        ck_assert_str_eq(text, cases[i].plain);
    }
    memset(&nic_job_owned(job, 0)->note, 0xe2, sizeof(struct nic_note));     /* not terminated */
    nic_job_rank_note(job, 0, text, sizeof text);
    ck_assert_uint_eq(strlen(text), NIC_NOTE_BYTES - 1);
    ck_assert_ptr_null(strchr(text, '\342'));
    nic_job_close(job);
}
END_TEST


/* -- any contents */

/* What mistakes write: anything, a little, nothing but ones, an address, pieces of what was there.
 */
static uint64_t word_of(uint64_t *random, unsigned kind)
{
    switch (kind) {
    case 0: return loop_random(random);
    case 1: return loop_below(random, 5);
    case 2: return UINT64_MAX;
    case 3: return (uint64_t)(uintptr_t)random;
    default: return UINT64_C(0x8000000000000000) >> loop_below(random, 64);
    }
}

/* Everything up to the inboxes, and the inboxes' positions. */
static void scribble(struct nic_job *job, uint64_t *random)
{
    uint64_t words = job->layout.rings / 8, *at = (uint64_t *)job->base;
    unsigned kind = loop_below(random, 5), thick = loop_below(random, 2) ? 1 : 40;

    for (uint64_t i = 0; i < words; i += 1 + loop_below(random, thick))
        at[i] = word_of(random, kind);
    for (unsigned r = 0; r < RANKS; r++) {
        atomic_store(&nic_job_ring(job, r)->head, word_of(random, kind));
        atomic_store(&nic_job_ring(job, r)->tail, word_of(random, kind));
    }
    if (loop_below(random, 50))     /* who finds it taken has patience, which takes time */
        atomic_store(&job->governor->shared->lock, 0);
    for (unsigned r = 0; r < RANKS && loop_below(random, 2); r++)
        nic_governor_rank(job->governor, r)->state = loop_below(random, 4);
    for (unsigned r = 0; r < RANKS && loop_below(random, 2); r++)
        atomic_store(&job->publics[r].state, loop_below(random, 3));
}

static void read_ranks(struct nic_job *job)
{
    char text[NIC_NOTE_BYTES];

    for (unsigned r = 0; r < RANKS + 1; r++) {
        enum nic_rank_state state = nic_job_rank_state(job, r);
        must(state == NIC_RANK_ABSENT || state == NIC_RANK_OPEN || state == NIC_RANK_CLOSED);
        nic_job_rank_note(job, r, text, sizeof text);
        must(strlen(text) < NIC_NOTE_BYTES);
        for (size_t i = 0; text[i]; i++)
            must((unsigned char)text[i] >= ' ' && text[i] != 127);
    }
}

static void read_model(struct nic_job *job)
{
    struct nic_model_result result;
    struct nic_explained slowest[KEPT + 1];
    struct nic_explained_rank rank;

    must(nic_job_modelled(job) && nic_job_explains(job) == KEPT);
    nic_job_stands(job);
    must(!nic_job_model_result(job, &result));
    for (unsigned r = 0; r < RANKS + 1; r++) {
        must(!nic_job_explained_rank(job, r, &rank));
        nic_job_log_error(job, r);
    }
    int count = nic_job_explained(job, slowest, KEPT + 1);
    must(count == 0 || count == -EPROTO);
}

static void read_all(struct nic_job *job)
{
    unsigned rank;
    int code;

    must(nic_job_ranks(job) == RANKS && nic_job_cores(job) == 2);
    must(nic_job_scratchpad_bytes(job) == job->layout.scratchpad
         && nic_job_heap_bytes(job) == job->layout.heap);
    must(!nic_job_aborted(job, &rank, &code) || rank < RANKS);
    nic_job_standstill(job);
    read_ranks(job);
    read_model(job);
    nic_job_prefer_node(job, 1, 0);
    must(nic_job_set_abort(job, 2, 3) && nic_job_aborted(job, &rank, &code) && rank == 2
         && code == 3);
    for (unsigned r = 0; r < RANKS + 1; r++)
        nic_job_rank_ended(job, r);     /* last: who has ended without a NIC has a result */
}

START_TEST(any_contents)
{
    uint64_t random = 2463534242;

    for (unsigned i = 0; i < SEEDS; i++) {
        struct nic_job *job = modelled_job(i & 1), *view = NULL;
        scribble(job, &random);
        read_all(job);
        int fd = dup(nic_job_fd(job));
        if (nic_job_attach(fd, &view))
            close(fd);
        nic_job_close(view);
        nic_job_close(job);
    }
}
END_TEST

/* A rank that there is not has not ended: nothing is written for it. */
START_TEST(no_such_rank_ends)
{
    struct nic_job *job = modelled_job(false);
    unsigned char *before = malloc(job->layout.rings);

    must(before);
    memcpy(before, job->base, job->layout.rings);
    nic_job_rank_ended(job, RANKS);
    ck_assert(!memcmp(before, job->base, job->layout.rings));
    free(before);
    nic_job_close(job);
}
END_TEST

/* What ranks left at their ends, and one bit of it is another one: it is not told. */
START_TEST(spoilt_results)
{
    struct nic_job *job = modelled_job(false);
    struct nic_explained_rank rank = { .end = 100, .messages = 1 }, got;
    struct nic_explained slowest = { .way = { .time = 50 }, .how = "eager" }, all[KEPT];
    struct nic_model_result result;

    for (unsigned r = 0; r < RANKS; r++) {
        struct nic_governed_rank *g = nic_governor_rank(job->governor, r);
        *g = (struct nic_governed_rank){ .state = NIC_GOVERNED_GONE, .hash = 7 * r, .events = r,
                                         .time = 9 };
        g->check = nic_governed_check(g, r);
        nic_explain_store(job, &rank, &slowest, 1, r);
    }
    ck_assert(nic_job_model_result(job, &result) && result.events == 3 && result.time == 9);
    ck_assert(nic_job_explained_rank(job, 1, &got) && got.end == 100);
    ck_assert_int_eq(nic_job_explained(job, all, KEPT), 3);
    unsigned char *left = (unsigned char *)(nic_job_owned(job, 1) + 1);
    size_t bytes = 24 + sizeof rank + sizeof slowest;
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        left[bit / 8] ^= (unsigned char)(1u << bit % 8);
        must(!nic_job_explained_rank(job, 1, &got) || nic_job_explained(job, all, KEPT) != 3);
        left[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    ck_assert_int_eq(nic_job_explained(job, all, KEPT), 3);
    nic_governor_rank(job->governor, 2)->events ^= 1;
    ck_assert(!nic_job_model_result(job, &result));
    nic_job_close(job);
}
END_TEST

/* What rank 0 left, whole and with its checks, where rank 1's should be: it is not rank 1's. */
START_TEST(results_of_another)
{
    struct nic_job *job = modelled_job(false);
    struct nic_explained_rank rank = { .end = 100, .messages = 1 }, got;
    struct nic_explained slowest = { .way = { .time = 50 }, .how = "eager" }, all[KEPT];

    nic_explain_store(job, &rank, &slowest, 1, 0);
    memcpy(nic_job_owned(job, 1) + 1, nic_job_owned(job, 0) + 1, nic_explain_bytes(KEPT));
    ck_assert(nic_job_explained_rank(job, 0, &got));
    ck_assert(!nic_job_explained_rank(job, 1, &got));
    ck_assert_int_eq(nic_job_explained(job, all, KEPT), -EPROTO);
    nic_job_close(job);
}
END_TEST

/* Of ranks that are not through nothing is told, and of the others all is; as plain text. */
START_TEST(results_of_some)
{
    struct nic_job *job = modelled_job(false);
    struct nic_explained_rank rank = { .end = 100, .messages = 1 };
    struct nic_explained slowest = { .way = { .time = 50 }, .how = "\033[2J" }, all[KEPT];

    ck_assert_int_eq(nic_job_explained(job, all, KEPT), 0);
    nic_explain_store(job, &rank, &slowest, 1, 1);
    ck_assert_int_eq(nic_job_explained(job, all, KEPT), 1);
    ck_assert_uint_eq(all[0].way.time, 50);
    ck_assert_str_eq(all[0].how, "?[2J");
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scribble");
    TCase *tcase = tcase_create("scribble");

    tcase_add_test(tcase, abort_words);
    tcase_add_test(tcase, lost_words);
    tcase_add_test(tcase, unprintable_notes);
    tcase_add_test(tcase, any_contents);
    tcase_add_test(tcase, no_such_rank_ends);
    tcase_add_test(tcase, spoilt_results);
    tcase_add_test(tcase, results_of_another);
    tcase_add_test(tcase, results_of_some);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
