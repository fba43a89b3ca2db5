/* The job segment: what is refused, and the life of a job's ranks as others see it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "job/proxy_box.h"
#include "time/governor.h"
#include "model/proxy_copy.h"
#include "loop.h"
#include "job/segment.h"

static int create(unsigned ranks, unsigned cores, size_t scratchpad, struct nic_job **job)
{
    struct nic_job_config config = { .ranks = ranks, .cores = cores, .scratchpad = scratchpad };
    return nic_job_create(&config, job);
}

static int create_with_heap(unsigned ranks, size_t heap, struct nic_job **job)
{
    struct nic_job_config config = { .ranks = ranks, .cores = 1, .heap = heap };
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
    ck_assert_int_eq(create(1, 1, NIC_SCRATCHPAD_MAX + 1, &job), -EINVAL);
    ck_assert_int_eq(create_with_heap(1, NIC_HEAP_MAX + 1, &job), -EINVAL);
    ck_assert_ptr_null(job);
}
END_TEST

/* No rank's part overlaps another's, all lie inside the file, and guard pages keep inboxes,
 * scratchpads and heaps apart. */
START_TEST(layout)
{
    static const unsigned ranks[] = { 1, 2, 3, 63, 64, 65, 1000 };
    struct nic_job *job;

    for (unsigned i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        ck_assert_int_eq(create(ranks[i], 3, 100000, &job), 0);
        const struct nic_job_header *h = &job->layout;
        ck_assert_uint_eq(nic_job_ranks(job), ranks[i]);
        ck_assert_uint_eq(nic_job_cores(job), 3);
        must(h->scratchpad >= 100000 && h->scratchpad % 4096 == 0
             && h->scratchpad == nic_job_scratchpad_bytes(job));
        must(h->heap == nic_job_heap_bytes(job) && h->heap % 4096 == 0);
        must(h->settings >= sizeof *h && h->owned >= h->ended + ranks[i] && h->publics > h->state);
        must((unsigned char *)nic_job_owned(job, ranks[i] - 1) + sizeof(struct nic_owned)
             <= (unsigned char *)job->state);
        must((unsigned char *)(job->publics + ranks[i]) <= job->base + h->governor);
        must((unsigned char *)(nic_proxy_box(job->governor, ranks[i] - 1) + 1)
             + NIC_GUARD_BYTES <= (unsigned char *)nic_job_ring(job, 0));
        must((unsigned char *)nic_job_ring(job, ranks[i]) + NIC_GUARD_BYTES
             <= nic_job_scratchpad(job, 0));
        must(nic_job_scratchpad(job, ranks[i]) + NIC_GUARD_BYTES == nic_job_heap(job, 0));
        must(nic_job_heap(job, ranks[i]) == job->base + h->total);
        must(h->ring_stride >= sizeof(struct nic_ring) + NIC_GUARD_BYTES
             && h->scratchpad_stride == h->scratchpad + NIC_GUARD_BYTES);
        must(h->heap_stride == h->heap + NIC_GUARD_BYTES
             && h->owned_stride >= sizeof(struct nic_owned));
        nic_job_close(job);
    }
}
END_TEST

/* -- heaps: their size, and what limits do to it */

START_TEST(heaps)
{
    static const struct { unsigned ranks; size_t asked, got; } cases[] = {
        { 1, 0, 4096ul << 20 }, { 16, 0, 4096ul << 20 }, { 64, 0, 1024 << 20 },
        { 1024, 0, 64 << 20 }, { 3, 1 << 20, 1 << 20 },
        { 2, 100000, 98304 }, { 5, NIC_HEAP_OFF, 0 },
        { 2, 1000, 0 },
    };
    struct nic_job *job, *view;

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(create_with_heap(cases[i].ranks, cases[i].asked, &job), 0);
        ck_assert_uint_eq(nic_job_heap_bytes(job), cases[i].got);
        ck_assert_int_eq(nic_job_attach(dup(nic_job_fd(job)), &view), 0);
        ck_assert_uint_eq(nic_job_heap_bytes(view), cases[i].got);
        if (cases[i].got) {
            nic_job_heap(job, cases[i].ranks - 1)[cases[i].got - 1] = 99;
            ck_assert_uint_eq(nic_job_heap(view, cases[i].ranks - 1)[cases[i].got - 1], 99);
        }
        nic_job_close(view);
        nic_job_close(job);
    }
}
END_TEST

/* Where nothing is asked for: what so many ranks have, or the least that is wanted. */
START_TEST(least_heap)
{
    static const size_t least[] = { (size_t)5 << 30, 1 << 20 };
    struct nic_job_config c = { .ranks = 2 };
    struct nic_job *job;

    for (unsigned i = 0; i < 2; i++) {
        c.heap_least = least[i];
        ck_assert_int_eq(nic_job_create(&c, &job), 0);
        ck_assert_uint_eq(nic_job_heap_bytes(job), i ? (size_t)4 << 30 : least[0]);
        nic_job_close(job);
    }
}
END_TEST

/* Address space that this process has mapped. */
static rlim_t mapped(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    must(f && fscanf(f, "%lu", &pages) == 1);
    fclose(f);
    return (rlim_t)pages * 4096;
}

/* Runs `body` in a process of its own, where it may limit itself. */
static void apart(void (*body)(void))
{
    int status;
    pid_t child = fork();

    must(child >= 0);
    if (!child) {
        suite_limit();
        body();
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

static void limit(__rlimit_resource_t which, rlim_t bytes)
{
    struct rlimit l = { bytes, RLIM_INFINITY };

    must(!getrlimit(which, &l));
    l.rlim_cur = bytes;
    must(!setrlimit(which, &l));
}

/* No signal, and as much as fits; at the end not even a job fits. */
static void within_file_size(void)
{
    struct nic_job *job = NULL;

    limit(RLIMIT_FSIZE, 40 << 20);
    must(!create_with_heap(2, 0, &job) && nic_job_heap_bytes(job) >= 1 << 20
         && nic_job_heap_bytes(job) <= 16 << 20);
    nic_job_heap(job, 1)[nic_job_heap_bytes(job) - 1] = 1;
    nic_job_close(job);
    must(!create_with_heap(2, NIC_HEAP_MAX, &job) && nic_job_heap_bytes(job) >= 1 << 20);
    nic_job_close(job);
    limit(RLIMIT_FSIZE, 1 << 20);
    must(create_with_heap(2, 0, &job) == -EFBIG);
}

static void within_address_space(void)
{
    struct nic_job *job = NULL;
    rlim_t before = mapped();

    limit(RLIMIT_AS, before + (64 << 20));
    must(!create_with_heap(2, 0, &job));
    must(mapped() - before < 48 << 20);
    nic_job_close(job);
    must(!create_with_heap(1, 8 << 20, &job) && nic_job_heap_bytes(job) == 8 << 20);
    nic_job_close(job);
    limit(RLIMIT_AS, before + (256 << 10));
    must(create_with_heap(20, 0, &job) == -ENOMEM);
}

static int foreign;

/* The heaps were made by a process without the limit. */
static void attaches_without(void)
{
    struct nic_job *job = NULL;

    limit(RLIMIT_AS, mapped() + (64 << 20));
    must(!nic_job_attach(foreign, &job));
    must(!nic_job_heap_bytes(job) && job->layout.heap);
    struct nic *nic = loop_nic(job, 1, NIC_PROGRESS_HOST, &catcher_program, NULL);
    must(!nic_heap_size(nic) && nic_heap_alloc(nic, 1, 1) == NIC_HEAP_NONE
         && !nic_heap_at(nic, 0, 0, 1) && !nic_heap_free(nic, 0));
    must(nic_heap_offset(nic, &foreign) == NIC_HEAP_NONE && nic_spad_at(nic, 1, 0, 4096));
    must(!atomic_load(&job->publics[1].heap_address));
    nic_close(nic);
    nic_job_close(job);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LIMITED_SPACE = false };     /* their own memory does not fit either */
#else
enum { LIMITED_SPACE = true };
#endif

START_TEST(limits)
{
    struct nic_job *job;

    apart(within_file_size);
    if (!LIMITED_SPACE)
        return;
    apart(within_address_space);
    ck_assert_int_eq(create_with_heap(2, 0, &job), 0);
    foreign = nic_job_fd(job);
    apart(attaches_without);
    nic_job_close(job);
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

/* In a process that comes from this one: by the descriptor itself, and by its name where it is
 * closed or something else; not what only has the number. */
static char named[NIC_FD_NAME];

static void finds_job(void)
{
    struct nic_job *job = NULL;
    unsigned rank = 9;
    char other[NIC_FD_NAME + 1];

    must(nic_fd_find(named) == foreign && nic_fd_find("0") == 0 && nic_fd_find("x") == -EINVAL
         && nic_fd_find("-1") == -EINVAL);
    for (int round = 0; round < 3; round++) {
        must(!round || (round == 1 ? dup2(STDERR_FILENO, foreign) >= 0 : !close(foreign)));
        must(!setenv(NIC_ENV_JOB_FD, named, 1) && !setenv(NIC_ENV_RANK, "2", 1));
        must(!nic_job_from_environment(&job, &rank) && rank == 2 && nic_job_ranks(job) == 3);
        /* what the program starts is no rank of it */
        must(fcntl(nic_job_fd(job), F_GETFD) & FD_CLOEXEC);
        must(!getenv(NIC_ENV_JOB_FD) && !getenv(NIC_ENV_RANK));
        nic_job_close(job);
    }
    must(!setenv(NIC_ENV_JOB_FD, named, 1) && !setenv(NIC_ENV_RANK, "3", 1));
    must(nic_job_from_environment(&job, &rank) == -EINVAL && rank == 2);
    snprintf(other, sizeof other, "%s0", named);
    must(nic_fd_find(other) == -EBADF);
    must(!setenv(NIC_ENV_JOB_FD, other, 1) && !setenv(NIC_ENV_RANK, "2", 1));
    must(nic_job_from_environment(&job, &rank) == -EBADF);
}

START_TEST(found_by_name)
{
    struct nic_job *job;

    ck_assert_int_eq(create(3, 0, 8192, &job), 0);
    foreign = nic_job_fd(job);
    ck_assert_int_ge(foreign, 64);      /* behind the scripts' and the shell's own */
    nic_fd_name(foreign, named, sizeof named);
    apart(finds_job);
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
    int pipes[2], closed, fd = memfd_create("foreign", 0),
        text = open("/proc/self/status", O_RDONLY);
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
        offsetof(struct nic_job_header, magic), offsetof(struct nic_job_header, version),
            offsetof(struct nic_job_header, ranks),
        offsetof(struct nic_job_header, header_bytes), offsetof(struct nic_job_header, scratchpad),
            offsetof(struct nic_job_header, heap),
        offsetof(struct nic_job_header, settings), offsetof(struct nic_job_header, ended),
        offsetof(struct nic_job_header, owned), offsetof(struct nic_job_header, state),
            offsetof(struct nic_job_header, publics),
        offsetof(struct nic_job_header, governor), offsetof(struct nic_job_header, rings),
            offsetof(struct nic_job_header, scratchpads),
        offsetof(struct nic_job_header, heaps), offsetof(struct nic_job_header, total),
            offsetof(struct nic_job_header, owned_stride),
        offsetof(struct nic_job_header, ring_stride),
            offsetof(struct nic_job_header, scratchpad_stride),
        offsetof(struct nic_job_header, heap_stride),
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
    ((struct nic_job_header *)job->base)->cores = 0;
    ck_assert_int_eq(attach(nic_job_fd(job)), -EPROTO);
    ((struct nic_job_header *)job->base)->cores = 2;
    nic_job_close(job);
}
END_TEST

/* Texts of a profile in a foreign file end, and groups of ranks are no more than there can be. */
START_TEST(settings_of_others)
{
    static struct nic_profile p;
    struct nic_model_config model = { .profile = &p, .log = "log" };
    struct nic_job *job, *view;
    nic_profile_default(&p);
    p.link.latency = p.call.test = p.call.probe = p.call.wtime = p.alpu.clock = 1000;
    ck_assert_int_eq(nic_job_create(&(struct nic_job_config){ .ranks = 3, .model = &model }, &job),
                     0);
    struct nic_governor_settings *set
        = (struct nic_governor_settings *)(job->base + job->layout.settings);
    memset(set->log, 'x', sizeof set->log);
    memset(set->profile.name, 'x', sizeof set->profile.name);
    memset(set->profile.own, 'x', sizeof set->profile.own);
    for (unsigned groups = 2; groups < 6; groups++) {
        set->groups = groups;
        ck_assert_int_eq(nic_job_attach(dup(nic_job_fd(job)), &view), 0);
        const struct nic_governor_settings *got = &nic_job_governor(view)->set;
        ck_assert_uint_eq(got->groups, groups <= 3 ? groups : 0);
        ck_assert_uint_eq(strnlen(got->log, sizeof got->log), sizeof got->log - 1);
        ck_assert_uint_eq(strnlen(got->profile.name, sizeof got->profile.name),
                          sizeof got->profile.name - 1);
        for (unsigned i = 0; i < NIC_PROFILE_OWN_MOST; i++) {
            const struct nic_profile_own *own = &got->profile.own[i];
            ck_assert_uint_eq(strnlen(own->name, sizeof own->name), sizeof own->name - 1);
            ck_assert_uint_eq(strnlen(own->value, sizeof own->value), sizeof own->value - 1);
        }
        nic_job_close(view);
    }
    nic_job_close(job);
}
END_TEST

/* No rank can cut the file, which would kill whoever looks at what is gone; and a file of another
 * size is no job. */
START_TEST(cut_file)
{
    struct nic_job *job;

    ck_assert_int_eq(create(2, 2, 0, &job), 0);
    off_t total = (off_t)job->layout.total;
    for (int change = -1; change <= 1; change += 2)
        ck_assert(ftruncate(nic_job_fd(job), total + change * 4096) < 0 && errno == EPERM);
    for (int change = -1; change <= 1; change++) {
        int copy = memfd_create("copy", 0);
        must(write(copy, job->base, 4096) == 4096 && !ftruncate(copy, total + change));
        ck_assert_int_eq(attach(copy), change ? -EPROTO : 0);
        close(copy);
    }
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

/* An open rank whose process is no more, though nobody has said so. */
START_TEST(gone)
{
    struct nic_job *job = loop_job(2);
    struct nic *nic = loop_nic(job, 0, NIC_PROGRESS_HOST, &catcher_program, NULL);

    ck_assert(!nic_job_rank_gone(job, 0));
    ck_assert(!nic_job_rank_gone(job, 1));              /* has not come yet */
    pid_t child = fork();
    must(child >= 0);
    if (!child)
        _exit(0);
    must(waitpid(child, NULL, 0) == child);
    atomic_store(&job->publics[0].pid, (int32_t)child);
    ck_assert(nic_job_rank_gone(job, 0));
    atomic_store(&job->publics[0].pid, (int32_t)getpid());
    nic_close(nic);
    ck_assert(nic_job_rank_gone(job, 0));
    nic_job_close(job);
}
END_TEST

START_TEST(first_abort_wins)
{
    static const struct { unsigned rank; int code; } firsts[] = { { 0, 0 }, { 4, -1 }, { 3, 255 },
                                                                  { 1, INT32_MIN } };
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

START_TEST(remarks)
{
    struct nic_job *job = loop_job(2);
    char longer[300], text[300];

    nic_job_rank_remark(job, 0, text, sizeof text);
    ck_assert_str_eq(text, "");
    nic_job_set_note(job, 1, "a note");
    nic_job_set_remark(job, 1, "a remark");
    nic_job_set_note(job, 1, "another note");
    nic_job_rank_remark(job, 1, text, sizeof text);
    ck_assert_str_eq(text, "a remark");
    nic_job_rank_remark(job, 1, text, 4);
    ck_assert_str_eq(text, "a r");
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    nic_job_set_remark(job, 0, longer);
    nic_job_rank_remark(job, 0, text, sizeof text);
    ck_assert_uint_eq(strlen(text), NIC_REMARK_BYTES - 1);
    nic_job_rank_note(job, 1, text, sizeof text);
    ck_assert_str_eq(text, "another note");
    nic_job_rank_remark(job, 2, text, sizeof text);     /* no such rank */
    ck_assert_str_eq(text, "");
    nic_job_close(job);
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
    ck_assert_uint_eq(strlen(text), NIC_NOTE_BYTES - 1);
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

/* What is cut leaves alone what lies behind it. */
START_TEST(too_long_to_stay_inside)
{
    struct nic_job *job = loop_job(1);
    struct nic_owned *own = nic_job_owned(job, 0);
    struct nic_hosts hosts;
    struct nic_posted_address address;
    char longer[300];

    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    memset(&hosts, 0x55, sizeof hosts);
    memset(&address, 0x55, sizeof address);
    memcpy((void *)&own->note.hosts, &hosts, sizeof hosts);
    memcpy((void *)&own->address, &address, sizeof address);
    nic_job_set_note(job, 0, longer);
    nic_job_set_remark(job, 0, longer);
    ck_assert_mem_eq((void *)&own->note.hosts, &hosts, sizeof hosts);
    ck_assert_mem_eq((void *)&own->address, &address, sizeof address);
    nic_job_close(job);
}
END_TEST

/* What a nudge does is no progress; a packet is, and that a host waits for something else. */
START_TEST(progress)
{
    struct loop l;
    uint64_t before;

    loop_open(&l, 3);
    before = nic_job_progress(l.job);
    ck_assert_uint_ne(before, 0);
    nic_job_nudge(l.job);
    atomic_fetch_add(&l.job->publics[1].sleeps, 1);
    ck_assert_uint_eq(nic_job_progress(l.job), before);
    nic_job_set_note(l.job, 2, "MPI_Barrier");
    ck_assert_uint_ne(nic_job_progress(l.job), before);
    nic_job_set_note(l.job, 2, "MPI_Send");         /* of one length, and they begin alike */
    const uint64_t sends = nic_job_progress(l.job);
    nic_job_set_note(l.job, 2, "MPI_Recv");
    ck_assert_uint_ne(nic_job_progress(l.job), sends);
    nic_job_set_note(l.job, 2, "");
    ck_assert_uint_eq(nic_job_progress(l.job), before);
    ck_assert(nic_send_now(l.nic[0], 2, 1, 0, NULL, 0));
    loop_drain(l.nic[2]);
    ck_assert_uint_ne(nic_job_progress(l.job), before);
    loop_close(&l);
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
    /* woke up and went to sleep again */
    atomic_fetch_add(&l.job->publics[1].sleeps, 1);
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
    still = nic_job_standstill(l.job);
    atomic_fetch_add(&nic_job_owned(l.job, 2)->note.hosts.waiting, 1);
    ck_assert_uint_ne(nic_job_standstill(l.job), still);
    /* and between machines */
    struct nic_hosts *h = &nic_job_owned(l.job, 1)->note.hosts;
    struct nic_rank_wire w;
    still = nic_job_standstill(l.job);
    ck_assert(!nic_job_rank_wire(l.job, 1, &w));
    atomic_store(&h->under_way, 1);
    ck_assert_uint_eq(nic_job_standstill(l.job), 0);
    atomic_store(&h->under_way, 0);
    ck_assert_uint_eq(nic_job_standstill(l.job), still);
    atomic_fetch_add(&h->sent, 1);
    ck_assert_uint_ne(nic_job_standstill(l.job), still);
    ck_assert(nic_job_rank_wire(l.job, 1, &w));
    ck_assert_uint_eq(w.sent, 1);
    ck_assert_uint_eq(w.came, 0);
    still = nic_job_standstill(l.job);
    atomic_fetch_add(&h->rests, 1);
    ck_assert_uint_ne(nic_job_standstill(l.job), still);
    still = nic_job_standstill(l.job);
    atomic_fetch_add(&h->came, 1);
    ck_assert_uint_ne(nic_job_standstill(l.job), still);
    ck_assert(nic_job_rank_wire(l.job, 1, &w));
    ck_assert_uint_eq(w.sent + w.came, 2);
    loop_close(&l);
}
END_TEST

/* A packet for a rank that was awake, whom nobody had to ring for. */
START_TEST(standstill_without_a_bell)
{
    struct loop l;

    loop_open(&l, 2);
    for (unsigned r = 0; r < 2; r++)
        atomic_fetch_or(&l.job->publics[r].attention, NIC_PARKED);
    const uint64_t still = nic_job_standstill(l.job);
    const uint32_t rung = atomic_load(&l.job->publics[1].doorbell);
    atomic_fetch_and(&l.job->publics[1].attention, ~(uint32_t)NIC_PARKED);
    ck_assert(nic_send_now(l.nic[0], 1, 1, 0, NULL, 0));
    loop_drain(l.nic[1]);
    atomic_fetch_or(&l.job->publics[1].attention, NIC_PARKED);
    ck_assert_uint_eq(atomic_load(&l.job->publics[1].doorbell), rung);
    ck_assert_uint_ne(nic_job_standstill(l.job), 0);
    ck_assert_uint_ne(nic_job_standstill(l.job), still);
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
    tcase_add_test(tcase, heaps);
    tcase_add_test(tcase, least_heap);
    tcase_add_test(tcase, limits);
    tcase_add_test(tcase, largest);
    tcase_add_test(tcase, found_by_name);
    tcase_add_test(tcase, attached);
    tcase_add_test(tcase, foreign_files);
    tcase_add_test(tcase, corrupted_headers);
    tcase_add_test(tcase, settings_of_others);
    tcase_add_test(tcase, cut_file);
    tcase_add_test(tcase, states);
    tcase_add_test(tcase, first_abort_wins);
    tcase_add_test(tcase, notes);
    tcase_add_test(tcase, remarks);
    tcase_add_test(tcase, too_long_to_stay_inside);
    tcase_add_test(tcase, gone);
    tcase_add_test(tcase, progress);
    tcase_add_test(tcase, standstill);
    tcase_add_test(tcase, standstill_without_a_bell);
    tcase_add_test(tcase, standstill_of_the_rest);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
