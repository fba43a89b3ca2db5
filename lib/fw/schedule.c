/* Schedules; see schedule.h. */
#include <stdlib.h>
#include <string.h>

#include "fw/modelled.h"
#include "fw/multi.h"
#include "fw/request.h"
#include "fw/schedule.h"
#include "fw/start.h"
#include "fw/steps_back.h"
#include "fw/steps_early.h"

struct fw_memory { _Alignas(16) struct fw_memory *next; };

enum { STEPS_FIRST = 16, MEMORY_FIRST = 1024, ALIGNMENT = 16 };
static_assert(sizeof(((struct fw_step_packet *)0)->data) == FW_STEP_BYTES, "the same");

/* -- building */

static struct fw_sched *take_spare(struct fw *fw)
{
    struct fw_sched *s = fw ? fw->spare_scheds : NULL;
    if (!s)
        return calloc(1, sizeof *s);
    fw->spare_scheds = s->next;
    fw->scheds_spare--;
    return s;
}

struct fw_sched *mpi_fw_sched_new(struct fw *fw, const char *call, uint64_t match, uint32_t rank,
                                  const int *world)
{
    struct fw_sched *s = take_spare(fw);
    if (!s)
        return NULL;
    s->call = call;
    s->match = match;
    s->rank = rank;
    s->world = world;
    s->shm = NULL;
    s->more = NULL;
    s->ended = NULL;
    s->host_only = s->polled = s->failed = s->moved = s->kept = s->read_on = false;
    s->error = FW_OK;
    s->round = 0;
    s->steps = s->at = s->begun = 0;
    s->way = 0;
    s->used = 0;
    s->more_memory = NULL;
    return s;
}

static void *more_memory(struct fw_sched *s, size_t bytes)
{
    struct fw_memory *m = bytes <= SIZE_MAX - sizeof *m ? malloc(sizeof *m + bytes) : NULL;
    if (!m) {
        s->failed = true;
        return NULL;
    }
    m->next = s->more_memory;
    s->more_memory = m;
    return m + 1;
}

void *mpi_fw_sched_memory(struct fw_sched *s, size_t bytes)
{
    size_t begin = s->used, room = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > SIZE_MAX - ALIGNMENT - begin)
        return more_memory(s, SIZE_MAX);
    s->used += room;
    if (!s->memory && (s->memory = malloc(MEMORY_FIRST)))
        s->memory_bytes = MEMORY_FIRST;
    return s->used <= s->memory_bytes ? s->memory + begin : more_memory(s, bytes);
}

struct fw_step *mpi_fw_sched_more(struct fw_sched *s)
{
    uint32_t room = s->room ? 2 * s->room : STEPS_FIRST;
    struct fw_step *more = realloc(s->step, room * sizeof *more);
    if (!more) {
        s->failed = true;
        return NULL;
    }
    s->step = more;
    s->room = room;
    return &s->step[s->steps++];
}

void mpi_fw_sched_add(struct fw_sched *s, const struct fw_step *step)
{
    struct fw_step *t = fw_sched_step(s, step->kind, step->peer, step->to, step->from,
                                      step->bytes);
    if (t)
        t->round = step->round;
}

/* -- spare ones */

static void free_memory(struct fw_sched *s)
{
    while (s->more_memory) {
        struct fw_memory *m = s->more_memory;
        s->more_memory = m->next;
        free(m);
    }
}

static void sched_free(struct fw_sched *s)
{
    free(s->memory);
    free(s->step);
    free(s);
}

/* As much as it needed this time, within bounds: the next one will need it too. */
static void fit_memory(struct fw_sched *s)
{
    if (s->used <= s->memory_bytes || s->used > FW_SCHED_SPARE_BYTES)
        return;
    free(s->memory);
    s->memory = malloc(s->used);
    s->memory_bytes = s->memory ? s->used : 0;
}

void mpi_fw_sched_delete(struct fw *fw, struct fw_sched *s)
{
    if (s->read_on) {
        s->memory = NULL;
        s->memory_bytes = s->used = 0;
        s->more_memory = NULL;
    }
    if (s->more_memory)
        free_memory(s);
    if (!fw || fw->scheds_spare == FW_SCHEDS_SPARE || s->room > FW_SCHED_SPARE_STEPS) {
        sched_free(s);
        return;
    }
    fit_memory(s);
    s->next = fw->spare_scheds;
    fw->spare_scheds = s;
    fw->scheds_spare++;
}

void mpi_fw_scheds_delete(struct fw *fw)
{
    while (fw->spare_scheds) {
        struct fw_sched *s = fw->spare_scheds;
        fw->spare_scheds = s->next;
        sched_free(s);
    }
}

/* -- steps; each returns false if it can't be done yet */

static uint32_t job_rank(const struct fw_sched *s, uint32_t peer)
{
    return s->world ? (uint32_t)s->world[peer] : peer;
}

static uint64_t match_from(const struct fw_sched *s, uint32_t source)
{
    return s->match | (uint64_t)source << 32;
}

static void fail(struct fw_sched *s, enum fw_error error)
{
    if (!s->error)
        s->error = (uint8_t)error;
}

/* The first message of another length than its step says is told with the request: who sent it
 * (match), how many bytes (full), and how many should have come (bytes). */
static void fail_length(struct fw_sched *s, const struct fw_step *t, size_t sent)
{
    if (s->error)
        return;
    s->req->match = match_from(s, t->peer);
    s->req->full = sent;
    s->req->bytes = t->bytes;
    fail(s, FW_TRUNCATED);
}

static bool do_packet(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    struct fw_step_packet packet = { .source = fw->rank, .round = t->round,
                                     .bytes = (uint8_t)t->bytes };
    if (t->bytes)
        memcpy(packet.data, t->from, t->bytes);
    mpi_fw_send_step(fw, job_rank(s, t->peer), match_from(s, s->rank), &packet);
    return true;
}

static bool do_await(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    if (t->heard != FW_HEARD) {
        mpi_fw_ask_again(fw, job_rank(s, t->peer));
        return false;
    }
    if (t->bytes && !s->error)
        memcpy(t->to, t->data, t->bytes);
    return true;
}

static struct fw_req *message(struct fw *fw, const struct fw_sched *s, const struct fw_step *t)
{
    enum fw_kind kind = t->kind == FW_STEP_SEND ? FW_SEND : FW_RECV;
    struct fw_req *r = mpi_fw_req_new(fw);
    if (!r)
        return NULL;
    r->object.kind = (uint8_t)kind;
    r->host = (struct fw_host){ .comm = NULL };
    r->buffer = kind == FW_SEND ? (void *)(uintptr_t)t->from : t->to;
    r->bytes = t->bytes;
    r->sync = false;
    r->mask = 0;
    r->peer = job_rank(s, t->peer);
    r->match = match_from(s, kind == FW_SEND ? s->rank : t->peer);
    if (fw_step_offers(t))
        mpi_fw_start_offer(fw, r, true);
    else
        mpi_fw_start_inside(fw, r);
    return r;
}

static bool send_now(struct fw *fw, const struct fw_sched *s, const struct fw_step *t)
{
    return t->bytes <= fw->eager_max && !fw_step_offers(t)
           && mpi_fw_send_now(fw, job_rank(s, t->peer), match_from(s, s->rank), t->from, t->bytes);
}

static bool do_message(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    if (t->kind == FW_STEP_SEND && send_now(fw, s, t))
        return true;
    t->req = message(fw, s, t);
    if (!t->req)
        fail(s, FW_NO_MEMORY);
    return true;
}

static void end_message(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    bool cut = t->req->error == FW_TRUNCATED;
    if (t->req->error && !cut)
        fail(s, t->req->error);
    else if (t->kind == FW_STEP_RECV && (cut || t->req->count < t->bytes))
        fail_length(s, t, cut ? t->req->full : t->req->count);
    else if (cut)
        fail(s, FW_TRUNCATED);
    if (fw->modelled)
        nic_critical_path_latest(fw->nic, &s->way, &t->req->way);
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
    fw_critical_path_join(fw, &s->way, NIC_PART_WAIT);
    return true;
}

static bool do_combine(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    if (s->host_only && nic_on_thread(fw->nic))
        return false;
    if (!s->error)
        s->combine(s->context, t->from, t->to, t->bytes);
    return true;
}

static bool do_copy(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    (void)fw, (void)s;
    if (t->bytes)
        memcpy(t->to, t->from, t->bytes);
    return true;
}

static bool do_shm(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    (void)t;
    if (s->host_only && nic_on_thread(fw->nic))
        return false;
    return mpi_fw_shm_advance(fw, s->shm);
}

static bool do_multi(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    const struct fw_multi_data data = { match_from(s, s->rank), t->from, t->bytes, t->round };
    if (!mpi_fw_send_multi(fw, t->to, &data))
        fail(s, FW_COPY_FAILED);
    return true;
}

static bool do_turn(struct fw *fw, struct fw_sched *s, struct fw_step *t)
{
    (void)t;
    if (s->host_only && nic_on_thread(fw->nic))
        return false;
    return s->turn(s->turn_context, s);
}

typedef bool step_fn(struct fw *fw, struct fw_sched *s, struct fw_step *t);
static step_fn *const step_do[] = {
    [FW_STEP_PACKET] = do_packet, [FW_STEP_AWAIT] = do_await, [FW_STEP_SEND] = do_message,
    [FW_STEP_RECV] = do_message, [FW_STEP_WAIT] = do_wait, [FW_STEP_COMBINE] = do_combine,
    [FW_STEP_COPY] = do_copy, [FW_STEP_SHM] = do_shm,
    [FW_STEP_MULTI] = do_multi, [FW_STEP_TURNS] = do_turn,
};

/* -- running */

/* What does not arrive as a step packet has to be looked at each turn. */
static void set_polled(struct fw *fw, struct fw_sched *s, bool polled)
{
    if (s->polled != polled)
        nic_hold_polling(fw->nic, polled ? 1 : -1);
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
    if (s->shm && s->shm->mismatch) {
        r->error = FW_MISMATCH;
        r->host.shm = malloc(sizeof *s->shm);   /* who called what: the host tells, and frees it */
        if (r->host.shm) {
            *r->host.shm = *s->shm;
            r->host.extra = FW_EXTRA_SHM;
        }
    } else {
        r->error = s->error;
    }
    r->sched = NULL;
    if (s->ended && !s->read_on)
        s->ended(s->ended_context, !r->error);
    if (!s->kept)
        mpi_fw_sched_delete(fw, s);
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

struct stopping { struct fw *fw; struct fw_req *req; enum fw_error error; };

static void stop(void *argument)
{
    struct stopping *a = argument;
    struct fw_sched *s = a->req->sched;
    if (!s)
        return;
    s->read_on = drop_messages(a->fw, s);
    s->error = (uint8_t)a->error;
    finish(a->fw, s);
}

void mpi_fw_sched_stop(struct fw *fw, struct fw_req *req)
{
    struct stopping a = { fw, req, FW_MISMATCH };
    nic_call(fw->nic, stop, &a);
}

void mpi_fw_sched_lose(struct fw *fw, struct fw_req *req)
{
    struct stopping a = { fw, req, FW_LOST };
    stop(&a);
}

/* False: a step can't be done yet. */
static bool do_steps(struct fw *fw, struct fw_sched *s)
{
    while (s->at < s->steps) {
        struct fw_step *t = &s->step[s->at];
        if (!step_do[t->kind](fw, s, t)) {
            set_polled(fw, s, t->kind != FW_STEP_AWAIT);
            return false;
        }
        if (__builtin_expect(fw->modelled, 0))
            nic_work(fw->nic, NIC_WORK_STEP);
        s->at++;
    }
    return true;
}

/* Whether it goes on with other steps; nothing uses the memory of those before. */
static bool goes_on(struct fw_sched *s)
{
    if (__builtin_expect(!s->more, 1) || s->error)
        return false;
    s->steps = s->at = s->begun = 0;
    s->used = 0;
    free_memory(s);
    bool more = s->more(s->ended_context, s);
    if (s->failed)
        fail(s, FW_NO_MEMORY);
    return more && !s->failed;
}

/* Does what can be done; true: it got on.  The schedule may be gone afterwards. */
static bool run(struct fw *fw, struct fw_sched *s)
{
    uint32_t before = s->at;
    bool moved = false;
    s->moved = false;
    do {
        if (!do_steps(fw, s))
            return moved || s->moved || s->at != before;
        moved = true;
    } while (goes_on(s));
    finish(fw, s);
    return true;
}

static fw_take_step take_step;

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

/* Messages of two starts come in the order in which they were sent, but packets that were refused
 * may come later than those behind them: the number of the start tells them apart. */
void mpi_fw_sched_restart(struct fw *fw, struct fw_sched *s, struct fw_req *req)
{
    s->round++;
    for (uint32_t i = 0; i < s->steps; i++) {
        if (s->step[i].kind == FW_STEP_AWAIT)
            s->step[i].heard = FW_HEARD_NOTHING;
        s->step[i].round = s->round;
        s->step[i].req = NULL;
    }
    s->error = FW_OK;
    s->at = s->begun = 0;
    s->way = 0;
    mpi_fw_sched_start(fw, s, req);
}

void mpi_fw_sched_begin(struct fw *fw, struct fw_req *req)
{
    struct fw_sched *s = req->sched;
    s->next = fw->scheds;
    fw->scheds = s;
    if (__builtin_expect(fw->modelled, 0))
        nic_work(fw->nic, NIC_WORK_SCHEDULE);
    if (!s->shm || s->steps > 1)        /* else nobody waits for a turn of this rank's */
        mpi_fw_serve(fw, req);
    mpi_fw_claim_steps(fw, s, take_step);
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

/* The step that waits, or will, for the packet of `match` and `round`; NULL: none does. */
static struct fw_step *awaiting(const struct fw_sched *s, uint64_t match, uint16_t round)
{
    uint32_t source = (uint32_t)fw_match_source(match);
    if ((match & ~FW_ANY_SOURCE) != s->match)
        return NULL;
    for (uint32_t i = s->at; i < s->steps; i++) {
        struct fw_step *t = &s->step[i];
        if (t->kind == FW_STEP_AWAIT && t->peer == source && t->round == round
            && t->heard != FW_HEARD)
            return t;
    }
    return NULL;
}

static bool take_step(struct fw_sched *s, uint64_t match, const struct fw_step_packet *packet)
{
    struct fw_step *t = awaiting(s, match, packet->round);
    if (!t)
        return false;
    t->heard = FW_HEARD;
    if (packet->bytes != t->bytes)
        fail_length(s, t, packet->bytes);
    memcpy(t->data, packet->data, packet->bytes);
    return true;
}

bool mpi_fw_sched_wants(struct fw *fw, uint32_t source, uint64_t *match, uint16_t *round)
{
    for (struct fw_sched *s = fw->scheds; s; s = s->next) {
        struct fw_step *t = s->at < s->steps ? &s->step[s->at] : NULL;
        if (!t || t->kind != FW_STEP_AWAIT || t->heard != FW_HEARD_NOTHING
            || job_rank(s, t->peer) != source)
            continue;
        t->heard = FW_HEARD_ASKED;
        *match = match_from(s, t->peer);
        *round = t->round;
        return true;
    }
    return false;
}

bool mpi_fw_sched_arrived(struct fw *fw, uint64_t match, const struct fw_step_packet *packet)
{
    for (struct fw_sched *s = fw->scheds; s; s = s->next)
        if (take_step(s, match, packet)) {
            run(fw, s);
            return true;
        }
    return false;
}
