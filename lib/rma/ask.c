/* Small requests at the origin: sent, and their answers taken. */
#include "rma/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/label.h"
#include "nicemu/machines.h"
#include "nicemu/threads.h"
#include "rma/chunks.h"
#include "rma/control.h"
#include "rma/epoch.h"
#include "rma/failure.h"

/* TURNS_PER_LOOK: that yield or sleep, between looks whether the target has ended. */
enum { COPIES_PER_WAKE = 16, LOOK_NS = 50 * 1000 * 1000, TURNS_PER_LOOK = 16 };

enum mpi_rma_way mpi_rma_way_wished(void)
{
    const char *way = getenv("MPILITE_RMA");
    return way && !strcmp(way, "copy") ? MPI_RMA_COPY
           : way && !strcmp(way, "packets") ? MPI_RMA_PACKETS : MPI_RMA_AUTO;
}

/* -- when to ask */

static bool serves(struct mpi_win *w, int target)
{
    struct mpi_rma_part *p = &w->part[target];
    /* several threads find it, and any of them may be the first */
    if (likely(__atomic_load_n(&p->asked.serves, __ATOMIC_ACQUIRE)))
        return true;
    if (!w->local || w->way == MPI_RMA_COPY || !nic_has_thread(mpi_nic) || !p->control)
        return false;
    /* acquire: pairs with mpi_rma_serve_begin of the target */
    bool found = __atomic_load_n(&p->control->serves, __ATOMIC_ACQUIRE);
    __atomic_store_n(&p->asked.serves, found, __ATOMIC_RELEASE);
    return found;
}

/* Of two threads that copy at once one may not count. */
static unsigned count_copy(struct mpi_rma_part *p)
{
    unsigned copies = __atomic_load_n(&p->asked.copies, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&p->asked.copies, copies, __ATOMIC_RELAXED);
    return copies;
}

/* Its host polls in a call.  One that sleeps there is woken now and then, as it may have fallen
 * asleep before it was of use to anybody. */
static bool attends(struct mpi_rma_part *p)
{
    uint32_t attention = __atomic_load_n(nic_attention(mpi_nic, p->world),
                                         __ATOMIC_RELAXED);
    if (likely(!attention))
        return true;
    return attention == NIC_ASLEEP && count_copy(p) % COPIES_PER_WAKE == 0;
}

bool mpi_rma_attends(struct mpi_win *w, int target, const struct mpi_rma_place *place)
{
    return !place->at && place->address.key >= NIC_KEY_FIRST && serves(w, target)
           && !nic_oversubscribed(mpi_nic)
           && !__atomic_load_n(nic_attention(mpi_nic, w->part[target].world), __ATOMIC_RELAXED);
}

static bool kernel_copies(const struct nic_address *a)
{
    return nic_remote_paths(mpi_nic, a, NIC_RIGHT_WRITE) & nic_remote_allowed(mpi_nic)
           & 1u << NIC_PATH_KERNEL;
}

/* For the end of an epoch that is open for it. */
static bool target_will_wait(const struct mpi_win *w, int target)
{
    return mpi_rma_fenced(w) || w->part[target].started;
}

bool mpi_rma_asks(struct mpi_win *w, int target, const struct mpi_rma_place *place, bool put)
{
    if (place->at || place->address.key < NIC_KEY_FIRST || !serves(w, target))
        return false;
    if (unlikely(w->way == MPI_RMA_PACKETS))
        return true;
    if (!nic_oversubscribed(mpi_nic)
        && (attends(&w->part[target]) || (put && target_will_wait(w, target))))
        return true;
    nic_enter(mpi_nic);
    const bool copies = kernel_copies(&place->address);
    nic_leave(mpi_nic);
    return !copies;
}

/* -- answers.  Baton held */

struct waiting { struct mpi_win *w; const char *call; int target; struct mpi_rma_unanswered *u;
                 uint32_t number; };

static bool has_answer(void *argument)
{
    const struct waiting *g = argument;
    const struct mpi_rma_answers *a = mpi_rma_answers_of(g->w, g->target);
    const struct mpi_rma_asked_of *s = &g->w->part[g->target].asked;
    /* acquire: pairs with the store of the target's NIC behind the answer */
    if (g->u)
        return __atomic_load_n(&a->answer[g->u - s->place].number, __ATOMIC_ACQUIRE) == g->number;
    return (int32_t)(__atomic_load_n(&a->handled, __ATOMIC_ACQUIRE) - g->number) >= 0;
}

static const char *say(void *argument, char *text, size_t size)
{
    const struct waiting *g = argument;
    char label[MPI_LABEL_LONG];
    snprintf(text, size, "%s(%s): rank %d's NIC has not answered yet", g->call,
             mpi_label_long(g->w->comm, label, sizeof label), g->target);
    return text;
}

static bool still_waits(const struct waiting *g)
{
    return g->u ? g->u->number == g->number : g->w->part[g->target].asked.puts;
}

/* False: the target has ended.  What is waited for may have been taken by another thread. */
static bool await(struct waiting *g)
{
    struct nic_wait wait = { .note = say, .argument = g, .ready = has_answer,
                             .most_ns = LOOK_NS };
    for (unsigned slow = 0; still_waits(g) && !has_answer(g);) {
        nic_wait_turn(mpi_nic, &wait);
        slow += wait.since != 0;
        if (unlikely(slow % TURNS_PER_LOOK == TURNS_PER_LOOK - 1)
            && nic_gone(mpi_nic, mpi_win_world(g->w, g->target)))
            return has_answer(g);
    }
    return true;
}

static void take_answer(struct waiting *g, bool answered)
{
    const struct mpi_rma_asked_of *s = &g->w->part[g->target].asked;
    const struct mpi_rma_answer *a = &mpi_rma_answers_of(g->w, g->target)->answer[g->u - s->place];
    const int class = answered ? (int)a->class : MPI_ERR_PROC_ABORTED;
    if (!class && g->u->to)
        memcpy(g->u->to, a->data, g->u->bytes);
    if (g->u->class)
        *g->u->class = class;
    else if (class)
        mpi_rma_note_failure(g->w, g->target, class);
    g->u->number = 0;
}

/* The answer for a place, if one is due. */
static void collect(struct mpi_win *w, int target, unsigned place, const char *call)
{
    struct mpi_rma_unanswered *u = &w->part[target].asked.place[place];
    struct waiting g = { w, call, target, u, u->number };
    if (!u->number)
        return;
    const bool answered = await(&g);
    if (u->number == g.number)
        take_answer(&g, answered);
}

static int collect_puts(struct mpi_win *w, int target, const char *call)
{
    struct mpi_rma_asked_of *s = &w->part[target].asked;
    struct waiting g = { w, call, target, NULL, s->last_put };
    const bool answered = await(&g);
    s->puts = s->puts && s->last_put != g.number && answered;
    const int class = (int)__atomic_exchange_n(&mpi_rma_answers_of(w, target)->failed, 0,
                                               __ATOMIC_ACQUIRE);
    return answered ? class : MPI_ERR_PROC_ABORTED;
}

/* While one thread waited others may have asked. */
static bool is_open(const struct mpi_rma_asked_of *s)
{
    bool any = s->puts;
    for (unsigned i = 0; i < MPI_RMA_ANSWERS; i++)
        any |= s->place[i].number != 0;
    return s->open && any;
}

int mpi_rma_ask_wait(struct mpi_win *w, int target, bool puts, const char *call)
{
    struct mpi_rma_asked_of *s = &w->part[target].asked;
    int class = MPI_SUCCESS;
    for (unsigned i = 0; i < MPI_RMA_ANSWERS; i++)
        collect(w, target, i, call);
    if (s->puts && puts)
        class = collect_puts(w, target, call);
    w->asking -= s->open && !is_open(s);
    s->open = is_open(s);
    return class;
}

/* -- requests.  Baton held */

static uint32_t number_after(uint32_t last) { return last + 1 ? last + 1 : 1; }

static bool send(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                 struct mpi_rma_small *q, const void *data, size_t bytes)
{
    struct mpi_rma_part *p = &w->part[target];
    uint32_t *last = q->kind == MPI_RMA_SMALL_PUT ? &p->asked.last_put : &p->asked.number;
    if (unlikely(!p->asked.number && !p->asked.last_put))
        mpi_rma_answers_of(w, target)->handled = mpi_rma_answers_of(w, target)->failed = 0;
    q->offset = place->address.offset;
    q->key = place->address.key;
    q->origin = (uint16_t)w->comm->rank;
    q->number = number_after(*last);
    const bool service = q->kind < MPI_RMA_HELP_PUT
                         && (q->kind != MPI_RMA_SMALL_PUT || !target_will_wait(w, target));
    const struct fw_window_packet packet = { p->name, q, sizeof *q, data, bytes };
    if (!mpi_fw_send_window(mpi_fw, p->world, &packet, service))
        return false;
    *last = q->number;
    if (!p->asked.open) {
        p->asked.open = true;
        w->asking++;
    }
    return true;
}

/* One that is answered with data, in a place that has become free. */
static struct mpi_rma_unanswered *ask(struct mpi_win *w, int target,
                                      const struct mpi_rma_place *place, struct mpi_rma_small *q,
                                      const void *data, size_t bytes)
{
    struct mpi_rma_asked_of *s = &w->part[target].asked;
    q->place = s->next;
    s->next = (uint8_t)((s->next + 1) % MPI_RMA_ANSWERS);
    while (s->place[q->place].number)
        collect(w, target, q->place, "a one-sided operation");
    __atomic_store_n(&mpi_rma_answers_of(w, target)->answer[q->place].number, 0, __ATOMIC_RELAXED);
    if (!send(w, target, place, q, data, bytes))
        return NULL;
    s->place[q->place].number = q->number;
    return &s->place[q->place];
}

bool mpi_rma_ask_put(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                     const void *data, size_t bytes)
{
    struct mpi_rma_small q = { .kind = MPI_RMA_SMALL_PUT, .bytes = (uint16_t)bytes };
    struct mpi_rma_asked_of *s = &w->part[target].asked;
    if (bytes > MPI_RMA_BODY_BYTES)
        return false;
    nic_enter(mpi_nic);
    const bool sent = send(w, target, place, &q, data, bytes);
    s->puts |= sent;
    nic_leave(mpi_nic);
    return sent;
}

bool mpi_rma_ask_get(struct mpi_win *w, int target, const struct mpi_rma_place *place, void *to,
                     size_t bytes)
{
    struct mpi_rma_small q = { .kind = MPI_RMA_SMALL_GET, .bytes = (uint16_t)bytes };
    if (bytes > MPI_RMA_ANSWER_BYTES)
        return false;
    nic_enter(mpi_nic);
    struct mpi_rma_unanswered *u = ask(w, target, place, &q, NULL, 0);
    if (likely(u != NULL)) {
        u->to = to;
        u->bytes = (uint32_t)bytes;
        u->class = NULL;
    }
    nic_leave(mpi_nic);
    return u;
}

/* One of the packets that a long get is answered by. */
struct body { struct mpi_rma_unanswered *u; uint32_t number; int class; };

/* False: it cannot be sent now. */
static bool ask_body(struct mpi_win *w, int target, const struct mpi_rma_place *place, char *to,
                     size_t bytes, struct body *b)
{
    struct mpi_rma_small q = { .kind = MPI_RMA_BODY_GET, .bytes = (uint16_t)bytes };
    b->class = MPI_RMA_REFUSED;
    b->u = ask(w, target, place, &q, NULL, 0);
    if (unlikely(!b->u))
        return false;
    b->number = q.number;
    b->u->bytes = (uint32_t)bytes;
    b->u->to = to;
    b->u->class = &b->class;
    return true;
}

static size_t body_bytes(size_t bytes, unsigned i)
{
    const size_t left = bytes - i * (size_t)MPI_RMA_BODY_BYTES;
    return left < MPI_RMA_BODY_BYTES ? left : MPI_RMA_BODY_BYTES;
}

/* As many are under way as there are places for answers, so that the target fills the next while
 * this rank empties one. */
size_t mpi_rma_ask_bodies(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                          char *to, size_t bytes)
{
    struct body body[MPI_RMA_GET_MOST / MPI_RMA_BODY_BYTES];
    const unsigned wanted = (unsigned)((bytes + MPI_RMA_BODY_BYTES - 1) / MPI_RMA_BODY_BYTES);
    struct mpi_rma_place there = *place;
    unsigned asked = 0, come = 0;
    if (wanted > sizeof body / sizeof *body)
        return 0;
    nic_enter(mpi_nic);
    while (asked < wanted && ask_body(w, target, &there, to + asked * (size_t)MPI_RMA_BODY_BYTES,
                                      body_bytes(bytes, asked), &body[asked])) {
        there.address.offset += MPI_RMA_BODY_BYTES;
        asked++;
    }
    for (unsigned i = 0; i < asked; i++)
        while (body[i].u->number == body[i].number)
            collect(w, target, (unsigned)(body[i].u - w->part[target].asked.place),
                    "a one-sided operation");
    nic_leave(mpi_nic);
    while (come < asked && !body[come].class)
        come++;
    return come == wanted ? bytes : come * (size_t)MPI_RMA_BODY_BYTES;
}

uint32_t mpi_rma_ask_help(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                          bool put, const void *local, size_t bytes)
{
    struct mpi_rma_small q = { .kind = put ? MPI_RMA_HELP_PUT : MPI_RMA_HELP_GET };
    const struct mpi_rma_help help = { (uintptr_t)local, bytes };
    struct mpi_rma_part *p = &w->part[target];
    struct mpi_rma_answers *a = mpi_rma_answers_of(w, target);
    if (p->asked.shares)
        return 0;
    a->helped = a->unhelpful = 0;       /* nobody has a claim of the one before */
    __atomic_store_n(&a->claims, (uint64_t)number_after(p->asked.number) << 32, __ATOMIC_RELEASE);
    if (!send(w, target, place, &q, &help, sizeof help))
        return 0;
    p->asked.shares = true;
    return q.number;
}

/* What a request to change something carries. */
static size_t change_data(const struct mpi_rma_ask_change *c, unsigned char *data)
{
    if (c->data)
        memcpy(data, c->data, c->bytes);
    if (c->compare)
        memcpy(data + c->bytes, c->compare, c->bytes);
    return (c->data ? c->bytes : 0) + (c->compare ? c->bytes : 0);
}

int mpi_rma_ask_change(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                       const struct mpi_rma_ask_change *c)
{
    unsigned char data[MPI_RMA_SMALL_BYTES];
    struct mpi_rma_small q = { .bytes = (uint16_t)c->bytes, .op = (uint8_t)(uintptr_t)c->op,
                               .elem = (uint8_t)c->elem };
    int class = MPI_RMA_REFUSED;
    q.kind = c->compare ? MPI_RMA_SMALL_COMPARE : MPI_RMA_SMALL_CHANGE;
    if (c->bytes > sizeof data / (c->compare ? 2 : 1))
        return class;
    const size_t bytes = change_data(c, data);
    nic_enter(mpi_nic);
    struct mpi_rma_unanswered *u = ask(w, target, place, &q, data, bytes);
    if (likely(u != NULL)) {
        *u = (struct mpi_rma_unanswered){ q.number, (uint32_t)c->bytes, c->old, &class };
        while (u->number == q.number)
            collect(w, target, q.place, "an accumulate");
    }
    nic_leave(mpi_nic);
    return class;
}
