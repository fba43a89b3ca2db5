/* What a rank waits for, in words. */
#include "core/wait_reason.h"

#include <stdio.h>
#include <string.h>

#include "core/label.h"
#include "core/tuning.h"

/* Of one request, and of the end of a list. */
enum { ONE_BYTES = 192, END_BYTES = sizeof " and 2147483647 more" };

/* of: the communicator's label */
static void describe_receive(char *text, size_t size, const char *what, uint64_t match,
                             uint64_t mask, const struct mpi_comm *c, const char *of)
{
    char source[48] = "any", tag[16] = "any";
    int from = fw_match_source(match);
    if (!(mask & FW_ANY_SOURCE) && c && c->peer_world && from < c->peers)
        snprintf(source, sizeof source, "%d (rank %d of MPI_COMM_WORLD)", from,
                 c->peer_world[from]);
    else if (!(mask & FW_ANY_SOURCE))
        snprintf(source, sizeof source, "%d", from);
    if (!(mask & FW_ANY_TAG))
        snprintf(tag, sizeof tag, "%d", fw_match_tag(match));
    snprintf(text, size, "%s(source %s, tag %s, %s)", what, source, tag, of);
}

const char *mpi_reason_receive(char *text, size_t size, const char *what, uint64_t match,
                               uint64_t mask, const struct mpi_comm *c)
{
    char label[MPI_LABEL_LONG];
    describe_receive(text, size, what, match, mask, c, mpi_label_long(c, label, sizeof label));
    return text;
}

static void describe_send(char *text, size_t size, const char *what, const struct fw_req *r,
                          const char *of)
{
    bool world = r->host.comm == &mpi_comm_world;
    snprintf(text, size, "%s(to rank %u of MPI_COMM_WORLD, tag %d, %zu byte%s%s%s)%s", what,
             r->peer, fw_match_tag(r->match), r->bytes, r->bytes == 1 ? "" : "s", world ? "" : ", ",
             world ? "" : of,
             r->held ? "; too many before it are not received (protocol.eager_ahead)" : "");
}

static void describe_by(char *text, size_t size, const char *what, const struct fw_req *r,
                        const char *of)
{
    const struct mpi_request_class *class = mpi_request_class(r);
    if (r->object.kind == FW_HOST)
        r->host.own->class->describe(r->host.own, of, text, size);
    else if (class)
        class->describe(r, of, text, size);
    else if (r->object.kind == FW_RECV)
        describe_receive(text, size, what ? what : "receive", r->match, r->mask, r->host.comm, of);
    else
        describe_send(text, size, what ? what : r->sync ? "synchronous send" : "send", r, of);
}

static void mark(char *text, size_t size, const struct fw_req *r)
{
    const struct mpi_request_class *class = mpi_request_class(r);
    if (class && class->mark)
        class->mark(r, text, size);
}

/* what: the call that it is, or NULL, one of several. */
static void describe(char *text, size_t size, const char *what, const struct fw_req *r)
{
    char label[MPI_LABEL_LONG];
    if (what)
        mpi_label_long(r->host.comm, label, sizeof label);
    else
        mpi_label(r->host.comm, label);
    describe_by(text, size, what, r, label);
}

/* What a receive or a probe does not match, but was perhaps meant to: one of the messages that have
 * come and were not received. */
void mpi_reason_add_arrived(char *text, size_t size, uint64_t match)
{
    const uint64_t context = ~(FW_ANY_SOURCE | FW_ANY_TAG);
    const struct fw_unlike other_tag = {
        match, context | FW_ANY_SOURCE, FW_ANY_TAG, MPI_REASON_MESSAGES,
    };
    const struct fw_unlike other = { match, context, ~context, MPI_REASON_MESSAGES };
    uint64_t found;
    size_t bytes, used = strlen(text);
    if (!mpi_fw_arrived_unlike(mpi_fw, &other_tag, &found, &bytes)
        && !mpi_fw_arrived_unlike(mpi_fw, &other, &found, &bytes))
        return;
    int n = snprintf(text + used, size - used, "; not received: source %d, tag %d, %zu byte%s",
                     fw_match_source(found), fw_match_tag(found), bytes, bytes == 1 ? "" : "s");
    if ((size_t)n >= size - used)
        text[used] = 0;         /* the name of a communicator has taken the room */
}

const char *mpi_reason_call(void *argument, char *text, size_t size)
{
    const struct mpi_reason_call *call = argument;
    describe(text, size, call->call, call->req);
    if (call->req->object.kind == FW_RECV)
        mpi_reason_add_arrived(text, size, call->req->match);
    mark(text, size, call->req);
    return text;
}

/* -- lists */

struct list { char *text; size_t size, used; const char *between; unsigned shown, more; };

static void list_add(struct list *l, const struct fw_req *r, bool persistent)
{
    char one[ONE_BYTES];
    describe(one, sizeof one, NULL, r);
    const char *before = l->shown ? l->between : "", *kind = persistent ? "persistent " : "";
    size_t bytes = strlen(before) + strlen(kind) + strlen(one);
    bool full = l->shown && l->used + bytes + END_BYTES > l->size;
    if (l->more || full || l->shown == MPI_REASON_SHOWN) {
        l->more++;
        return;
    }
    l->shown++;
    int n = snprintf(l->text + l->used, l->size - l->used, "%s%s%s", before, kind, one);
    l->used = l->used + (size_t)n < l->size ? l->used + (size_t)n : l->size - 1;
}

/* all: every request has been looked at. */
static void list_end(struct list *l, const char *joint, bool all)
{
    if (!all)
        snprintf(l->text + l->used, l->size - l->used, " %s more", joint);
    else if (l->more)
        snprintf(l->text + l->used, l->size - l->used, " %s %u more", joint, l->more);
}

static struct list list_begin(char *text, size_t size, const char *call, const char *between)
{
    size_t n = (size_t)snprintf(text, size, "%s: ", call);
    return (struct list){
        .text = text, .size = size, .used = n < size ? n : size - 1, .between = between,
    };
}

const char *mpi_reason_list(void *argument, char *text, size_t size)
{
    const struct mpi_reason_list *w = argument;
    struct list l = list_begin(text, size, w->call, w->any ? " or " : ", ");
    const struct fw_req *receive = NULL, *collective = NULL;
    struct mpi_pending p;
    int i = 0;
    for (; i < w->count && (i < MPI_REASON_REQUESTS || !l.shown); i++) {
        if (mpi_req_find(w->requests[i], &p) != MPI_REQ_ACTIVE || fw_req_done(p.req))
            continue;
        list_add(&l, p.req, p.persistent);
        receive = !receive && p.req->object.kind == FW_RECV ? p.req : receive;
        collective = !collective && p.req->object.kind == FW_COLL ? p.req : collective;
    }
    if (!l.shown)       /* they ended in the turn before */
        snprintf(l.text + l.used, l.size - l.used, "what it waits for is done");
    else
        list_end(&l, w->any ? "or" : "and", i == w->count);
    if (receive)
        mpi_reason_add_arrived(text, size, receive->match);
    if (collective)
        mark(text, size, collective);
    return text;
}

const char *mpi_reason_finalize(void *argument, char *text, size_t size)
{
    const char *call = "MPI_Finalize (sends that no receive has matched)";
    struct list l = list_begin(text, size, call, ", ");
    uint32_t count = mpi_fw_req_count(mpi_fw);
    (void)argument;
    for (uint32_t i = 0; i < count; i++) {
        const struct fw_req *r = fw_req_at(mpi_fw, i);
        bool sends = r && (r->object.kind == FW_SEND || r->object.kind == FW_COLL);
        if (sends && !r->inside && !fw_req_done(r))
            list_add(&l, r, false);
    }
    if (!l.shown)
        l.text[l.used - 2] = 0;     /* packets that still wait for room at their receiver */
    list_end(&l, "and", true);
    return text;
}
