/* Schedules; see schedule.h. */
#include <stdlib.h>
#include <string.h>

#include "fw/inside.h"
#include "fw/schedule.h"

struct fw_memory { _Alignas(16) struct fw_memory *next; };

enum { STEPS_FIRST = 8 };
static_assert(sizeof(((struct fw_line *)0)->data) == FW_LINE_BYTES, "the same");

/* -- building */

struct fw_sched *mpi_fw_sched_new(const char *call, uint64_t match, uint32_t rank, const int *world)
{
    struct fw_sched *s = calloc(1, sizeof *s);
    if (s)
        *s = (struct fw_sched){ .call = call, .match = match, .rank = rank, .world = world };
    return s;
}

void *mpi_fw_sched_memory(struct fw_sched *s, size_t bytes)
{
    struct fw_memory *m = bytes <= SIZE_MAX - sizeof *m ? malloc(sizeof *m + bytes) : NULL;
    if (!m) {
        s->failed = true;
        return NULL;
    }
    m->next = s->memory;
    s->memory = m;
    return m + 1;
}

void mpi_fw_sched_add(struct fw_sched *s, const struct fw_step *step)
{
    if (s->steps == s->room) {
        uint32_t room = s->room ? 2 * s->room : STEPS_FIRST;
        struct fw_step *more = realloc(s->step, room * sizeof *more);
        if (!more) {
            s->failed = true;
            return;
        }
        s->step = more;
        s->room = room;
    }
    s->step[s->steps++] = *step;
}

void mpi_fw_sched_delete(struct fw_sched *s)
{
    while (s->memory) {
        struct fw_memory *m = s->memory;
        s->memory = m->next;
        free(m);
    }
    free(s->step);
    free(s);
}

/* -- steps; each returns false if it can't be done yet */

static uint32_t job_rank(const struct fw_sched *s, uint32_t peer) { return s->world ? (uint32_t)s->world[peer] : peer; }
static uint64_t match_from(const struct fw_sched *s, uint32_t source) { return s->match | (uint64_t)source << 32; }

static void fail(struct fw_sched *s, enum fw_error error)
{
    if (!s->error)
        s->error = (uint8_t)error;
}

static bool do_line(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    struct fw_line line = { .source = fw->rank, .round = t->round, .bytes = (uint16_t)t->bytes };
    if (t->bytes)
        memcpy(line.data, t->from, t->bytes);
    mpi_fw_send_line(fw, job_rank(s, t->peer), match_from(s, s->rank), &line);
    return true;
}

static bool do_await(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    if (!t->arrived) {
        mpi_fw_ask_again(fw, job_rank(s, t->peer));     /* it may have been refused */
        return false;
    }
    if (t->bytes && !s->error)
        memcpy(t->to, t->line, t->bytes);
    return true;
}

static struct fw_req *message(struct fw *fw, const struct fw_sched *s, enum fw_kind kind, void *buffer, const struct fw_step *t)
{
    struct fw_req *r = mpi_fw_req_new(fw);
    if (!r)
        return NULL;
    r->object.kind = (uint8_t)kind;
    r->host = (struct fw_host){ .comm = NULL };
    r->buffer = buffer;
    r->bytes = t->bytes;
    r->sync = false;
    r->mask = 0;
    r->peer = job_rank(s, t->peer);
    r->match = match_from(s, kind == FW_SEND ? s->rank : t->peer);
    mpi_fw_start_inside(fw, r);
    return r;
}

static bool do_message(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    bool send = t->kind == FW_STEP_SEND;
    if (send && t->bytes <= fw->eager_max && mpi_fw_send_now(fw, job_rank(s, t->peer), match_from(s, s->rank), t->from, t->bytes))
        return true;
    t->req = message(fw, s, send ? FW_SEND : FW_RECV, send ? (void *)(uintptr_t)t->from : t->to, t);
    if (!t->req)
        fail(s, FW_NO_MEMORY);
    return true;
}

static void end_message(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    if (t->req->error)
        fail(s, t->req->error);
    else if (t->kind == FW_STEP_RECV && t->req->count < t->bytes)
        fail(s, FW_TRUNCATED);
    if (fw->modelled)
        nic_way_later(fw->nic, &s->way, &t->req->way);
    mpi_fw_req_free(fw, t->req);
    t->req = NULL;
}

static bool do_wait(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    (void)t;
    for (; s->begun < s->at; s->begun++) {
        struct fw_step *m = &s->step[s->begun];
        if (m->req && !fw_req_done(m->req))
            return false;
        if (m->req)
            end_message(fw, s, m);
    }
    fw_way_join(fw, &s->way, NIC_PART_WAIT);
    return true;
}

static bool do_combine(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    if (s->host_only && nic_on_thread(fw->nic))
        return false;
    if (!s->error)
        s->combine(s->context, t->from, t->to);
    return true;
}

static bool do_copy(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    (void)fw, (void)s;
    if (t->bytes)
        memcpy(t->to, t->from, t->bytes);
    return true;
}

static bool do_slot(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    (void)t;
    if (s->host_only && nic_on_thread(fw->nic))
        return false;
    return mpi_fw_slot_advance(fw, s->slot);
}

typedef bool step_fn(struct fw *fw, struct fw_sched *s, struct fw_step *t);
static step_fn *const step_do[] = {
    [FW_STEP_LINE] = do_line, [FW_STEP_AWAIT] = do_await, [FW_STEP_SEND] = do_message, [FW_STEP_RECV] = do_message, [FW_STEP_WAIT] = do_wait,
    [FW_STEP_COMBINE] = do_combine, [FW_STEP_COPY] = do_copy, [FW_STEP_SLOT] = do_slot,
};

/* -- running */

/* What does not arrive as a line has to be looked at each turn. */
static void set_polled(struct fw *fw, struct fw_sched *s, bool polled)
{
    if (s->polled != polled)
        nic_active(fw->nic, polled ? 1 : -1);
    s->polled = polled;
}

static void finish(struct fw *fw, struct fw_sched *s)
{
    struct fw_sched **at = &fw->scheds;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    set_polled(fw, s, false);
    struct fw_req *r = s->req;
    if (s->slot && s->slot->mismatch) {
        r->error = FW_MISMATCH;
        r->host.slot = malloc(sizeof *s->slot);     /* who called what: the host tells, and frees it */
        if (r->host.slot) {
            *r->host.slot = *s->slot;
            r->host.extra = FW_EXTRA_SLOT;
        }
    } else {
        r->error = s->error;
    }
    r->sched = NULL;
    mpi_fw_sched_delete(s);
    mpi_fw_complete(fw, r);
}

/* True: what is under way still uses the memory of the schedule. */
static bool drop_messages(struct fw *fw, struct fw_sched *s)
{
    bool used = false;
    for (uint32_t i = 0; i < s->at; i++) {
        struct fw_req *r = s->step[i].req;
        if (!r)
            continue;
        used |= !fw_req_done(r) && !mpi_fw_cancel(fw, r);
        mpi_fw_detach(fw, r);
    }
    return used;
}

struct stopping { struct fw *fw; struct fw_req *req; };

static void stop(void *argument)
{
    struct stopping *a = argument;
    struct fw_sched *s = a->req->sched;
    if (!s)
        return;
    if (drop_messages(a->fw, s))
        s->memory = NULL;       /* not freed, ever */
    s->error = FW_MISMATCH;
    finish(a->fw, s);
}

void mpi_fw_sched_stop(struct fw *fw, struct fw_req *req)
{
    struct stopping a = { fw, req };
    nic_call(fw->nic, stop, &a);
}

/* Does what can be done; true: it got on.  The schedule may be gone afterwards. */
static bool run(struct fw *fw, struct fw_sched *s)
{
    uint32_t before = s->at;
    while (s->at < s->steps) {
        struct fw_step *t = &s->step[s->at];
        if (!step_do[t->kind](fw, s, t)) {
            bool moved = s->at != before;
            set_polled(fw, s, t->kind != FW_STEP_AWAIT);
            return moved;
        }
        if (__builtin_expect(fw->modelled, 0))
            nic_work(fw->nic, NIC_WORK_STEP);
        s->at++;
    }
    finish(fw, s);
    return true;
}

void mpi_fw_sched_start(struct fw *fw, struct fw_sched *s, struct fw_req *req)
{
    req->error = FW_OK;
    req->cancelled = req->detached = req->inside = false;
    req->count = 0;
    req->protocol = NULL;
    FW_COUNT(fw, collectives_scheduled, 1);
    req->sched = s;
    s->req = req;
    if (fw->modelled)
        nic_submit(fw->nic, &(struct nic_command){ .op = FW_COMMAND_SCHEDULE, .object = req });
    else
        mpi_fw_sched_begin(fw, req);
}

void mpi_fw_sched_begin(struct fw *fw, struct fw_req *req)
{
    struct fw_sched *s = req->sched;
    s->next = fw->scheds;
    fw->scheds = s;
    if (!s->slot)
        mpi_fw_serve(fw, req);
    mpi_fw_claim_lines(fw, s);
    run(fw, s);
}

bool mpi_fw_advance_scheds(struct fw *fw)
{
    bool moved = false;
    for (struct fw_sched *s = fw->scheds, *next; s; s = next) {
        next = s->next;     /* run takes at most s out of the list */
        if (s->polled)
            moved |= run(fw, s);
    }
    return moved;
}

/* The step of this schedule that waits, or will, for the line of `match` and `round`; NULL: none. */
static struct fw_step *awaiting(const struct fw_sched *s, uint64_t match, uint16_t round)
{
    uint32_t source = (uint32_t)fw_match_source(match);
    if ((match & ~FW_ANY_SOURCE) != s->match)
        return NULL;
    for (uint32_t i = s->at; i < s->steps; i++) {
        struct fw_step *t = &s->step[i];
        if (t->kind == FW_STEP_AWAIT && t->peer == source && t->round == round && !t->arrived)
            return t;
    }
    return NULL;
}

bool mpi_fw_sched_take_line(struct fw_sched *s, uint64_t match, const struct fw_line *line)
{
    struct fw_step *t = awaiting(s, match, line->round);
    if (!t)
        return false;
    t->arrived = true;
    if (line->bytes != t->bytes)
        fail(s, FW_TRUNCATED);
    memcpy(t->line, line->data, line->bytes);
    return true;
}

bool mpi_fw_sched_line(struct fw *fw, uint64_t match, const struct fw_line *line)
{
    for (struct fw_sched *s = fw->scheds; s; s = s->next)
        if (mpi_fw_sched_take_line(s, match, line)) {
            run(fw, s);
            return true;
        }
    return false;
}
