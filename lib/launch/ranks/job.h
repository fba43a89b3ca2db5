/* The job as the launcher sees it: its ranks, how they ended, and why the job is being ended. */
#ifndef LAUNCH_JOB_H
#define LAUNCH_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "launch/ranks/crashes.h"
#include "launch/ranks/family.h"
#include "launch/ranks/findings.h"
#include "launch/ranks/traced.h"
#include "launch/io/input.h"
#include "launch/command/options.h"
#include "launch/io/output.h"

struct nic_job;

struct rank {
    pid_t pid;                  /* 0: not started */
    int status;                 /* as of waitpid, when ended */
    bool running;
    bool without_nic;           /* it ended by itself and never opened its NIC */
    bool ended_by_us;           /* by a signal that the launcher sent to end the job */
    int start_error;            /* errno if the program could not be started */
    char start_step;            /* as of struct spawn_failure */
    uint32_t idle;              /* of its NIC's thread, when it first looked as if it stood still */
};

/* A library of another MPI that ranks have loaded while they ran. */
struct loaded {
    int64_t begin_ns;
    int64_t look_ns;            /* when to look next; 0: never */
    unsigned app;               /* whose ranks, if `name` is not empty */
    char name[128];
};

/* Why a job fails.  Only the first cause counts; the rest follows from it. */
enum cause_kind {
    CAUSE_NONE,
    CAUSE_EXIT,                 /* a rank ended with exit code `code` */
    CAUSE_KILLED,               /* a rank was killed by signal `code` */
    CAUSE_UNFINISHED,           /* a rank ended with code 0 and its NIC open */
    CAUSE_NOT_STARTED,          /* a rank could not be started: errno `code` */
    CAUSE_ABORTED,              /* a rank ended the job with exit code `code` */
    CAUSE_STANDSTILL,           /* all ranks wait but `code` of them, which have ended */
    CAUSE_TIMEOUT,
    CAUSE_OUTPUT,               /* output cannot be written */
    /* a system call that the launcher cannot do without fails: errno `code`, see call_noted */
    CAUSE_REFUSED,
    CAUSE_INTERRUPTED,          /* the launcher got signal `code` */
};

struct cause {
    enum cause_kind kind;
    unsigned rank;
    int code;
    char *text;                 /* owned: where the ranks stood; NULL: nothing to say */
};

struct job {
    const struct options *options;
    struct nic_job *nic;
    struct rank *rank;
    char **path;                /* of each program, as it was found */
    unsigned running;           /* ranks that have not ended */
    struct cause cause;
    /* the ranks can no longer be served: they die with the launcher at the latest */
    bool helpless;
    int sent;                   /* the last signal sent to end the job, 0: none */
    int64_t escalate_ns;        /* when the next, stronger one follows */
    int64_t deadline_ns;        /* --timeout; 0: none */
    int64_t look_ns;            /* when to look for a standstill next */
    uint64_t still[2];          /* the last answers of nic_job_standstill */
    uint64_t nudged;            /* nic_job_progress when all ranks were made to look once more */
    int64_t stands_ns;          /* model clock: when the standstill was first seen; 0: not yet */
    struct loaded loaded;
    int failures;               /* pipe with struct spawn_failure; -1: none */
    struct crashes crashes;
    struct findings findings;
    struct family family;
    struct traced traced;       /* if --trace or --report asks for it */
    struct input input;
    struct output output;
};

#endif
