/* Starting a job: one pass over all programs to check them, one to start their ranks. */
#include "launch/ranks/start.h"
#include "base/attach.h"
#include "base/crash.h"
#include "base/findings.h"
#include "base/shmem_size.h"
#include "launch/base/calls.h"
#include "launch/io/files.h"
#include "launch/ranks/job.h"
#include "launch/ranks/layout.h"
#include "nicemu/job.h"
#include "nicemu/model.h"
#include "nicemu/place.h"
#include "nicemu/sizes.h"
#include "launch/base/program.h"
#include "launch/base/say.h"
#include "launch/ranks/check.h"
#include "launch/ranks/spawn.h"
#include "launch/ranks/wrap.h"
#include "trace/region.h"

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* A program ready to be started any number of times. */
struct image {
    char *path;                 /* the job's */
    char **shell_argv;
    struct wrap wrap;
    struct vars vars;
};

enum { RANK_ROOM = 32 };

static bool is_variable(const char *var, const char *name)
{
    size_t length = strlen(name);

    return strncmp(var, name, length) == 0 && var[length] == '=';
}

/* Of a launcher around this one: by these our ranks, and what they start, would take themselves for
 * one of its own. */
static bool is_outer(const char *var)
{
    static const char *const names[] = { FAMILY_VAR, NIC_ENV_THREAD_CPUS, "PMI_FD", "PMI_JOBID",
                                         "PMI_RANK", "PMI_SIZE", "PMIX_NAMESPACE", "PMIX_RANK",
                                         TRACE_ENV_FD };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_variable(var, names[i]))
            return true;
    return false;
}

/* The job's mark comes first, where those who look for it find it soonest. */
static int make_environment(struct vars *vars, const struct job *job, const struct app *app)
{
    char number[RANK_ROOM], name[NIC_FD_NAME];
    const struct inherit *inherit = app->inherit.kind ? &app->inherit : &job->options->inherit;

    vars_set(vars, FAMILY_VAR, job->family.mark);
    for (char **var = environ; *var; var++)
        if (!is_outer(*var) && inherit_has(inherit, *var))
            vars_add(vars, (char *[]){ *var, NULL });
    vars_add(vars, job->options->vars.list);
    vars_add(vars, app->vars.list);
    vars_set(vars, "MPILITE_LAUNCHED", "1");
    snprintf(number, sizeof number, "%u", job->options->ranks);
    vars_set(vars, "MPILITE_SIZE", number);
    snprintf(number, sizeof number, "%td", app - job->options->app);
    vars_set(vars, "MPILITE_PROGRAM", number);
    nic_fd_name(nic_job_fd(job->nic), name, sizeof name);
    vars_set(vars, NIC_ENV_JOB_FD, name);
    if (job->options->debugging.attach)
        vars_set(vars, ATTACH_ENV, job->options->debugging.attach);
    nic_fd_name(job->crashes.theirs, name, sizeof name);
    vars_set(vars, CRASH_ENV_FD, name);
    int rc = traced_load(&job->traced, vars);
    return rc ? rc : check_load(vars, job->options->debugging.check, job->findings.theirs);
}

/* "sh path argument...", see struct spawn; NULL: the file is nothing for a shell. */
static char **make_shell_argv(const char *path, const char *dir, char **argv)
{
    size_t count = 0;

    if (!program_may_be_script(path, dir))
        return NULL;
    while (argv[count])
        count++;
    char **shell = need(calloc(count + 3, sizeof *shell));
    shell[0] = (char *)_PATH_BSHELL;
    shell[1] = (char *)path;
    for (size_t i = 1; i < count; i++)
        shell[i + 1] = argv[i];
    return shell;
}

static void image_free(struct image *image)
{
    free(image->shell_argv);
    wrap_free(&image->wrap);
    vars_free(&image->vars);
}

/* What is no program may be the value that somebody meant an option to have. */
static void explain_program(const struct app *app)
{
    const char *option = app->behind, *word = app->argv[0];

    if (!option || !*word || strchr(word, '/') || word[strspn(word, "0123456789.,:-kMG%")])
        return;
    if (strstr(option, "-explain"))
        say("'%s' was taken for the program: a number of messages is given as in %s=%s", word,
            option, word);
    else
        say("'%s' was taken for the program: %s takes no value", word, option);
}

/* Where a program is looked for depends on its own PATH, if it has been given one. */
static int image_find(struct image *image, const struct options *o, const struct app *app)
{
    const char *path = vars_get(&app->vars, "PATH");

    path = path ? path : vars_get(&o->vars, "PATH");
    path = path ? path : getenv("PATH");
    int rc = program_find(app->argv[0], app->dir, path, &image->path);
    if (rc)
        explain_program(app);
    return rc ? rc : wrap_make(&image->wrap, o, app, image->path, path);
}

/* Each rank takes two pipes while it starts and one end of each
 * for its life, one more if input is pumped, and one for each file. */
static int raise_file_limit(const struct job *job, struct rlimit *before)
{
    unsigned long each = 2 + (job->options->stdin_rank == STDIN_ALL)
        + files_each(&job->options->style);
    rlim_t wanted = job->options->ranks * each + 64;

    if (getrlimit(RLIMIT_NOFILE, before) < 0 || before->rlim_cur >= wanted)
        return 0;
    struct rlimit raised = { .rlim_cur = wanted, .rlim_max = before->rlim_max };
    if (wanted <= before->rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0)
        return 0;
    say("%u ranks need %lu open files; the limit is %lu (see ulimit -n)", job->options->ranks,
        (unsigned long)wanted,
        (unsigned long)before->rlim_max);
    return 1;
}

static int fail(const char *what, const char *call, int error)
{
    say("%s: %s: %s", what, call, strerror(-error));
    return 1;
}

/* SHMEM's symmetric heap is a block of the heap, which is to have room for more than that: for what
 * MPI_Alloc_mem hands out. */
static size_t heap_for_shmem(void)
{
    enum { BESIDE = 256 << 20 };
    uint64_t bytes;

    if (!mpi_shmem_size_parse(mpi_shmem_variable(MPI_SHMEM_SIZE_VARIABLE), &bytes)
        || bytes <= MPI_SHMEM_SIZE_DEFAULT)
        return 0;
    return (size_t)bytes + BESIDE;
}

/* What all ranks share; released in main. */
static int open_shared(struct job *job, struct spawn *spawn, unsigned cores)
{
    const struct options *o = job->options;
    struct nic_job_config config = o->memory;
    struct nic_model_config model;
    char why[200];
    int failures[2], rc;

    config.ranks = o->ranks;
    config.cores = cores;
    config.heap_least = heap_for_shmem();
    if (clock_configure(&o->model, &model))
        config.model = &model;
    if (config.model && nic_model_fits(model.profile, o->ranks, why, sizeof why) < 0)
        return say_usage("%s", why);
    if ((rc = nic_job_create(&config, &job->nic)) < 0)
        return fail("cannot create the job's shared memory", nic_job_step(), rc);
    if (o->memory.heap && o->memory.heap != NIC_HEAP_OFF
        && nic_job_heap_bytes(job->nic) + 4096 <= o->memory.heap && !o->quiet)
        say("warning: there is room for a heap of %zu bytes per rank only (see ulimit -v and "
            "ulimit -f)", nic_job_heap_bytes(job->nic));
    if ((rc = input_open(&job->input, o->stdin_rank, o->ranks)) < 0)
        return fail("cannot read nothing", "/dev/null", rc);
    rc = output_open(&job->output, o->ranks, &o->style, job->input.terminal ? o->stdin_rank : -1);
    if (rc)
        return rc > 0 ? rc : fail("cannot watch the ranks' output", call_noted(), rc);
    if (pipe2(failures, O_CLOEXEC | O_NONBLOCK) < 0)
        return fail("cannot open a pipe", "pipe2", -errno);
    job->failures = failures[0];
    spawn->failures = failures[1];
    if ((rc = crashes_open(&job->crashes, o->ranks)) < 0)
        return fail("cannot open a pipe", call_noted(), rc);
    if ((rc = findings_open(&job->findings, o->ranks)) < 0)
        return fail("cannot open a pipe", call_noted(), rc);
    if (tracing_wanted(&o->tracing)
        && (rc = traced_open(&job->traced, o->ranks, o->model.profile != NULL)) < 0)
        return fail("cannot take memory for --trace and --report", "memfd_create", rc);
    family_begin(&job->family);
    return 0;
}

/* Before any rank can touch it.  It is a wish: where the kernel does not hear it, memory comes from
 * where it comes. */
static void place_memory(const struct job *job, const struct layout *layout)
{
    struct place place;

    if (!layout->bound || layout->machine.nodes < 2)
        return;
    for (unsigned rank = 0; rank < job->options->ranks; rank++) {
        plan_rank(&layout->plan, rank, &place);
        if (place.node >= 0 && nic_job_prefer_node(job->nic, rank, (unsigned)place.node) < 0)
            return;
    }
}

/* So that each rank knows where all of them sit. */
static void tell_seats(const struct job *job, const struct layout *layout)
{
    static const enum level levels[NIC_SEAT_LEVELS] = {
        [NIC_SEAT_SOCKET] = LEVEL_SOCKET, [NIC_SEAT_NODE] = LEVEL_NUMA,
        [NIC_SEAT_L3] = LEVEL_L3CACHE, [NIC_SEAT_L2] = LEVEL_L2CACHE, [NIC_SEAT_CORE] = LEVEL_CORE,
    };
    const struct plan *plan = layout_seats(layout, job->options);

    for (unsigned rank = 0; plan && rank < job->options->ranks; rank++) {
        const struct hwthread *thread = &plan->machine->thread[plan->seat[rank]];
        struct nic_seat seat;
        for (unsigned i = 0; i < NIC_SEAT_LEVELS; i++)
            seat.in[i] = (uint16_t)thread->in[levels[i]];
        nic_job_set_seat(job->nic, rank, &seat);
    }
}

static void close_ends(const int ends[2], int in, bool owned)
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    if (owned && in >= 0)
        close(in);
}

static int start_rank(struct job *job, struct spawn *spawn)
{
    int ends[2] = { -1, -1 };
    bool owned = false;
    pid_t pid = output_connect(&job->output, spawn->rank, ends);

    if (pid == 0)
        pid = input_connect(&job->input, spawn->rank, &spawn->in, &owned);
    spawn->out = ends[0];
    spawn->err = ends[1];
    if (pid == 0)
        pid = spawn_rank(spawn);
    close_ends(ends, spawn->in, owned);
    if (pid < 0) {
        say("cannot start rank %u: %s: %s", spawn->rank, call_noted(), strerror(-pid));
        return 1;
    }
    job->rank[spawn->rank].pid = pid;
    job->rank[spawn->rank].running = true;
    job->running++;
    return 0;
}

static void say_started(const struct job *job, const struct spawn *spawn)
{
    char cores[128] = "";

    if (spawn->cores)
        cores_print(spawn->cores, cores, sizeof cores);
    say("rank %u: pid %ld, %s%s, %s", spawn->rank, (long)job->rank[spawn->rank].pid,
        spawn->cores ? "bound to cores " : "not bound", cores, spawn->path);
}

/* What differs from rank to rank. */
static void set_rank(struct spawn *spawn, struct vars *vars, const struct layout *layout,
                     struct place *place)
{
    static char list[CORES_TEXT];
    char rank[RANK_ROOM];

    snprintf(rank, sizeof rank, "%u", spawn->rank);
    vars_set(vars, NIC_ENV_RANK, rank);
    spawn->cores = NULL;
    if (layout->bound) {
        plan_rank(&layout->plan, spawn->rank, place);
        spawn->cores = &place->host;
        cores_print(&place->nic, list, sizeof list);
        vars_set(vars, NIC_ENV_THREAD_CPUS, list);
    }
    spawn->envp = vars->list;
}

static void set_program(struct spawn *spawn, const struct options *o, const struct app *app,
                        const struct image *image)
{
    bool wrapped = image->wrap.path
                   && debugging_wraps(&o->debugging, spawn->rank, o->stdin_rank);

    spawn->path = wrapped ? image->wrap.path : image->path;
    spawn->argv = wrapped ? image->wrap.argv : app->argv;
}

/* Starts the ranks of one program, from spawn->rank on. */
static int start_app(struct job *job, struct spawn *spawn, const struct app *app,
                     struct image *image, const struct layout *layout)
{
    struct place place;
    int rc = 0;

    spawn->dir = app->dir;
    spawn->shell_argv = image->shell_argv;
    for (unsigned i = 0; i < app->ranks && !rc; i++, spawn->rank++) {
        set_rank(spawn, &image->vars, layout, &place);
        set_program(spawn, job->options, app, image);
        rc = start_rank(job, spawn);
        if (!rc && job->options->verbose)
            say_started(job, spawn);
    }
    return rc;
}

static int start_images(struct job *job, struct spawn *spawn, struct image *images,
                        const struct layout *layout)
{
    const struct options *o = job->options;
    int rc = 0;

    for (unsigned i = 0; i < o->apps && !rc; i++) {
        rc = make_environment(&images[i].vars, job, &o->app[i]);
        if (rc)
            return rc;
        images[i].shell_argv = make_shell_argv(images[i].path, o->app[i].dir, o->app[i].argv);
        rc = start_app(job, spawn, &o->app[i], &images[i], layout);
    }
    return rc;
}

int start_job(struct job *job, const struct before *before, const struct layout *layout)
{
    const struct options *o = job->options;
    struct image *images = need(calloc(o->apps, sizeof *images));
    struct spawn spawn = { .failures = -1, .low = { -1, -1, -1 },
                           .signal_mask = before->signal_mask,
                           .pipe_action = before->pipe_action };
    int rc = 0;

    /* Ranks that take turns on cores do so faster in one group, where a wake-up does not wait for
     * other groups' turns. */
    spawn.own_session = o->ranks <= layout->cores;
    job->rank = need(calloc(o->ranks, sizeof *job->rank));
    job->path = need(calloc(o->apps, sizeof *job->path));
    for (unsigned i = 0; i < o->apps && !rc; i++) {
        rc = image_find(&images[i], o, &o->app[i]);
        job->path[i] = images[i].path;
    }
    if (!rc)
        rc = raise_file_limit(job, &spawn.files);
    if (!rc)
        rc = open_shared(job, &spawn, layout->cores);
    if (!rc) {
        place_memory(job, layout);
        tell_seats(job, layout);
        spawn_begin(&spawn);
        rc = start_images(job, &spawn, images, layout);
    }
    spawn_end(&spawn);
    if (spawn.failures >= 0)
        close(spawn.failures);
    for (unsigned i = 0; i < o->apps; i++)
        image_free(&images[i]);
    free(images);
    return rc;
}
