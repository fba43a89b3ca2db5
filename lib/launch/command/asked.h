/* What is asked for on the command line. */
#ifndef LAUNCH_ASKED_H
#define LAUNCH_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "launch/command/debugging.h"
#include "launch/command/looks.h"
#include "launch/command/model.h"
#include "launch/command/tracing.h"
#include "launch/io/input.h"
#include "launch/io/style.h"
#include "nicemu/job.h"
#include "launch/where/hosts.h"
#include "launch/where/cpulists.h"
#include "launch/where/place.h"
#include "launch/where/rankfile.h"
#include "launch/base/vars.h"

/* One program of the job: a part of the command line between two ":". */
struct app {
    unsigned ranks, per_node;   /* 0: not said */
    char **argv;                /* ends with NULL; in the argument vector of main */
    const char *dir;            /* working directory, or NULL */
    struct vars vars;           /* environment of this program alone */
    struct inherit inherit;
    const char *behind;         /* the option in front of the program, if it takes no value */
};

struct options {
    struct app *app;
    unsigned apps, ranks;       /* ranks of all programs together */
    struct vars vars;           /* environment of all programs */
    struct inherit inherit;
    struct looks looks;
    struct output_style style;
    struct policy policy;
    struct model model;
    struct debugging debugging;
    struct tracing tracing;
    struct hosts hosts;         /* that were named */
    struct rankfile rankfile;
    struct cpulists cpulists;
    struct cores *cpus;         /* --cpu-set; NULL: not said */
    const char *topology;       /* another machine than this one, to draw the map of; or NULL */
    struct nic_job_config memory;       /* sizes of the job's memory; the rest of it is not used */
    int64_t timeout_ns;         /* 0: none */
    int64_t grace_ns;           /* from a signal to the next, stronger one */
    long stdin_rank;            /* or STDIN_ALL, STDIN_NONE */
    uint32_t said;              /* bits of enum placement_id that were on the command line */
    bool quiet, verbose, watch_standstill, report_bindings, dry_run;
    bool hwthreads, print_ranks, print_hosts, print_codes;
    bool check_finalize;        /* a rank that calls MPI_Init must call MPI_Finalize */
    char **words, *text;        /* owned: a file of programs, or NULL */
};

#endif
