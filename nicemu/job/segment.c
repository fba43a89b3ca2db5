/* The job segment: what stands in it, and the life and death of ranks as the launcher sees them. */
#include "job/segment.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int nic_job_fd(const struct nic_job *job) { return job->fd; }
unsigned nic_job_ranks(const struct nic_job *job) { return job->ranks; }
unsigned nic_job_cores(const struct nic_job *job) { return job->header->cores; }
size_t nic_job_scratchpad_bytes(const struct nic_job *job) { return job->header->scratchpad; }
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
    close(job->fd);
    free(job);
}

enum nic_rank_state nic_job_rank_state(const struct nic_job *job, unsigned rank)
{
    return rank < job->ranks ? (enum nic_rank_state)atomic_load(&job->publics[rank].state) : NIC_RANK_ABSENT;
}

bool nic_job_set_abort(struct nic_job *job, unsigned rank, int code)
{
    uint64_t none = 0, word = UINT64_C(1) << 63 | (uint64_t)rank << 32 | (uint32_t)code;
    return atomic_compare_exchange_strong(&job->header->abort, &none, word);
}

bool nic_job_aborted(const struct nic_job *job, unsigned *rank, int *code)
{
    uint64_t word = atomic_load(&job->header->abort);
    if (rank)
        *rank = (uint32_t)(word >> 32) & 0x7fffffff;
    if (code)
        *code = (int)(uint32_t)word;
    return word != 0;
}

void nic_job_set_note(struct nic_job *job, unsigned rank, const char *text)
{
    struct nic_note *n = &job->notes[rank];
    size_t i = 0;
    for (; text[i] && i < sizeof n->text - 1; i++)
        atomic_store_explicit(&n->text[i], (uint8_t)text[i], memory_order_relaxed);
    atomic_store_explicit(&n->text[i], 0, memory_order_relaxed);
}

void nic_job_rank_note(const struct nic_job *job, unsigned rank, char *text, size_t size)
{
    size_t i = 0;
    if (!size)
        return;
    if (rank < job->ranks)
        while (i < size - 1 && i < sizeof job->notes->text - 1
               && (text[i] = (char)atomic_load_explicit(&job->notes[rank].text[i], memory_order_relaxed)))
            i++;
    text[i] = 0;
}

/* One step of FNV-1a over a word; the answer only has to change when something moves. */
static uint64_t mix(uint64_t hash, uint64_t word) { return (hash ^ word) * UINT64_C(0x100000001b3); }

uint64_t nic_job_standstill(const struct nic_job *job)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    unsigned open = 0;
    for (unsigned r = 0; r < job->ranks; r++) {
        struct nic_public *p = &job->publics[r];
        uint32_t state = atomic_load(&p->state);
        if (state == NIC_RANK_CLOSED)
            continue;
        if (state != NIC_RANK_OPEN || !(atomic_load(&p->attention) & NIC_PARKED))
            return 0;
        struct nic_ring *ring = nic_job_ring(job, r);
        uint64_t tail = atomic_load(&ring->tail);
        if (tail != atomic_load(&ring->head))
            return 0;
        hash = mix(mix(mix(hash, tail), atomic_load(&p->doorbell)), atomic_load(&p->sleeps));
        open++;
    }
    return open ? hash | 1 : 0;
}
