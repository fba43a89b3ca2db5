/* Partitioned communication as MPI sees it: the request, its rounds, its life. */
#include "core/partitioned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/derived.h"
#include "core/err.h"
#include "core/status.h"
#include "core/stream.h"
#include "core/type_data.h"

static uint64_t last_number;        /* owner: baton */

/* -- rounds */

static int end_round(struct mpi_own *o, enum mpi_own_end how, MPI_Status *status,
                     struct mpi_why *why)
{
    struct mpi_stream *s = (struct mpi_stream *)((char *)o - offsetof(struct mpi_stream, own));
    int class = s->class;
    if (how == MPI_OWN_COMPLETED && !class && !s->a.sends)
        mpi_type_charge(s->a.type, s->stream_bytes);
    o->class->look(o, status, why);
    if (class)
        snprintf(why->text, sizeof why->text, "%s", s->why);
    s->active = false;
    mpi_stream_drop(s);
    return class;
}

static int look(struct mpi_own *o, MPI_Status *status, struct mpi_why *why)
{
    struct mpi_stream *s = (struct mpi_stream *)((char *)o - offsetof(struct mpi_stream, own));
    (void)why;
    if (!s->a.sends && s->a.peer == MPI_PROC_NULL)
        mpi_status_set_proc_null(status);
    else if (!s->a.sends)
        mpi_status_set(status, s->a.peer, s->a.tag, (int64_t)s->stream_bytes);
    return MPI_SUCCESS;
}

static void describe(const struct mpi_own *o, const char *of, char *text, size_t size)
{
    const struct mpi_stream *s =
        (const struct mpi_stream *)((const char *)o - offsetof(struct mpi_stream, own));
    int there = 0;
    for (int i = 0; i < s->a.partitions; i++)
        there += s->a.sends ? s->ready[i] : mpi_stream_arrived(s, i);
    snprintf(text, size, "partitioned %s(%s %d, tag %d, %d of %d partitions %s, %s)",
             s->a.sends ? "send" : "receive", s->a.sends ? "destination" : "source", s->a.peer,
             s->a.tag, there, s->a.partitions, s->a.sends ? "ready" : "there", of);
}

static const struct mpi_own_class round_class = {
    .end = end_round, .look = look, .describe = describe,
};

/* Baton held.  False: no memory. */
static bool begin_round(struct mpi_stream *s)
{
    struct fw_req *r = mpi_req_new_own(s->a.c, &s->own);
    if (!r)
        return false;
    s->p.active = r;
    s->active = true;
    s->class = 0;
    s->users++;
    s->open = s->messages ? s->messages : 1;
    if (s->a.peer == MPI_PROC_NULL) {
        memset(s->ready, 0, (size_t)s->a.partitions * sizeof *s->ready);
        s->open = 0;
        mpi_stream_round_over(s);
    } else if (s->a.sends) {
        mpi_stream_start_sender(s);
    } else if (s->opened) {
        mpi_stream_start_receiver(s);
    }
    return true;
}

static int start(const char *call, struct mpi_persistent *p)
{
    nic_enter(mpi_nic);
    bool begun = begin_round((struct mpi_stream *)p);
    nic_leave(mpi_nic);
    if (begun)
        return MPI_SUCCESS;
    return mpi_err(p->comm, call, MPI_ERR_NO_MEM, "no memory for a request");
}

/* The two ends meet in the order in which they were made: where one is freed before its other end
 * has come, that still finds it, and not the next one of the same rank and tag. */
static void end(struct mpi_persistent *p) { mpi_stream_drop((struct mpi_stream *)p); }

static const struct mpi_persistent_class class = { .start = start, .end = end };

/* -- life */

static bool open_stream(struct mpi_stream *s)
{
    if (s->a.peer == MPI_PROC_NULL)
        return (s->ready = calloc((size_t)s->a.partitions + 1, sizeof *s->ready));
    if (!s->a.sends)
        return mpi_stream_open_receiver(s);
    return mpi_stream_open_sender(s);
}

struct mpi_persistent *mpi_stream_new(const struct mpi_stream_args *args)
{
    struct mpi_stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->a = *args;
    s->bytes = args->count * args->type->size;
    s->users = 1;
    s->own.class = &round_class;
    mpi_type_hold(args->type);
    nic_enter(mpi_nic);
    s->number = ++last_number;
    bool begun = mpi_persistent_begin(&s->p, &class, args->c);
    if (begun && !open_stream(s)) {
        mpi_handle_free((uintptr_t)s->p.handle);
        mpi_comm_drop(args->c);
        begun = false;
    }
    if (!begun)
        mpi_stream_drop(s);
    nic_leave(mpi_nic);
    return begun ? &s->p : NULL;
}

struct mpi_stream *mpi_stream_of(const struct mpi_persistent *p)
{
    return p && p->class == &class ? (struct mpi_stream *)p : NULL;
}

bool mpi_stream_sends(const struct mpi_stream *s) { return s->a.sends; }
int mpi_stream_partitions(const struct mpi_stream *s) { return s->a.partitions; }
struct mpi_comm *mpi_stream_comm(const struct mpi_stream *s) { return s->a.c; }
