/* The command line of mpirun. */
#ifndef LAUNCH_OPTIONS_H
#define LAUNCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "launch/command/model.h"
#include "launch/io/input.h"
#include "nicemu/job.h"
#include "launch/where/hosts.h"
#include "launch/where/place.h"
#include "launch/base/vars.h"

/* One program of the job: a part of the command line between two ":". */
struct app {
    unsigned ranks, per_node;   /* 0: not said */
    char **argv;                /* ends with NULL; in the argument vector of main */
    const char *dir;            /* working directory, or NULL */
    struct vars vars;           /* environment of this program alone */
};

struct options {
    struct app *app;
    unsigned apps, ranks;       /* ranks of all programs together */
    struct vars vars;           /* environment of all programs */
    struct policy policy;
    struct model model;
    struct hosts hosts;         /* that were named */
    struct cores *cpus;         /* --cpu-set; NULL: not said */
    const char *topology;       /* another machine than this one, to draw the map of; or NULL */
    struct nic_job_config memory;       /* sizes of the job's memory; the rest of it is not used */
    int64_t timeout_ns;         /* 0: none */
    int64_t grace_ns;           /* from a signal to the next, stronger one */
    long stdin_rank;            /* or STDIN_ALL, STDIN_NONE */
    uint32_t said;              /* bits of placement options that were on the command line */
    bool tag, quiet, verbose, watch_standstill, report_bindings, dry_run;
    bool check_finalize;        /* a rank that calls MPI_Init must call MPI_Finalize */
};

/* Reads the command line, and the environment for what that does not say of placement.  Returns -1
 * to go on, or the exit code if all is said already (help, version, a wrong argument).  Changes
 * argv. */
int options_parse(struct options *options, char **argv);

/* A program without a number of ranks gets `ranks` if it is
 * the only one, else 1.  0, or an exit code. */
int options_count_ranks(struct options *options, unsigned ranks);

void options_free(struct options *options);

#endif
