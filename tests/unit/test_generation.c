/* One program of a rank after another: the next one finds the segment as the first did, whatever
 * the last left in it. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "time/governor.h"
#include "loop.h"
#include "job/generation.h"
#include "job/proxy_box.h"
#include "job/segment.h"

enum { RANKS = 3, SPAD = 8192, PROGRAMS = 4 };

static struct nic_job *job;

static int open_rank(unsigned rank, struct nic **nic)
{
    struct nic_config config = { .job = job, .rank = rank, .link = "shm",
                                 .progress = NIC_PROGRESS_HOST, .program = &catcher_program,
                                 .context = calloc(1, sizeof(struct catcher)) };
    return nic_open(&config, nic);
}

static void all_zero(const void *at, size_t bytes, const char *what)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)at)[i]) {
            fprintf(stderr, "%s: byte %zu is not as in the beginning\n", what, i);
            abort();
        }
}

/* Everything of a rank, but what opening it writes. */
static void is_new(unsigned rank)
{
    char note[NIC_NOTE_BYTES];
    nic_job_rank_note(job, rank, note, sizeof note);
    must(!*note);
    all_zero(&nic_job_owned(job, rank)->regions, sizeof(struct nic_region_table), "regions");
    all_zero(nic_job_ring(job, rank), sizeof(struct nic_ring), "inbox");
    all_zero(nic_job_scratchpad(job, rank), SPAD, "scratchpad");
    must(!atomic_load(&job->publics[rank].attention) && !atomic_load(&job->publics[rank].sleeps));
    if (!nic_job_modelled(job))
        return;
    must(nic_governor_promise(job->governor, rank) != NIC_NEVER
         && nic_governor_rank(job->governor, rank)->state != NIC_GOVERNED_GONE);
    all_zero(nic_proxy_box(job->governor, rank), sizeof(struct nic_proxy_copy), "box");
}

static void make_dirty(unsigned rank)
{
    nic_job_set_note(job, rank, "was here");
    memset(&nic_job_owned(job, rank)->regions, 0x55, sizeof(struct nic_region_table));
    memset((void *)nic_job_ring(job, rank)->line, 0x55, sizeof nic_job_ring(job, rank)->line);
    memset(nic_job_scratchpad(job, rank), 0x55, SPAD);
    memset(nic_job_heap(job, rank), 0x55, 4096);
    atomic_store(&job->publics[rank].sleeps, 99);
    if (nic_job_modelled(job))
        memset(nic_proxy_box(job->governor, rank)->data, 0x55, NIC_PROXY_BYTES);
}

/* Where the ranks meet: times that one has come, in memory that is not the job's. */
static _Atomic uint32_t *come;

static void meet(unsigned times)
{
    atomic_fetch_add(come, 1);
    while (atomic_load(come) < times * RANKS)
        usleep(100);
}

/* Programs look at all there is before any of them writes, and meet before they leave. */
static void program(unsigned rank, unsigned number)
{
    struct nic *nic = NULL;
    must(!open_rank(rank, &nic));
    must(nic_job_programs(job) == number + 1);
    if (!rank)
        for (unsigned r = 0; r < RANKS; r++)
            is_new(r);
    meet(2 * number + 1);
    make_dirty(rank);
    struct nic *second = NULL;
    must(open_rank(rank, &second) == -EBUSY);
    meet(2 * number + 2);
    nic_close(nic);
    must(open_rank(rank, &second) == -EBUSY);   /* in the same process there is no other one */
    _exit(0);
}

/* When one fails, the others, which wait for it, go with their parents. */
static pid_t fork_with(void (*run)(unsigned rank, unsigned number), unsigned rank, unsigned number)
{
    pid_t child = fork();
    must(child >= 0);
    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    run(rank, number);
    _exit(0);
}

static void end_of(pid_t child)
{
    int status;
    must(waitpid(child, &status, 0) == child);
    ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
}

/* A rank's process, which runs its programs one after the other. */
static void run_rank(unsigned rank, unsigned programs)
{
    for (unsigned p = 0; p < programs; p++) {
        int status;
        pid_t child = fork_with(program, rank, p);
        must(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    }
}

static void run_job(const struct nic_model_config *model)
{
    pid_t child[RANKS];
    come = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(come != MAP_FAILED);
    must(!nic_job_create(&(struct nic_job_config){ .ranks = RANKS, .cores = 1, .scratchpad = SPAD,
                                                   .model = model }, &job));
    for (unsigned r = 0; r < RANKS; r++)
        child[r] = fork_with(run_rank, r, PROGRAMS);
    for (unsigned r = 0; r < RANKS; r++)
        end_of(child[r]);
    ck_assert_uint_eq(nic_job_programs(job), PROGRAMS);
    nic_job_close(job);
    munmap(come, 4096);
}

static struct nic_profile *profile(void)
{
    static struct nic_profile p;
    nic_profile_default(&p);
    p.link.latency = p.call.test = p.call.probe = p.call.wtime = p.alpu.clock = 1000;
    return &p;
}

START_TEST(live) { run_job(NULL); }
END_TEST
START_TEST(modelled) { run_job(&(struct nic_model_config){ .profile = profile() }); }
END_TEST

/* -- where the kernel does not take pages out of a file: they are cleared */

static void forbid_fallocate(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        _exit(0);       /* no such filters here */
    must(syscall(SYS_fallocate, -1, 0, 0, 1) < 0 && errno == EPERM);
    run_job(NULL);
    run_job(&(struct nic_model_config){ .profile = profile() });
    _exit(0);
}

START_TEST(without_holes)
{
    pid_t child = fork();
    must(child >= 0);
    if (!child)
        forbid_fallocate();
    end_of(child);
}
END_TEST

/* -- who waits in vain */

static void leave_once(unsigned rank)
{
    struct nic *nic;
    must(!open_rank(rank, &nic));
    nic_close(nic);
    _exit(0);
}

static int second_program(unsigned rank)
{
    struct nic *nic;
    int status;
    pid_t child = fork();
    if (!child)
        _exit(-open_rank(rank, &nic));
    must(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return -WEXITSTATUS(status);
}

static void leave_both(void)
{
    must(!nic_job_create(&(struct nic_job_config){ .ranks = 2, .cores = 1 }, &job));
    for (unsigned r = 0; r < 2; r++) {
        pid_t child = fork();
        if (!child)
            leave_once(r);
        end_of(child);
    }
}

START_TEST(in_vain)
{
    char note[NIC_NOTE_BYTES];
    leave_both();
    ck_assert(!nic_job_has_ended(job, 1));
    nic_job_rank_ended(job, 1);
    ck_assert(nic_job_has_ended(job, 1) && !nic_job_has_ended(job, 0)
              && !nic_job_has_ended(job, 2));
    ck_assert_int_eq(second_program(0), -ESRCH);
    /* as others see one that waits */
    ck_assert_int_eq(nic_job_rank_state(job, 0), NIC_RANK_CLOSED);
    nic_job_rank_note(job, 0, note, sizeof note);
    ck_assert_str_eq(note, "begins another program, and waits until all ranks do");
    /* now all wait, with a new process of the one that has ended */
    ck_assert_int_eq(second_program(1), -ESRCH);
    ck_assert_int_eq(second_program(0), -ESRCH);
    ck_assert_uint_eq(nic_job_programs(job), 1);
    nic_job_close(job);
    leave_both();
    nic_job_set_abort(job, 1, 1);
    ck_assert_int_eq(second_program(0), -ECANCELED);
    ck_assert_uint_eq(nic_job_standstill(job), 0);
    nic_job_close(job);
}
END_TEST

/* Nobody tells what the ranks of other machines do. */
START_TEST(several_machines)
{
    uint16_t of[] = { 0, 1 };
    struct nic_machines machines = { of, 0 };
    must(!nic_job_create(&(struct nic_job_config){ .ranks = 2, .cores = 1, .machines = &machines },
                         &job));
    ck_assert_int_eq(nic_job_join(job, 0), 0);
    nic_job_rank_ended(job, 0);
    ck_assert_int_eq(nic_job_join(job, 0), -EBUSY);
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("generation");
    TCase *tcase = tcase_create("generation");

    tcase_add_test(tcase, live);
    tcase_add_test(tcase, modelled);
    tcase_add_test(tcase, without_holes);
    tcase_add_test(tcase, in_vain);
    tcase_add_test(tcase, several_machines);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
