/* The model clock on mpirun's command line, and what it has to say at the end of a job. */
#ifndef LAUNCH_CLOCK_H
#define LAUNCH_CLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "launch/explain.h"

struct job;
struct nic_model_config;

struct nic_profile;

struct model {
    const char *name;           /* of the profile, or its file; NULL: the live clock */
    const char **set;           /* --set, in order; owned, its strings are not */
    size_t sets;
    struct nic_profile *profile;        /* owned; read when the command line is */
    char *log;                  /* owned, a whole path; NULL: none */
    unsigned compute, scale;    /* as in struct nic_model_config */
    bool hash, serial, said_compute;
    struct explain explain;
};

/* Each returns 0 or an exit code. */
int clock_set_model(struct model *model, const char *text);
int clock_set_key(struct model *model, const char *text);
int clock_set_log(struct model *model, const char *text);
int clock_set_compute(struct model *model, const char *text);
/* MPILITE_MODEL, MPILITE_MODEL_SERIAL and MPILITE_COMPUTE where the command line says nothing; checks that all of it makes sense together. */
int clock_read_environment(struct model *model);

/* False: the live clock. */
bool clock_configure(const struct model *model, struct nic_model_config *config);

/* The logs are merged, the hash is printed, messages are explained.  False: a file could not be written. */
bool clock_report(const struct job *job);

void clock_free(struct model *model);

#endif
