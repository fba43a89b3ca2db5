/* The model clock on mpirun's command line. */
#ifndef LAUNCH_MODEL_H
#define LAUNCH_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "launch/command/explanation.h"

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
    bool said_name;             /* on the command line, not by the variable */
    struct explain explain;
};

/* Each returns 0 or an exit code. */
int clock_set_model(struct model *model, const char *text);
int clock_set_key(struct model *model, const char *text);
int clock_set_log(struct model *model, const char *text);
int clock_set_compute(struct model *model, const char *text);
/* MPILITE_MODEL, MPILITE_MODEL_SERIAL and MPILITE_COMPUTE where the command line says nothing;
 * checks that all of it makes sense together. */
int clock_read_environment(struct model *model);

/* False: the live clock. */
bool clock_configure(const struct model *model, struct nic_model_config *config);

void clock_free(struct model *model);

#endif
