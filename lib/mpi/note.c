/* What a rank waits for, in words. */
#include "mpi/note.h"

#include <stdio.h>
#include <string.h>

#include "coll/coll.h"

/* LOOKED_AT: requests; a wait for thousands must not look at all of them each time that it
 * sleeps. */
enum { SHOWN = 3, LOOKED_AT = 256, ONE_BYTES = 192, END_BYTES = sizeof " and 2147483647 more" };

/* of: the communicator's label */
static void describe_receive(char *text, size_t size, const char *what, uint64_t match,
                             uint64_t mask, const struct mpi_comm *c, const char *of)
{
    char source[48] = "any", tag[16] = "any";
    int from = fw_match_source(match);
    if (!(mask & FW_ANY_SOURCE) && c && c->world && from < c->size)
        snprintf(source, sizeof source, "%d (rank %d of MPI_COMM_WORLD)", from, c->world[from]);
    else if (!(mask & FW_ANY_SOURCE))
        snprintf(source, sizeof source, "%d", from);
    if (!(mask & FW_ANY_TAG))
        snprintf(tag, sizeof tag, "%d", fw_match_tag(match));
    snprintf(text, size, "%s(source %s, tag %s, %s)", what, source, tag, of);
}

const char *mpi_describe(char *text, size_t size, const char *what, uint64_t match, uint64_t mask,
                         const struct mpi_comm *c)
{
    char label[MPI_LABEL_LONG];
    describe_receive(text, size, what, match, mask, c, mpi_label_long(c, label, sizeof label));
    return text;
}

static void describe_send(char *text, size_t size, const char *what, const struct fw_req *r,
                          const char *of)
{
    bool world = r->host == &mpi_comm_world;
    snprintf(text, size, "%s(to rank %u of MPI_COMM_WORLD, tag %d, %zu byte%s%s%s)", what, r->peer,
             fw_match_tag(r->match), r->bytes, r->bytes == 1 ? "" : "s", world ? "" : ", ",
             world ? "" : of);
}

static void describe_by(char *text, size_t size, const char *what, const struct fw_req *r,
                        const char *of)
{
    if (r->object.kind == FW_COLL)
        mpi_coll_describe(r, of, text, size);
    else if (r->object.kind == FW_RECV)
        describe_receive(text, size, what ? what : "receive", r->match, r->mask, r->host, of);
    else
        describe_send(text, size, what ? what : r->sync ? "synchronous send" : "send", r, of);
}

/* what: the call that it is, or NULL, one of several. */
static void describe(char *text, size_t size, const char *what, const struct fw_req *r)
{
    char label[MPI_LABEL_LONG];
    if (what)
        mpi_label_long(r->host, label, sizeof label);
    else
        mpi_label(r->host, label);
    describe_by(text, size, what, r, label);
}

/* What a receive or a probe does not match, but was perhaps meant to: one of the messages that have come and were not received.
 * Every sleep begins with a note, so of very many messages not all are looked at. */
enum { MESSAGES_LOOKED_AT = 1000 };

void mpi_note_arrived(char *text, size_t size, uint64_t match)
{
    const uint64_t context = ~(FW_ANY_SOURCE | FW_ANY_TAG);
    uint64_t found;
    size_t bytes, used = strlen(text);
    const struct fw_unlike tag = { match, context | FW_ANY_SOURCE, FW_ANY_TAG, MESSAGES_LOOKED_AT };
    const struct fw_unlike any = { match, context, ~context, MESSAGES_LOOKED_AT };
    if (mpi_fw_arrived_unlike(mpi_fw, &tag, &found, &bytes) || mpi_fw_arrived_unlike(mpi_fw, &any, &found, &bytes))
        snprintf(text + used, size - used, "; not received: source %d, tag %d, %zu byte%s", fw_match_source(found), fw_match_tag(found), bytes, bytes == 1 ? "" : "s");
}

const char *mpi_note_call(void *call, char *text, size_t size)
{
    const struct mpi_note_call *n = call;
    describe(text, size, n->call, n->req);
    if (n->req->object.kind == FW_RECV)
        mpi_note_arrived(text, size, n->req->match);
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
    if (l->more || l->shown == SHOWN || (l->shown && l->used + bytes + END_BYTES > l->size)) {
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
    int n = snprintf(text, size, "%s: ", call);
    return (struct list){ .text = text, .size = size, .used = (size_t)n < size ? (size_t)n : size - 1, .between = between };
}

const char *mpi_note_list(void *list, char *text, size_t size)
{
    const struct mpi_note_list *n = list;
    struct list l = list_begin(text, size, n->call, n->any ? " or " : ", ");
    struct mpi_pending p;
    const struct fw_req *receive = NULL;
    int i = 0;
    for (; i < n->count && (i < LOOKED_AT || !l.shown); i++)
        if (mpi_req_find(n->requests[i], &p) == MPI_REQ_ACTIVE && !fw_req_done(p.req)) {
            list_add(&l, p.req, p.persistent);
            receive = !receive && p.req->object.kind == FW_RECV ? p.req : receive;
        }
    if (!l.shown)       /* they ended in the turn before */
        snprintf(l.text + l.used, l.size - l.used, "what it waits for is done");
    else
        list_end(&l, n->any ? "or" : "and", i == n->count);
    if (receive)
        mpi_note_arrived(text, size, receive->match);
    return text;
}

const char *mpi_note_finalize(void *argument, char *text, size_t size)
{
    struct list l = list_begin(text, size, "MPI_Finalize (sends that no receive has matched)", ", ");
    uint32_t count = mpi_fw_req_count(mpi_fw);
    (void)argument;
    for (uint32_t i = 0; i < count; i++) {
        const struct fw_req *r = mpi_fw_req_at(mpi_fw, i);
        if (r && !r->inside && r->object.kind != FW_RECV && !fw_req_done(r))
            list_add(&l, r, false);
    }
    if (!l.shown)
        l.text[l.used - 2] = 0;     /* packets that still wait for room at their receiver */
    list_end(&l, "and", true);
    return text;
}
