/* What a rank's process cannot write to, and what its core files leave out. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "time/critical_path.h"
#include "time/governor.h"
#include "loop.h"
#include "job/segment.h"

enum { MAPPINGS_MAX = 60 };

static struct nic_job *job;

/* This process becomes rank 1, as a launcher's child does. */
static struct nic *become_rank(unsigned rank)
{
    static struct catcher catcher;
    struct nic_config config = { .job = job, .rank = rank, .link = "shm",
                                 .progress = NIC_PROGRESS_HOST,
                                 .program = &catcher_program, .context = &catcher };
    struct nic *nic = NULL;

    memset(&catcher, 0, sizeof catcher);
    must(!nic_open(&config, &nic));
    return nic;
}

/* Writes one byte there, in a child that is rank 1: the signal that ends it, 0: none. */
static int signal_of_write(void *at)
{
    int status;
    pid_t child = fork();

    must(child >= 0);
    if (!child) {
        struct rlimit none = { 0, 0 };
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGSEGV, SIG_DFL);
        become_rank(1);
        *(volatile unsigned char *)at = 1;
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child);
    atomic_store(&job->publics[1].state, NIC_RANK_ABSENT);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void expect(void *at, int bytes, int signal)
{
    ck_assert_int_eq(signal_of_write((unsigned char *)at), signal);
    ck_assert_int_eq(signal_of_write((unsigned char *)at + bytes - 1), signal);
}

static void open_job(unsigned ranks)
{
    must(!nic_job_create(&(struct nic_job_config){ .ranks = ranks, .cores = 2, .scratchpad = 8192,
                                                   .heap = 1 << 20 }, &job));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ENDED = 0 };         /* they say so themselves, and exit */
#else
enum { ENDED = SIGSEGV };
#endif

/* The header, the launcher's table, and what belongs to others: read only.  Its own: not. */
static void check_tables(void)
{
    const struct nic_job_header *h = &job->layout;

    expect(job->base, sizeof *h, SIGSEGV);
    expect(job->base + h->settings, sizeof(struct nic_governor_settings), SIGSEGV);
    expect((void *)job->ended, (int)job->ranks, SIGSEGV);
    expect(nic_job_owned(job, 0), (int)h->owned_stride, SIGSEGV);
    expect(nic_job_owned(job, 2), (int)h->owned_stride, SIGSEGV);
    expect(nic_job_owned(job, 1), (int)h->owned_stride, 0);
    expect(job->state, sizeof *job->state, 0);
    expect(&job->publics[0], sizeof *job->publics, 0);
}

/* Peers' memory is written to by design, up to its last byte. */
static void check_areas(void)
{
    const struct nic_job_header *h = &job->layout;

    for (unsigned r = 0; r < 3; r++) {
        expect(nic_job_ring(job, r), sizeof(struct nic_ring), 0);
        expect(nic_job_scratchpad(job, r), (int)h->scratchpad, 0);
        expect(nic_job_heap(job, r), (int)h->heap, 0);
    }
    expect(nic_job_scratchpad(job, 1) + h->scratchpad, NIC_GUARD_BYTES, SIGSEGV);
    expect(nic_job_scratchpad(job, 1) - NIC_GUARD_BYTES, NIC_GUARD_BYTES, SIGSEGV);
    expect(nic_job_heap(job, 1) + h->heap, NIC_GUARD_BYTES, SIGSEGV);
    expect(nic_job_heap(job, 1) - NIC_GUARD_BYTES, NIC_GUARD_BYTES, SIGSEGV);
    expect((unsigned char *)nic_job_ring(job, 1) - NIC_GUARD_BYTES, NIC_GUARD_BYTES, SIGSEGV);
    expect((unsigned char *)nic_job_ring(job, 2) - NIC_GUARD_BYTES, NIC_GUARD_BYTES, SIGSEGV);
}

START_TEST(writes)
{
    static const unsigned ranks[] = { 3, 100 };

    if (!ENDED)
        return;
    for (unsigned i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        open_job(ranks[i]);
        check_tables();
        check_areas();
        nic_job_close(job);
    }
}
END_TEST

/* -- core files */

/* Calls fn for each piece of the job's mapping, with whether core files leave it out. */
static unsigned each_piece(void (*fn)(uintptr_t begin, uintptr_t end, bool left_out))
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[1024];
    unsigned long begin = 0, end = 0, from, to;
    unsigned pieces = 0;
    bool ours = false;

    must(maps);
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2 && strchr(line, '-') < strchr(line, ' ')) {
            begin = from;
            end = to;
            ours = strstr(line, "nicemu-job");
            pieces += ours;
        } else if (ours && !strncmp(line, "VmFlags:", 8)) {
            fn(begin, end, strstr(line, " dd"));
        }
    }
    fclose(maps);
    return pieces;
}

static unsigned mine;
static uint64_t kept, own_kept;

static void check_piece(uintptr_t begin, uintptr_t end, bool left_out)
{
    uintptr_t tables = (uintptr_t)job->base + job->layout.rings - NIC_GUARD_BYTES;
    uintptr_t ring = (uintptr_t)nic_job_ring(job, mine);

    if (left_out) {
        must(begin >= tables && (end <= ring || begin >= ring + sizeof(struct nic_ring)));
        return;
    }
    kept += end - begin;
    own_kept += begin >= ring && end <= ring + job->layout.ring_stride ? end - begin : 0;
    must(end <= tables + NIC_GUARD_BYTES
         || (begin >= ring && end <= ring + job->layout.ring_stride));
}

/* Tables and one's own inbox are there; other inboxes, scratchpads and heaps are not; and the
 * mapping is in a few pieces, however many ranks there are. */
START_TEST(core_files)
{
    static const unsigned ranks[] = { 1, 2, 8, 9, 1024 };

    for (unsigned i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        open_job(ranks[i]);
        mine = ranks[i] / 2;
        kept = own_kept = 0;
        struct nic *nic = become_rank(mine);
        unsigned pieces = each_piece(check_piece);
        ck_assert_uint_le(pieces, MAPPINGS_MAX);
        ck_assert_uint_ge(own_kept, sizeof(struct nic_ring));
        ck_assert_uint_eq(kept, job->layout.rings + own_kept);
        nic_close(nic);
        nic_job_close(job);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("protect");
    TCase *tcase = tcase_create("protect");

    tcase_add_test(tcase, writes);
    tcase_add_test(tcase, core_files);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
