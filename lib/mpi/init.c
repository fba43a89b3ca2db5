/* The library's life: MPI_Init to MPI_Finalize, and the way out in between. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attach.h"
#include "base/crash.h"
#include "base/findings.h"
#include "base/note_mark.h"
#include "base/variables.h"
#include "coll/coll.h"
#include "core/buffered.h"
#include "core/err.h"
#include "core/label.h"
#include "core/levels.h"
#include "core/lost.h"
#include "core/mem.h"
#include "core/request_free.h"
#include "core/thread_level.h"
#include "core/wait_reason.h"
#include "core/world.h"
#include "mpi/attribute.h"
#include "mpi/init.h"
#include "mpi/job_numbers.h"
#include "mpi/stats.h"
#include "mpi/weak_alias.h"
#include "nicemu/job.h"
#include "nicemu/place.h"
#include "nicemu/sizes.h"
#include "pmi/join.h"
#include "pmi/why.h"
#include "rma/move.h"

_Noreturn static void give_up(const char *what, int error)
{
    mpi_refuse(" in MPI_Init: %s: %s", what, strerror(-error));
}

/* Without the text of an error code: the words say it all. */
_Noreturn static void refuse(const char *why)
{
    mpi_refuse(" in MPI_Init: %s", why);
}

/* -- the way in */

/* mpirun takes the variables of another launcher from its ranks: where both are, a rank has started
 * that launcher, and this process is of its job. */
static void leave_outer_job(void)
{
    static const char *const names[] = { NIC_ENV_JOB_FD, NIC_ENV_RANK, NIC_ENV_THREAD_CPUS,
                                         "MPILITE_LAUNCHED", "MPILITE_SIZE", "MPILITE_PROGRAM",
                                         CRASH_ENV_FD, FINDINGS_ENV_FD };
    bool inner = getenv("PMI_FD") || getenv("PMIX_NAMESPACE");
    for (size_t i = 0; inner && i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

static unsigned find_job(void)
{
    leave_outer_job();
    bool launched = getenv(NIC_ENV_JOB_FD) && getenv(NIC_ENV_RANK);
    struct nic_job_config alone = { .ranks = 1 };
    char why[256];
    unsigned rank = 0;
    int joined = launched ? -ENOENT : mpi_join(&mpi_job, &rank);
    if (!joined)
        return rank;
    if (joined != -ENOENT)
        refuse(mpi_pmi_why());
    if (!launched && nic_job_config_environment(&alone, why, sizeof why))
        give_up(why, -EINVAL);
    int rc = nic_job_from_environment(&mpi_job, &rank);
    if (!rc)
        return rank;
    if (launched && rc == -EPROTO)
        refuse("mpirun is not of the version of this library that the program has found: start it "
               "with the mpirun that was installed with that library");
    if (launched && rc == -EBADF)
        refuse("a program between mpirun and this one has closed the descriptor of the job's "
               "memory (" NIC_ENV_JOB_FD "), and /proc does not lead there; or mpirun is gone");
    const char *step = nic_job_step(), *what = launched
        ? "the launcher's job memory can't be opened (was the program started by a child of "
          "a rank?)"
        : "no memory for a job of one rank";
    snprintf(why, sizeof why, "%s%s%s", what, *step ? ": " : "", step);
    give_up(why, rc);
}

static enum nic_progress progress_wanted(void)
{
    const char *text = getenv(NIC_ENV_PROGRESS);
    enum nic_progress progress = NIC_PROGRESS_AUTO;
    if (text && *text && nic_progress_parse(text, &progress))
        mpi_refuse(" in MPI_Init: " NIC_ENV_PROGRESS "=%s: the value must be one of "
                   NIC_PROGRESS_VALUES, text);
    return progress;
}

/* A list that nobody understands is the launcher's mistake, and no reason to fail. */
static const char *thread_cpus(void)
{
    uint64_t mask[NIC_CPUS_MAX / 64];
    const char *list = getenv(NIC_ENV_THREAD_CPUS);
    return list && !nic_cpus_parse(list, mask, NIC_CPUS_MAX / 64) ? list : NULL;
}

static void check_offload(void)
{
    const char *text = getenv("NICEMU_OFFLOAD");
    if (text && mpi_fw_offload_by_name(text) == FW_OFFLOAD_COUNT)
        mpi_refuse(" in MPI_Init: NICEMU_OFFLOAD is '%s': it must be none, forward, match or all",
                   text);
}

/* A second program of a rank, and there will be none of another one. */
static void nobody_comes(void)
{
    unsigned rank = 0;
    while (rank < nic_job_ranks(mpi_job) && !nic_job_has_ended(mpi_job, rank))
        rank++;
    mpi_refuse(" in MPI_Init: rank %u has ended: a rank can start another MPI program only if all "
               "ranks do", rank);
}

static void open_nic(void)
{
    check_offload();
    unsigned rank = mpi_job_rank = find_job();
    mpi_attach_wait(rank);
    mpi_fw = mpi_fw_new(mpi_req_forgotten);
    if (!mpi_fw)
        give_up("no memory for the firmware", -ENOMEM);
    mpi_fw_on_loss(mpi_fw, mpi_lost_partner);
    struct nic_config c = {
        .job = mpi_job, .rank = rank, .link = "shm", .progress = progress_wanted(),
        .program = &mpi_fw_program, .context = mpi_fw,
        .thread_cpus = thread_cpus(), .directory = mpi_join_directory(),
    };
    int rc = nic_open(&c, &mpi_nic);
    const char *why = mpi_fw_why(mpi_fw);
    unsetenv(NIC_ENV_THREAD_CPUS);
    if (rc == -EBUSY)
        give_up("this rank is open already: a rank can start only one MPI program at a time", rc);
    if (rc == -ESRCH)
        nobody_comes();
    if (rc && !why && *nic_open_error())
        refuse(nic_open_error());
    if (rc)
        give_up(why ? why : "the network interface can't be opened", rc);
    nic_on_misuse(mpi_nic, mpi_thread_misuse);
    nic_on_waiter(mpi_nic, mpi_crash_watch_thread);
    mpi_join_patrol(mpi_nic);
}

static void warn(const char *text) { fprintf(stderr, "Warning: %s\n", text); }

/* Once per job: mpirun has looked, or rank 0 does, which is on the live clock. */
static void check_variables(void)
{
    if (!getenv("MPILITE_LAUNCHED") && !mpi_job_rank)
        mpi_variables_check(environ, false, warn);
}

static void init(const char *call, int required)
{
    open_nic();
    mpi_crash_watch(mpi_job_rank);
    /* The launcher passes whole lines on: none waits in a buffer when a rank dies. */
    if (getenv("MPILITE_LAUNCHED") || mpi_joined())
        setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    check_variables();
    mpi_eager_max = mpi_fw_eager_max(mpi_fw);
    if (mpi_modelled != nic_modelled(mpi_nic))      /* else a tool's threads may be reading it */
        mpi_modelled = !mpi_modelled;
    nic_enter(mpi_nic);
    mpi_comm_init((int)nic_rank(mpi_nic), (int)nic_ranks(mpi_nic));
    if (!mpi_levels_world())
        give_up("no memory for MPI_COMM_WORLD", -ENOMEM);
    mpi_req_init();
    mpi_request_classes[FW_COLL] = &mpi_coll_request_class;
    mpi_job_numbers_init();
    mpi_thread_begin(call, required);
    nic_leave(mpi_nic);
}

/* -- who has it open */

/* Of MPI_Init alone: not called, in between, over, and before that the time in which MPI_Finalize
 * calls functions of the program.  The program orders these calls. */
enum { WORLD_ENDS = MPI_STATE_CHILD + 1 };
static int world;

static pthread_mutex_t users_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {                 /* under users_lock */
    unsigned count;
    bool sessions;              /* there has been one: close_at_exit will be called */
    bool exiting;               /* it has been */
    pid_t process;
} users;

static const struct mpi_tool_hooks *tool;       /* under users_lock; NULL: nobody has asked */

static void close_at_exit(void);

/* Under users_lock. */
static void open_library(const char *call, int required)
{
    bool closed = !mpi_nic;
    if (mpi_state == MPI_STATE_CHILD)
        mpi_state_error(call);
    if (closed) {
        init(call, required);
        mpi_world_mind_children();
    }
    if (mpi_state != MPI_STATE_INIT)    /* else other threads may be reading it */
        mpi_state_set(MPI_STATE_INIT);
    users.count++;
    if (closed && tool)
        tool->opened();
}

void mpi_library_tell(const struct mpi_tool_hooks *hooks)
{
    pthread_mutex_lock(&users_lock);
    if (!tool) {
        tool = hooks;
        if (mpi_nic)
            tool->opened();
    }
    pthread_mutex_unlock(&users_lock);
}

bool mpi_library_enter(const char *call, int required)
{
    pthread_mutex_lock(&users_lock);
    bool closed = !mpi_nic && mpi_state == MPI_STATE_FINALIZED;
    if (!closed) {
        open_library(call, required);
        if (!users.sessions)
            atexit(close_at_exit);
        users.sessions = true;
        users.process = getpid();
    }
    pthread_mutex_unlock(&users_lock);
    return !closed;
}

/* Returns the level of threads. */
static int enter_world(const char *call, int required)
{
    if (world != MPI_STATE_NONE)
        mpi_refuse(": %s was called %s", call,
                   world == MPI_STATE_INIT ? "a second time" : "after MPI_Finalize");
    pthread_mutex_lock(&users_lock);
    open_library(call, required);
    pthread_mutex_unlock(&users_lock);
    world = MPI_STATE_INIT;
    return mpi_thread_level();
}

int PMPI_Init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    enter_world("MPI_Init", MPI_THREAD_SINGLE);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Init);

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc, (void)argv;
    int level = enter_world("MPI_Init_thread", required);
    if (provided)
        *provided = level;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Init_thread);

/* -- the way out in order */

/* Until everything that this rank sent has left.  Baton held. */
void mpi_library_drain(void)
{
    struct nic_wait w = { .note = mpi_reason_finalize };
    while (!mpi_fw_quiet(mpi_fw))
        nic_wait_turn(mpi_nic, &w);
}

static void close_library(void)
{
    if (tool)
        tool->closing();
    mpi_windows_delete();
    mpi_rma_moves_end();
    nic_close(mpi_nic);
    mpi_fw_delete(mpi_fw);
    if (mpi_mem_in_job())
        nic_job_leave(mpi_job);
    else
        nic_job_close(mpi_job);
    mpi_nic = NULL;
    mpi_fw = NULL;
    mpi_job = NULL;
    mpi_join_leave();
}

/* A session that goes on may be ended by what the program has registered for its exit; else the
 * launcher should know of it, as of a missing MPI_Finalize.  A child of the process is not it.
 * Without users_lock, as another thread may wait with it for ranks that do not come. */
static void close_at_exit(void)
{
    users.exiting = true;
    if (!mpi_nic || users.process != getpid())
        return;
    if (!users.count)
        close_library();
    else if (world != MPI_STATE_INIT)
        nic_job_set_note(mpi_job, mpi_job_rank, NOTE_SESSIONS_OPEN);
}

void mpi_library_leave(void)
{
    pthread_mutex_lock(&users_lock);
    if (!--users.count) {
        nic_enter(mpi_nic);
        mpi_buffer_flush(mpi_process_buffer, "MPI_Session_finalize: buffered send");
        mpi_library_drain();
        nic_leave(mpi_nic);
        mpi_state_set(MPI_STATE_FINALIZED);
        if (users.exiting)
            close_library();
    }
    pthread_mutex_unlock(&users_lock);
}

/* Once sessions have been, more may come, until the process ends. */
static void leave_world(void)
{
    world = MPI_STATE_FINALIZED;
    pthread_mutex_lock(&users_lock);
    bool last = !--users.count;
    if (last)
        mpi_state_set(MPI_STATE_FINALIZED);
    if (last && (!users.sessions || users.exiting))
        close_library();
    pthread_mutex_unlock(&users_lock);
}

/* The program's functions, as if these communicators were freed, that of one rank first.  All are
 * called: there is no other time for what they end. */
static int delete_attributes(const char *call)
{
    struct mpi_comm *const comms[] = { &mpi_comm_self, &mpi_comm_world };
    struct mpi_attribute_error error;
    int first = MPI_SUCCESS;
    for (int i = 0; i < 2; i++)
        if (!mpi_attributes_abandon(&comms[i]->attributes, (uintptr_t)comms[i]->handle, &error)) {
            int code = mpi_attribute_raise(comms[i], call, &error);
            first = first ? first : code;
        }
    return first;
}

/* Of MPI_Finalize: the attributes are gone, with this error; and so are other ranks. */
static struct { bool begun, over; int error; } ending;

static void begin_ending(void)
{
    world = WORLD_ENDS;
    if (!ending.begun)
        ending.error = delete_attributes("MPI_Finalize");
    ending.begun = true;
}

/* All have returned from all collectives.  What has failed was told then, and under mpirun --check
 * that has told all. */
static void look_back(struct mpi_coll *x)
{
    struct mpi_coll_call one, other;
    if (!nic_job_mark(mpi_job, mpi_job_rank) && !x->class && !x->c->failed
        && mpi_coll_find_left(x->c->shm, &one, &other))
        x->class = mpi_coll_describe_mismatch(&one, &other, x->why.text, sizeof x->why.text);
}

static void meet(bool last)
{
    struct mpi_coll x;
    mpi_coll_begin(&x, "MPI_Finalize", &mpi_comm_world);
    mpi_coll_set_fingerprint(&x, MPI_COLL_FINALIZE, 0, 0);
    mpi_buffer_flush(mpi_process_buffer, "MPI_Finalize: buffered send");
    mpi_library_drain();
    ending.over = mpi_stats_barrier(&x, last, mpi_library_drain);
    look_back(&x);
    mpi_library_drain();
    mpi_coll_end(&x);
}

bool mpi_library_meet(void)
{
    if (world != MPI_STATE_INIT)
        return false;           /* as PMPI_Finalize will say */
    begin_ending();
    meet(false);
    world = MPI_STATE_INIT;
    return !ending.over;
}

int PMPI_Finalize(void)
{
    MPI_ENTER("MPI_Finalize");
    if (world != MPI_STATE_INIT)
        return mpi_err(NULL, "MPI_Finalize", MPI_ERR_OTHER, world == MPI_STATE_NONE
                       ? "MPI_Init has not been called" : "it has been called before");
    begin_ending();
    if (!ending.over)
        meet(true);
    leave_world();
    return ending.error;
}
MPI_WEAK_ALIAS(Finalize);

int PMPI_Abort(MPI_Comm comm, int errorcode)
{
    MPI_ENTER("MPI_Abort");
    struct mpi_comm *c = mpi_comm_get(comm);
    char label[MPI_LABEL_LONG];
    fprintf(stderr, "MPI_Abort(%s, %d) was called by rank %d of MPI_COMM_WORLD\n",
            mpi_label_long(c, label, sizeof label), errorcode, mpi_comm_world.rank);
    mpi_die(errorcode);
}
MPI_WEAK_ALIAS(Abort);

/* -- questions */

static int no_flag(const char *call)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the flag is NULL");
}

int PMPI_Initialized(int *flag)
{
    if (!flag)
        return no_flag("MPI_Initialized");
    *flag = world != MPI_STATE_NONE;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Initialized);

int PMPI_Finalized(int *flag)
{
    if (!flag)
        return no_flag("MPI_Finalized");
    *flag = world == MPI_STATE_FINALIZED;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Finalized);
