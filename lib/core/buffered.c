/* Buffered sends.  A message is copied into the attached buffer as one area [header | data]; areas
 * are kept in address order and given back when the send is done.  In an automatic buffer each has
 * memory of its own. */
#include "core/buffered.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/request_free.h"
#include "core/session.h"
#include "core/tuning.h"
#include "core/type_data.h"
#include "core/wait_reason.h"

/* At the start of each area; at most MPI_BSEND_OVERHEAD bytes, which is what programs add for
 * each message. */
struct area {
    struct mpi_portion portion;     /* of its send */
    struct mpi_buffer *buffer;
    struct area *next;
    size_t bytes;
    uint64_t number;
};
enum { ALIGN = 16, HEADER = (sizeof(struct area) + ALIGN - 1) / ALIGN * ALIGN };
_Static_assert(HEADER + 2 * ALIGN <= MPI_BSEND_OVERHEAD, "what programs count with");

/* A request for the end of all areas that there were when it was made. */
struct flush { struct mpi_own own; struct flush *next; uint64_t last; size_t open; };

/* Owner: baton. */
struct mpi_buffer {
    void *base;
    size_t bytes;
    unsigned users;                 /* its place, and threads that wait for something in it */
    bool automatic;
    bool detached;                  /* its memory is the program's again */
    struct area *first;
    uint64_t number;                /* of the last area */
    struct flush *flushes;
};

struct mpi_buffer *mpi_process_buffer;

/* A user less: the last one frees it. */
static void drop(struct mpi_buffer *b)
{
    if (!--b->users)
        free(b);
}

/* -- areas */

static char *up(char *p)
{
    return (char *)(((uintptr_t)p + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
}

static struct area *area_at(struct mpi_buffer *b, void *at, struct area **link, size_t bytes)
{
    struct area *a = at;
    *a = (struct area){ .buffer = b, .next = *link, .bytes = HEADER + bytes,
                        .number = ++b->number };
    *link = a;
    return a;
}

/* First gap of the size; NULL: none. */
static struct area *area_new(struct mpi_buffer *b, size_t bytes)
{
    char *at = up(b->base), *end = (char *)b->base + b->bytes;
    struct area **link = &b->first;
    for (;; link = &(*link)->next) {
        char *limit = *link ? (char *)*link : end;
        if (at <= limit && (size_t)(limit - at) >= HEADER + bytes)
            return area_at(b, at, link, bytes);
        if (!*link)
            return NULL;
        at = up((char *)*link + (*link)->bytes);
    }
}

static struct area *area_of_its_own(struct mpi_buffer *b, size_t bytes)
{
    void *memory = malloc(HEADER + bytes);
    return memory ? area_at(b, memory, &b->first, bytes) : NULL;
}

static void area_delete(struct area *a)
{
    struct mpi_buffer *b = a->buffer;
    struct area **link = &b->first;
    while (*link != a)
        link = &(*link)->next;
    *link = a->next;
    if (b->automatic)
        free(a);
}

/* A message that has been received gives its room back when its sender's NIC has heard so: what is
 * on its way to us, or in the hands of the NIC's thread, must not make this an error.  On the model
 * clock all that has happened has arrived.  Another thread may detach the buffer meanwhile. */
static struct area *area_wait(struct mpi_buffer *b, size_t bytes)
{
    struct area *a = area_new(b, bytes);
    b->users++;
    for (unsigned idle = 0; !a && b->first && idle < MPI_BUFFER_PATIENCE;) {
        if (!nic_step(mpi_nic)) {
            idle += mpi_modelled ? MPI_BUFFER_PATIENCE : 1;
            nic_leave(mpi_nic);
            sched_yield();
            nic_enter(mpi_nic);
        }
        a = b->detached ? NULL : area_new(b, bytes);
    }
    drop(b);
    return a;
}

/* The one of the communicator, of its session, of the process; NULL: none of them has one. */
static struct mpi_buffer *buffer_for(const struct mpi_comm *c)
{
    struct mpi_buffer *b = c->buffer;
    if (!b && c->session)
        b = mpi_session_buffer(c->session);
    return b ? b : mpi_process_buffer;
}

/* -- sending */

static void flush_on(struct mpi_buffer *b, uint64_t number);

static void sent(struct mpi_portion *portion, const struct fw_req *r, int class,
                 const struct mpi_why *why)
{
    struct area *a = (struct area *)portion;
    struct mpi_buffer *b = a->buffer;
    uint64_t number = a->number;
    (void)r, (void)class, (void)why;
    area_delete(a);
    flush_on(b, number);
}

static bool send_area(struct area *a, struct mpi_comm *c, size_t bytes, int dest, int tag)
{
    static const struct mpi_type packed = {
        .size = 1, .extent = 1, .contiguous = true, .committed = true, .name = "packed",
    };
    struct fw_req *r = mpi_req_send(c, (char *)a + HEADER, bytes, &packed, dest, tag,
                                    MPI_SEND_FIRM);
    if (!r)
        return false;
    a->portion.ended = sent;
    r->host.held = true;    /* a communicator's buffer stays as long as it is in use */
    mpi_comm_hold(c);
    mpi_req_make_portion(r, &a->portion);
    return true;
}

/* Baton held. */
static int send_copy(struct mpi_buffer *b, struct mpi_comm *c, const void *buf, size_t count,
                     const struct mpi_type *t, int dest, int tag)
{
    size_t bytes = count * t->size;
    bool automatic = b->automatic;
    struct area *a = automatic ? area_of_its_own(b, bytes) : area_wait(b, bytes);
    if (!a)
        return automatic ? MPI_ERR_NO_MEM : MPI_ERR_BUFFER;
    if (bytes)
        mpi_type_pack(t, buf, count, (char *)a + HEADER);
    mpi_type_charge(t, bytes);
    if (send_area(a, c, bytes, dest, tag))
        return MPI_SUCCESS;
    area_delete(a);
    return MPI_ERR_NO_MEM;
}

int mpi_buffered_send(struct mpi_comm *c, const void *buf, size_t count, const struct mpi_type *t,
                      int dest, int tag)
{
    nic_enter(mpi_nic);
    struct mpi_buffer *b = buffer_for(c);
    if (b && b->first)
        nic_step(mpi_nic);
    int rc = b ? send_copy(b, c, buf, count, t, dest, tag) : MPI_ERR_BUFFER;
    nic_leave(mpi_nic);
    return rc;
}

/* -- waiting for what is in a buffer */

struct waiting { const char *call; struct mpi_buffer *buffer; };

static const char *reason(void *argument, char *text, size_t size)
{
    const struct waiting *w = argument;
    struct mpi_reason_call r = { w->call, w->buffer->first ? w->buffer->first->portion.req : NULL };
    return r.req ? mpi_reason_call(&r, text, size) : w->call;
}

static bool has_before(const struct mpi_buffer *b, uint64_t last)
{
    const struct area *a = b->first;
    while (a && a->number > last)
        a = a->next;
    return a;
}

void mpi_buffer_flush(struct mpi_buffer *b, const char *call)
{
    struct waiting waiting = { call, b };
    struct nic_wait w = { .note = reason, .argument = &waiting };
    if (!b)
        return;
    b->users++;
    for (uint64_t last = b->number; has_before(b, last);)
        nic_wait_turn(mpi_nic, &w);
    drop(b);
}

/* An area is over: the requests that waited for it too, and for no other any more, are done. */
static void flush_on(struct mpi_buffer *b, uint64_t number)
{
    for (struct flush **link = &b->flushes; *link;) {
        struct flush *f = *link;
        if (number > f->last || --f->open) {
            link = &f->next;
            continue;
        }
        *link = f->next;
        mpi_own_done(&f->own);
    }
}

static int flush_end(struct mpi_own *o, enum mpi_own_end how, MPI_Status *status,
                     struct mpi_why *why)
{
    (void)how, (void)status, (void)why;
    free(o);
    return MPI_SUCCESS;
}

static void flush_describe(const struct mpi_own *o, const char *of, char *text, size_t size)
{
    const struct flush *f = (const struct flush *)o;
    (void)of;
    snprintf(text, size, "flush(%zu buffered message%s)", f->open, f->open == 1 ? "" : "s");
}

static const struct mpi_own_class flush_class = { .end = flush_end, .describe = flush_describe };

/* Baton held. */
static bool iflush(struct mpi_buffer *b, struct mpi_comm *c, struct flush *f, MPI_Request *request)
{
    struct fw_req *r = mpi_req_new_own(c, &f->own);
    if (!r)
        return false;
    *request = mpi_req_keep(r);
    for (const struct area *a = b ? b->first : NULL; a; a = a->next)
        f->open++;
    if (!f->open) {
        mpi_own_done(&f->own);
        return true;
    }
    f->last = b->number;
    f->next = b->flushes;
    b->flushes = f;
    return true;
}

bool mpi_buffer_iflush(struct mpi_buffer **place, struct mpi_comm *c, MPI_Request *request)
{
    struct flush *f = malloc(sizeof *f);
    if (!f)
        return false;
    *f = (struct flush){ .own.class = &flush_class };
    nic_enter(mpi_nic);
    bool begun = iflush(*place, c, f, request);
    nic_leave(mpi_nic);
    if (!begun)
        free(f);
    return begun;
}

/* -- life */

static bool attach(struct mpi_buffer **place, struct mpi_buffer *b, size_t *attached)
{
    nic_enter(mpi_nic);
    struct mpi_buffer *other = *place;
    if (other)
        *attached = other->bytes;
    else
        *place = b;
    nic_leave(mpi_nic);
    return !other;
}

int mpi_buffer_attach(struct mpi_buffer **place, void *buffer, size_t bytes, size_t *attached)
{
    struct mpi_buffer *b = malloc(sizeof *b);
    if (!b)
        return MPI_ERR_NO_MEM;
    *b = (struct mpi_buffer){ .base = buffer, .bytes = bytes, .users = 1,
                              .automatic = buffer == MPI_BUFFER_AUTOMATIC };
    if (attach(place, b, attached))
        return MPI_SUCCESS;
    free(b);
    return MPI_ERR_BUFFER;
}

/* Baton held.  Another thread may be quicker, and is the one that gets it then. */
static void *detach(struct mpi_buffer **place, struct mpi_buffer *b, const char *call,
                    size_t *bytes)
{
    void *base = NULL;
    b->users++;
    while (b->first)
        mpi_buffer_flush(b, call);
    if (!b->detached) {
        base = b->base;
        *bytes = b->bytes;
        b->detached = true;
        *place = NULL;
        b->users--;
    }
    drop(b);
    return base;
}

void *mpi_buffer_detach(struct mpi_buffer **place, const char *call, size_t *bytes)
{
    *bytes = 0;
    nic_enter(mpi_nic);
    void *base = *place ? detach(place, *place, call, bytes) : NULL;
    nic_leave(mpi_nic);
    return base;
}
