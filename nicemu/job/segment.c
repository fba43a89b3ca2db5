/* The job segment: what stands in it, and the life and death of ranks as the launcher sees them. */
#include "job/segment.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "time/governor.h"

int nic_job_fd(const struct nic_job *job) { return job->fd; }
unsigned nic_job_ranks(const struct nic_job *job) { return job->ranks; }
unsigned nic_job_cores(const struct nic_job *job) { return job->layout.cores; }
size_t nic_job_scratchpad_bytes(const struct nic_job *job) { return job->layout.scratchpad; }
size_t nic_job_heap_bytes(const struct nic_job *job) { return job->heap; }

void nic_job_close(struct nic_job *job)
{
    if (!job)
        return;
    munmap(job->base, job->mapped);
    nic_job_leave(job);
}

void nic_job_leave(struct nic_job *job)
{
    if (job->fd >= 0)
        close(job->fd);
    free(job->governor);
    free(job->place);
    free(job);
}

/* What is read from here on may have been overwritten by any rank: it is read once, and counts if
 * it makes sense. */

enum nic_rank_state nic_job_rank_state(const struct nic_job *job, unsigned rank)
{
    uint32_t state = rank < job->ranks ? atomic_load(&job->publics[rank].state) : NIC_RANK_ABSENT;
    if (state == NIC_RANK_CLOSED || state == NIC_RANK_WAITING)
        return NIC_RANK_CLOSED;
    return state == NIC_RANK_OPEN ? NIC_RANK_OPEN : NIC_RANK_ABSENT;
}

bool nic_job_rank_gone(const struct nic_job *job, unsigned rank)
{
    const enum nic_rank_state state = nic_job_rank_state(job, rank);
    const pid_t pid = state == NIC_RANK_OPEN ? atomic_load(&job->publics[rank].pid) : 0;
    return state == NIC_RANK_CLOSED || (pid > 0 && kill(pid, 0) && errno == ESRCH);
}

/* 1 << 63 | check << 48 | rank << 32 | code: the check, of 15 bits, tells it from what somebody has
 * written by mistake. */
static uint64_t abort_word(uint64_t rank, int code)
{
    uint64_t word = rank << 32 | (uint32_t)code;
    uint64_t check = (word + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 49;
    return UINT64_C(1) << 63 | check << 48 | word;
}

static_assert(NIC_MAX_RANKS < 1 << 16, "ranks have 16 bits");

static bool is_abort(const struct nic_job *j, uint64_t word)
{
    uint64_t rank = word >> 32 & 0xffff;
    return rank < j->ranks && word == abort_word(rank, (int)(uint32_t)word);
}

bool nic_job_set_abort(struct nic_job *job, unsigned rank, int code)
{
    uint64_t found = 0;
    while (!is_abort(job, found))
        if (atomic_compare_exchange_strong(&job->state->abort, &found, abort_word(rank, code)))
            return true;
    return false;
}

/* A word that nobody else writes there by mistake: for the launcher it makes the job a failed one,
 * of which the rank itself has said why. */
enum { LOST = 0x6c6f7374 };

void nic_job_set_lost(struct nic_job *job, unsigned rank)
{
    atomic_store(&job->publics[rank].lost, LOST);
}

bool nic_job_lost(const struct nic_job *job, unsigned rank)
{
    return rank < job->ranks && atomic_load(&job->publics[rank].lost) == LOST;
}

void nic_job_set_mark(struct nic_job *job, unsigned rank, uint32_t mark)
{
    atomic_store(&job->publics[rank].mark, mark);
}

uint32_t nic_job_mark(const struct nic_job *job, unsigned rank)
{
    return rank < job->ranks ? atomic_load(&job->publics[rank].mark) : 0;
}

bool nic_job_aborted(const struct nic_job *job, unsigned *rank, int *code)
{
    uint64_t word = atomic_load(&job->state->abort);
    if (!word || !is_abort(job, word))
        return false;
    if (rank)
        *rank = (unsigned)(word >> 32 & 0xffff);
    if (code)
        *code = (int)(uint32_t)word;
    return true;
}

static void text_write(_Atomic uint8_t *to, size_t size, const char *text)
{
    size_t i = 0;
    for (; text[i] && i < size - 1; i++)
        atomic_store_explicit(&to[i], (uint8_t)text[i], memory_order_relaxed);
    atomic_store_explicit(&to[i], 0, memory_order_relaxed);
}

/* from: of `bytes`; NULL: "" */
static void text_read(const _Atomic uint8_t *from, size_t bytes, char *text, size_t size)
{
    size_t i = 0, room = from && size > bytes ? bytes : size;
    if (!size)
        return;
    for (; from && i < room - 1; i++)
        if (!(text[i] = (char)atomic_load_explicit(&from[i], memory_order_relaxed)))
            break;
    text[i] = 0;
    nic_text_make_plain(text);
}

void nic_job_set_note(struct nic_job *job, unsigned rank, const char *text)
{
    text_write(nic_job_owned(job, rank)->note.text, NIC_NOTE_BYTES, text);
}

void nic_job_set_remark(struct nic_job *job, unsigned rank, const char *text)
{
    text_write(nic_job_owned(job, rank)->note.remark, NIC_REMARK_BYTES, text);
}

static bool is_here(const struct nic_job *job, unsigned rank)
{
    return rank < job->ranks && nic_job_here(job, rank);
}

void nic_job_rank_note(const struct nic_job *job, unsigned rank, char *text, size_t size)
{
    const struct nic_note *n = is_here(job, rank) ? &nic_job_owned(job, rank)->note : NULL;
    text_read(n ? n->text : NULL, NIC_NOTE_BYTES, text, size);
}

void nic_job_rank_remark(const struct nic_job *job, unsigned rank, char *text, size_t size)
{
    const struct nic_note *n = is_here(job, rank) ? &nic_job_owned(job, rank)->note : NULL;
    text_read(n ? n->remark : NULL, NIC_REMARK_BYTES, text, size);
}

/* One step of FNV-1a over a word; the answer only has to change when something moves. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x100000001b3);
}

uint64_t nic_job_standstill(const struct nic_job *job)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    unsigned open = 0;
    for (unsigned r = 0; r < job->ranks; r++) {
        struct nic_public *p = &job->publics[r];
        uint32_t state = atomic_load(&p->state);
        if (state == NIC_RANK_CLOSED || !nic_job_here(job, r))
            continue;
        if (state != NIC_RANK_OPEN || !(atomic_load(&p->attention) & NIC_PARKED))
            return 0;
        struct nic_ring *ring = nic_job_ring(job, r);
        struct nic_hosts *h = &nic_job_owned(job, r)->note.hosts;
        uint64_t tail = atomic_load(&ring->tail);
        if (tail != atomic_load(&ring->head) || atomic_load(&h->under_way))
            return 0;
        hash = mix(mix(mix(hash, tail), atomic_load(&p->doorbell)), atomic_load(&p->sleeps));
        hash = mix(mix(hash, atomic_load(&h->waiting)), atomic_load(&h->sent));
        hash = mix(mix(hash, atomic_load(&h->came)), atomic_load(&h->rests));
        open++;
    }
    return open ? hash | 1 : 0;
}

uint64_t nic_job_progress(const struct nic_job *job)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char note[NIC_NOTE_BYTES];
    for (unsigned r = 0; r < job->ranks; r++) {
        if (!nic_job_here(job, r))
            continue;
        hash = mix(hash, atomic_load(&nic_job_ring(job, r)->tail));
        nic_job_rank_note(job, r, note, sizeof note);
        for (const char *c = note; *c; c++)
            hash = mix(hash, (unsigned char)*c);
    }
    return hash | 1;
}

static bool is_inside(struct nic_governor *g, unsigned rank)
{
    return g->set.modelled && !atomic_load(&nic_governor_rank(g, rank)->outside);
}

bool nic_job_rank_threads(const struct nic_job *job, unsigned rank, struct nic_rank_threads *t)
{
    if (nic_job_rank_state(job, rank) != NIC_RANK_OPEN || !nic_job_here(job, rank))
        return false;
    struct nic_hosts *h = &nic_job_owned(job, rank)->note.hosts;
    t->process = atomic_load(&job->publics[rank].pid);
    t->one = atomic_load(&h->one);
    t->nic = atomic_load(&h->nic);
    t->runtime = atomic_load(&h->runtime);
    t->watch = atomic_load(&h->watch);
    t->waiting = atomic_load(&h->waiting);
    t->inside = is_inside(nic_job_governor(job), rank);
    t->polls = atomic_load(&h->polls) != 0;
    t->idle = atomic_load(&h->idle);
    t->word = atomic_load(&h->word);
    return true;
}

bool nic_job_rank_wire(const struct nic_job *job, unsigned rank, struct nic_rank_wire *wire)
{
    if (nic_job_rank_state(job, rank) != NIC_RANK_OPEN || !nic_job_here(job, rank))
        return false;
    struct nic_hosts *h = &nic_job_owned(job, rank)->note.hosts;
    wire->under_way = atomic_load(&h->under_way);
    wire->sent = atomic_load(&h->sent);
    wire->came = atomic_load(&h->came);
    return wire->under_way || wire->sent || wire->came;
}
