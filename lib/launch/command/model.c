/* The options of the model clock. */
#include "launch/command/model.h"
#include "nicemu/model.h"
#include "nicemu/profile.h"
#include "launch/base/say.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int clock_set_model(struct model *m, const char *text)
{
    m->name = text;
    m->said_name = true;
    return 0;
}

int clock_set_key(struct model *m, const char *text)
{
    m->set = need(realloc(m->set, (m->sets + 1) * sizeof *m->set));
    m->set[m->sets++] = text;
    return 0;
}

static int load(struct model *m)
{
    char error[512];

    m->profile = need(malloc(sizeof *m->profile));
    return nic_profile_load(m->name, m->set, m->sets, m->profile, error, sizeof error)
           ? say_usage("%s", error) : 0;
}

/* Ranks may be started in other directories: the path is a whole one. */
int clock_set_log(struct model *m, const char *text)
{
    char *here = *text == '/' ? NULL : getcwd(NULL, 0), *path = NULL;

    if (*text == '/')
        path = strdup(text);
    else if (here && asprintf(&path, "%s/%s", here, text) < 0)
        path = NULL;
    if (*text != '/' && !here)
        return say_usage("--model-log %s: the working directory is unknown: %s", text,
                         strerror(errno));
    free(here);
    free(m->log);
    m->log = need(path);
    return strlen(path) <= 500 ? 0 : say_usage("the path of --model-log is too long: %s", path);
}

static bool read_scale(const char *text, unsigned *thousandths)
{
    char *end;
    double scale = strtod(text, &end);

    if (end == text || *end || !isfinite(scale) || scale < 0.001 || scale > 1000)
        return false;
    *thousandths = (unsigned)(scale * 1000 + 0.5);
    return true;
}

int clock_set_compute(struct model *m, const char *text)
{
    m->said_compute = true;
    m->scale = 1000;
    if (strcmp(text, "none") == 0)
        m->compute = NIC_COMPUTE_NONE;
    else if (strcmp(text, "injected") == 0)
        m->compute = NIC_COMPUTE_INJECTED;
    else if (strcmp(text, "measured") == 0
             || (strncmp(text, "measured:", 9) == 0 && read_scale(text + 9, &m->scale)))
        m->compute = NIC_COMPUTE_MEASURED;
    else
        return say_usage("'%s' is no value for --compute: it must be none, injected, measured or "
                         "measured:SCALE with a scale from 0.001 to 1000", text);
    return 0;
}

static int set_serial(struct model *m, const char *text)
{
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        return say_usage("'%s' is no value for MPILITE_MODEL_SERIAL: it must be 0 or 1", text);
    m->serial |= text[0] == '1';
    return 0;
}

/* Options that mean nothing on the live clock. */
static bool wants_model(const struct model *m)
{
    return m->hash || m->log || m->serial || m->said_compute || m->sets || m->explain.table
           || m->explain.file;
}

int clock_read_environment(struct model *m)
{
    const char *name = getenv("MPILITE_MODEL"), *serial = getenv("MPILITE_MODEL_SERIAL"),
        *compute = getenv("MPILITE_COMPUTE");
    int rc = 0;

    if (name && *name && !m->name)
        m->name = name;
    if (!m->name && wants_model(m))
        return say_usage("--set, --model-hash, --model-log, --model-serial, --compute, --explain "
                         "and --explain-file go with --model");
    if (m->explain.file && !m->explain.most)
        m->explain.most = EXPLAIN_MOST;
    if (m->name && compute && *compute && !m->said_compute)
        rc = clock_set_compute(m, compute);
    if (!rc && m->name && serial && *serial)
        rc = set_serial(m, serial);
    rc = rc || !m->name ? rc : load(m);
    rc = rc || !m->log ? rc : try_file(m->log);
    return rc ? rc : explain_try_file(&m->explain);
}

bool clock_configure(const struct model *m, struct nic_model_config *config)
{
    *config = (struct nic_model_config){
        .profile = m->profile, .compute = (enum nic_compute)m->compute, .scale = m->scale,
        .serial = m->serial, .log = m->log, .explain = m->explain.most,
    };
    return m->profile;
}

void clock_free(struct model *m)
{
    free(m->log);
    free(m->set);
    free(m->profile);
    *m = (struct model){ 0 };
}
