/* Buffered sends.  A message is copied into the attached buffer as one area [header | data]; areas
 * are kept in address order and given back when the send is done, which is looked for when room is
 * needed. */
#include "core/buffered.h"

#include <sched.h>

#include "core/type_data.h"
#include "core/request_wait.h"
#include "core/tuning.h"

/* At the start of each area; at most MPI_BSEND_OVERHEAD bytes, which is what programs add for
 * each message. */
struct area { struct area *next; size_t bytes; struct fw_req *req; };
enum { ALIGN = 16, HEADER = (sizeof(struct area) + ALIGN - 1) / ALIGN * ALIGN };
_Static_assert(HEADER + 2 * ALIGN <= MPI_BSEND_OVERHEAD, "what programs count with");

/* Owner: baton. */
static struct { void *base; size_t bytes; struct area *first; } attached;

static void reap(void)
{
    struct mpi_why why;
    for (struct area **link = &attached.first; *link;) {
        struct mpi_pending p = { .req = (*link)->req };
        if (!fw_req_done(p.req)) {
            link = &(*link)->next;
            continue;
        }
        mpi_req_finish(&p, NULL, MPI_STATUS_IGNORE, &why);
        *link = (*link)->next;
    }
}

static char *up(char *p)
{
    return (char *)(((uintptr_t)p + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
}

/* First gap of the size; NULL: none. */
static struct area *area_new(size_t bytes)
{
    char *at = up(attached.base), *end = (char *)attached.base + attached.bytes;
    struct area **link = &attached.first;
    for (;; link = &(*link)->next) {
        char *limit = *link ? (char *)*link : end;
        if (at <= limit && (size_t)(limit - at) >= HEADER + bytes)
            break;
        if (!*link)
            return NULL;
        at = up((char *)*link + (*link)->bytes);
    }
    struct area *a = (struct area *)at;
    *a = (struct area){ .next = *link, .bytes = HEADER + bytes };
    *link = a;
    return a;
}

static void area_delete(const struct area *a)
{
    struct area **link = &attached.first;
    while (*link != a)
        link = &(*link)->next;
    *link = a->next;
}

/* A message that has been received gives its room back when its sender's NIC has heard so: what is
 * on its way to us, or in the hands of the NIC's thread, must not make this an error.  On the model
 * clock all that has happened has arrived. */
static struct area *area_wait(size_t bytes)
{
    struct area *a = area_new(bytes);
    for (unsigned idle = 0; !a && attached.first && idle < MPI_BUFFER_PATIENCE;) {
        if (!nic_step(mpi_nic)) {
            idle += mpi_modelled ? MPI_BUFFER_PATIENCE : 1;
            nic_leave(mpi_nic);
            sched_yield();
            nic_enter(mpi_nic);
        }
        reap();
        a = area_new(bytes);
    }
    return a;
}

int mpi_buffered_send(struct mpi_comm *c, const void *buf, size_t count, const struct mpi_type *t,
                      int dest, int tag)
{
    static const struct mpi_type packed = {
        .size = 1, .extent = 1, .contiguous = true, .committed = true, .name = "packed",
    };
    int rc = MPI_ERR_BUFFER;
    nic_enter(mpi_nic);
    if (attached.first) {
        nic_step(mpi_nic);
        reap();
    }
    struct area *a = attached.base ? area_wait(count * t->size) : NULL;
    if (a) {
        char *data = (char *)a + HEADER;
        if (count && t->size)
            mpi_type_pack(t, buf, count, data);
        a->req = mpi_req_send(c, data, count * t->size, &packed, dest, tag, MPI_SEND_FIRM);
        rc = a->req ? MPI_SUCCESS : MPI_ERR_NO_MEM;
        if (!a->req)
            area_delete(a);
    }
    nic_leave(mpi_nic);
    return rc;
}

void mpi_buffered_flush(const char *call)
{
    while (attached.first) {
        mpi_req_wait(attached.first->req, call);
        reap();
    }
}

bool mpi_buffer_attach(void *buffer, size_t bytes, size_t *already)
{
    if (attached.base) {
        *already = attached.bytes;
        return false;
    }
    attached.base = buffer;
    attached.bytes = bytes;
    return true;
}

void *mpi_buffer_detach(const char *call, size_t *bytes)
{
    void *base = attached.base;
    *bytes = attached.bytes;
    nic_enter(mpi_nic);
    mpi_buffered_flush(call);
    nic_leave(mpi_nic);
    attached.base = NULL;
    attached.bytes = 0;
    return base;
}
