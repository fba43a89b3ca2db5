/* The job segment: what is refused, and the life of a job's ranks as others see it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include "loop.h"
#include "segment.h"

static int create(unsigned ranks, unsigned cores, size_t scratchpad, struct nic_job **job)
{
    struct nic_job_config config = { .ranks = ranks, .cores = cores, .scratchpad = scratchpad };
    return nic_job_create(&config, job);
}

/* Attaches to a copy of the descriptor; what was attached is closed again. */
static int attach(int fd)
{
    struct nic_job *job = NULL;
    int copy = dup(fd), rc = nic_job_attach(copy, &job);

    must((rc == 0) == (job != NULL));
    if (rc)
        close(copy);
    else
        nic_job_close(job);
    return rc;
}

START_TEST(wrong_configurations)
{
    struct nic_job *job = NULL;

    ck_assert_int_eq(create(0, 1, 0, &job), -EINVAL);
    ck_assert_int_eq(create(NIC_MAX_RANKS + 1, 1, 0, &job), -EINVAL);
    ck_assert_int_eq(create(UINT32_MAX, 1, 0, &job), -EINVAL);
    ck_assert_int_eq(create(1, 1, SIZE_MAX, &job), -EINVAL);
    ck_assert_ptr_null(job);
}
END_TEST

/* No rank's ring, note or scratchpad overlaps another's, and all lie inside the file. */
START_TEST(layout)
{
    static const unsigned ranks[] = { 1, 2, 3, 63, 64, 65, 1000 };
    struct nic_job *job;

    for (unsigned i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        ck_assert_int_eq(create(ranks[i], 3, 100000, &job), 0);
        const struct nic_job_header *h = job->header;
        ck_assert_uint_eq(nic_job_ranks(job), ranks[i]);
        ck_assert_uint_eq(nic_job_cores(job), 3);
        must(h->scratchpad >= 100000 && h->scratchpad % 4096 == 0);
        must(h->publics >= sizeof *h && h->notes >= h->publics + ranks[i] * sizeof(struct nic_public));
        must(h->rings >= h->notes + ranks[i] * sizeof(struct nic_note));
        must((unsigned char *)nic_job_ring(job, ranks[i] - 1) + sizeof(struct nic_ring) <= nic_job_scratchpad(job, 0));
        must(nic_job_scratchpad(job, ranks[i] - 1) + h->scratchpad == job->base + h->total);
        for (unsigned r = 1; r < ranks[i]; r++)
            must((unsigned char *)nic_job_ring(job, r) - (unsigned char *)nic_job_ring(job, r - 1) >= (ptrdiff_t)sizeof(struct nic_ring));
        nic_job_close(job);
    }
}
END_TEST

START_TEST(largest)
{
    struct nic_job *job;
    int rc = create(NIC_MAX_RANKS, 2, 0, &job);

    if (rc == -ENOMEM)      /* the address space may be limited: then that is what it says */
        return;
    ck_assert_int_eq(rc, 0);
    ck_assert_int_eq(attach(nic_job_fd(job)), 0);
    nic_job_set_note(job, NIC_MAX_RANKS - 1, "last");
    nic_job_close(job);
}
END_TEST

/* Two views of one job. */
START_TEST(attached)
{
    struct nic_job *job, *view = NULL;
    char text[8];

    ck_assert_int_eq(create(3, 0, 8192, &job), 0);
    ck_assert_int_eq(fcntl(nic_job_fd(job), F_GETFD) & FD_CLOEXEC, 0);
    ck_assert_int_eq(nic_job_attach(dup(nic_job_fd(job)), &view), 0);
    ck_assert_uint_eq(nic_job_ranks(view), 3);
    ck_assert_uint_ge(nic_job_cores(view), 1);
    ck_assert_ptr_ne(view->base, job->base);
    nic_job_set_note(job, 2, "here");
    nic_job_rank_note(view, 2, text, sizeof text);
    ck_assert_str_eq(text, "here");
    nic_job_scratchpad(job, 2)[8191] = 77;
    ck_assert_uint_eq(nic_job_scratchpad(view, 2)[8191], 77);
    nic_job_close(job);
    ck_assert_uint_eq(nic_job_scratchpad(view, 2)[8191], 77);
    nic_job_close(view);
    nic_job_close(NULL);
}
END_TEST

START_TEST(foreign_files)
{
    unsigned char noise[8192];
    struct nic_job *job = NULL;
    int pipes[2], closed, fd = memfd_create("foreign", 0), text = open("/proc/self/status", O_RDONLY);
    uint64_t random = 3;

    ck_assert_int_eq(pipe(pipes), 0);
    ck_assert_int_eq(attach(fd), -EPROTO);      /* empty */
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)loop_random(&random);
    must(write(fd, noise, sizeof noise) == sizeof noise);
    ck_assert_int_eq(attach(fd), -EPROTO);
    ck_assert_int_eq(attach(text), -EPROTO);
    ck_assert_int_eq(attach(pipes[0]), -EPROTO);
    closed = pipes[0];
    close(pipes[0]);
    close(pipes[1]);
    close(text);
    close(fd);
    ck_assert_int_eq(nic_job_attach(closed, &job), -EBADF);
    ck_assert_int_eq(nic_job_attach(-1, &job), -EBADF);
    ck_assert_ptr_null(job);
}
END_TEST

/* Any field of the header that differs from what this version lays out. */
START_TEST(corrupted_headers)
{
    static const size_t fields[] = {
        offsetof(struct nic_job_header, magic), offsetof(struct nic_job_header, version), offsetof(struct nic_job_header, ranks),
        offsetof(struct nic_job_header, header_bytes), offsetof(struct nic_job_header, scratchpad),
        offsetof(struct nic_job_header, publics), offsetof(struct nic_job_header, notes), offsetof(struct nic_job_header, rings),
        offsetof(struct nic_job_header, scratchpads), offsetof(struct nic_job_header, total),
    };
    struct nic_job *job;

    ck_assert_int_eq(create(5, 2, 0, &job), 0);
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        for (int bit = 0; bit < 32; bit++) {
            job->base[fields[i] + (unsigned)bit / 8] ^= (unsigned char)(1 << bit % 8);
            if (attach(nic_job_fd(job)) != -EPROTO)
                ck_abort_msg("bit %d of the field at %zu makes no difference", bit, fields[i]);
            job->base[fields[i] + (unsigned)bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    ck_assert_int_eq(attach(nic_job_fd(job)), 0);
    job->header->cores = 0;
    ck_assert_int_eq(attach(nic_job_fd(job)), -EPROTO);
    job->header->cores = 2;
    nic_job_close(job);
}
END_TEST

START_TEST(cut_file)
{
    struct nic_job *job;

    ck_assert_int_eq(create(2, 2, 0, &job), 0);
    off_t total = (off_t)job->header->total;
    ck_assert_int_eq(ftruncate(nic_job_fd(job), total - 1), 0);
    ck_assert_int_eq(attach(nic_job_fd(job)), -EPROTO);
    ck_assert_int_eq(ftruncate(nic_job_fd(job), total + 1), 0);
    ck_assert_int_eq(attach(nic_job_fd(job)), -EPROTO);
    ck_assert_int_eq(ftruncate(nic_job_fd(job), total), 0);
    ck_assert_int_eq(attach(nic_job_fd(job)), 0);
    nic_job_close(job);
}
END_TEST

START_TEST(states)
{
    struct nic_job *job = loop_job(3);

    for (unsigned r = 0; r < 4; r++)
        ck_assert_int_eq(nic_job_rank_state(job, r), NIC_RANK_ABSENT);
    struct nic *nic = loop_nic(job, 1, NIC_PROGRESS_HOST, &catcher_program, NULL);
    ck_assert_int_eq(nic_job_rank_state(job, 0), NIC_RANK_ABSENT);
    ck_assert_int_eq(nic_job_rank_state(job, 1), NIC_RANK_OPEN);
    nic_close(nic);
    ck_assert_int_eq(nic_job_rank_state(job, 1), NIC_RANK_CLOSED);
    ck_assert_int_eq(nic_job_rank_state(job, UINT32_MAX), NIC_RANK_ABSENT);
    nic_job_close(job);
}
END_TEST

START_TEST(first_abort_wins)
{
    static const struct { unsigned rank; int code; } firsts[] = { { 0, 0 }, { 4, -1 }, { NIC_MAX_RANKS - 1, 255 }, { 1, INT32_MIN } };
    unsigned rank;
    int code;

    for (unsigned i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        struct nic_job *job = loop_job(5);
        ck_assert(!nic_job_aborted(job, NULL, NULL));
        ck_assert(nic_job_set_abort(job, firsts[i].rank, firsts[i].code));
        ck_assert(!nic_job_set_abort(job, 2, 9));
        ck_assert(!nic_job_set_abort(job, firsts[i].rank, firsts[i].code));
        ck_assert(nic_job_aborted(job, &rank, &code));
        ck_assert_uint_eq(rank, firsts[i].rank);
        ck_assert_int_eq(code, firsts[i].code);
        ck_assert(nic_job_aborted(job, NULL, NULL));
        nic_job_close(job);
    }
}
END_TEST

START_TEST(notes)
{
    struct nic_job *job = loop_job(2);
    char longer[300], text[300];

    nic_job_rank_note(job, 0, text, sizeof text);
    ck_assert_str_eq(text, "");
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    nic_job_set_note(job, 0, longer);
    nic_job_set_note(job, 1, "short");
    nic_job_rank_note(job, 0, text, sizeof text);
    ck_assert_uint_eq(strlen(text), 127);
    nic_job_rank_note(job, 1, text, sizeof text);
    ck_assert_str_eq(text, "short");
    nic_job_rank_note(job, 1, text, 4);
    ck_assert_str_eq(text, "sho");
    nic_job_rank_note(job, 1, text, 1);
    ck_assert_str_eq(text, "");
    text[0] = 'y';
    nic_job_rank_note(job, 1, text, 0);
    ck_assert_int_eq(text[0], 'y');
    nic_job_rank_note(job, 2, text, sizeof text);       /* no such rank */
    ck_assert_str_eq(text, "");
    nic_job_set_note(job, 0, "");
    nic_job_rank_note(job, 0, text, sizeof text);
    ck_assert_str_eq(text, "");
    nic_job_close(job);
}
END_TEST

/* The standstill number over the public lines, as waits write them. */
START_TEST(standstill)
{
    struct loop l;
    uint64_t still;

    loop_open(&l, 3);
    ck_assert_uint_eq(nic_job_standstill(l.job), 0);
    for (unsigned r = 0; r < 3; r++) {
        ck_assert_uint_eq(nic_job_standstill(l.job), 0);
        atomic_fetch_or(&l.job->publics[r].attention, NIC_PARKED);
    }
    still = nic_job_standstill(l.job);
    ck_assert_uint_ne(still, 0);
    ck_assert_uint_eq(nic_job_standstill(l.job), still);
    atomic_fetch_add(&l.job->publics[1].sleeps, 1);             /* woke up and went to sleep again */
    ck_assert_uint_ne(nic_job_standstill(l.job), 0);
    ck_assert_uint_ne(nic_job_standstill(l.job), still);
    still = nic_job_standstill(l.job);
    atomic_fetch_add(&l.job->publics[2].doorbell, 1);
    ck_assert_uint_ne(nic_job_standstill(l.job), still);
    still = nic_job_standstill(l.job);
    ck_assert(nic_send_now(l.nic[0], 2, 1, 0, NULL, 0));        /* in flight */
    ck_assert_uint_eq(nic_job_standstill(l.job), 0);
    loop_drain(l.nic[2]);
    ck_assert_uint_ne(nic_job_standstill(l.job), 0);
    ck_assert_uint_ne(nic_job_standstill(l.job), still);
    atomic_fetch_and(&l.job->publics[0].attention, ~(uint32_t)NIC_PARKED);
    ck_assert_uint_eq(nic_job_standstill(l.job), 0);
    atomic_fetch_or(&l.job->publics[0].attention, NIC_PARKED);
    loop_close(&l);
}
END_TEST

/* Ranks that left do not count; when all have, nobody stands still. */
START_TEST(standstill_of_the_rest)
{
    struct nic_job *job = loop_job(3);
    struct nic *nic[3];

    for (unsigned r = 0; r < 2; r++)
        nic[r] = loop_nic(job, r, NIC_PROGRESS_HOST, &catcher_program, NULL);
    atomic_fetch_or(&job->publics[0].attention, NIC_PARKED);
    atomic_fetch_or(&job->publics[1].attention, NIC_PARKED);
    ck_assert_uint_eq(nic_job_standstill(job), 0);      /* rank 2 has not come yet */
    nic[2] = loop_nic(job, 2, NIC_PROGRESS_HOST, &catcher_program, NULL);
    nic_close(nic[2]);
    ck_assert_uint_ne(nic_job_standstill(job), 0);
    nic_close(nic[0]);
    ck_assert_uint_ne(nic_job_standstill(job), 0);
    nic_close(nic[1]);
    ck_assert_uint_eq(nic_job_standstill(job), 0);
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("segment");
    TCase *tcase = tcase_create("segment");

    tcase_add_test(tcase, wrong_configurations);
    tcase_add_test(tcase, layout);
    tcase_add_test(tcase, largest);
    tcase_add_test(tcase, attached);
    tcase_add_test(tcase, foreign_files);
    tcase_add_test(tcase, corrupted_headers);
    tcase_add_test(tcase, cut_file);
    tcase_add_test(tcase, states);
    tcase_add_test(tcase, first_abort_wins);
    tcase_add_test(tcase, notes);
    tcase_add_test(tcase, standstill);
    tcase_add_test(tcase, standstill_of_the_rest);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
