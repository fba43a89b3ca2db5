/* Handlers of the control program: which there are, and what is said where one is missing. */
#include "core/program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static _Thread_local char error[256];

const char *nic_open_error(void) { return error; }

void nic_open_failed(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error, sizeof error, format, args);
    va_end(args);
}

static const char *name_of(const struct nic_program *p) { return p->name ? p->name : "?"; }

_Noreturn static void missing(struct nic *n, const char *handler, const char *need)
{
    fprintf(stderr, "nicemu: rank %u: control program '%s' has no handler '%s', which %s\n",
            n->rank,
            name_of(n->program), handler, need);
    nic_job_set_abort(n->job, n->rank, 1);
    _exit(1);
}

static void no_landed(struct nic *n, void *context, void *cookie)
{
    (void)context, (void)cookie;
    missing(n, "landed", "nic_receive_body with a cookie needs");
}

static void no_command(struct nic *n, void *context, const struct nic_command *command)
{
    (void)context, (void)command;
    missing(n, "command", "nic_submit, nic_later, nic_tell_host and nic_timer need");
}

static bool no_advance(struct nic *n, void *context)
{
    (void)context;
    missing(n, "advance", "nic_hold_polling needs");
}

int nic_program_bind(struct nic *n, const struct nic_program *p)
{
    if (!p->packet) {
        nic_open_failed("control program '%s' has no handler 'packet'", name_of(p));
        return -EINVAL;
    }
    n->bound = *p;
    if (!p->landed)
        n->bound.landed = no_landed;
    if (!p->command)
        n->bound.command = no_command;
    if (!p->advance)
        n->bound.advance = no_advance;
    n->program = &n->bound;
    return 0;
}
