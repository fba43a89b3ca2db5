/* What the fuzz targets share: input that is read as a program, buffers with guards, and a job of
 * three ranks in this process: a victim, a forger, who sends what the input says, and an honest
 * one, whose traffic with the victim has to go on undisturbed. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/nic.h"
#include "link/links.h"

enum { VICTIM, FORGER, HONEST, RANKS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))

_Noreturn static inline void fuzz_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, condition);
    abort();
}

/* -- input: numbers of so many bytes, zeros behind its end */

struct input { const uint8_t *at, *end; };

static inline bool input_ended(const struct input *in) { return in->at == in->end; }

static inline uint64_t input_take(struct input *in, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes && in->at < in->end; i++)
        value |= (uint64_t)*in->at++ << 8 * i;
    return value;
}

/* A number that is small, near a limit, or anything. */
static inline uint64_t input_number(struct input *in, uint64_t limit)
{
    uint8_t how = (uint8_t)input_take(in, 1);
    switch (how % 4) {
    case 0: return how / 4;
    case 1: return limit + (uint64_t)(how / 8) - 16;
    case 2: return input_take(in, 2);
    default: return input_take(in, 8);
    }
}

static inline void input_bytes(struct input *in, void *to, size_t bytes)
{
    size_t have = (size_t)(in->end - in->at), n = bytes < have ? bytes : have;
    memcpy(to, in->at, n);
    memset((char *)to + n, 0x5a, bytes - n);
    in->at += n;
}

/* -- buffers between guards */

enum { GUARD = 64, GUARD_BYTE = 0xe7 };

static inline unsigned char *guarded_new(size_t bytes)
{
    unsigned char *p = malloc(bytes + 2 * GUARD);
    must(p);
    memset(p, GUARD_BYTE, bytes + 2 * GUARD);
    return p + GUARD;
}

static inline void guarded_check(const unsigned char *p, size_t bytes)
{
    for (unsigned i = 0; i < GUARD; i++)
        must(p[-1 - (int)i] == GUARD_BYTE && p[bytes + i] == GUARD_BYTE);
}

static inline void guarded_free(unsigned char *p, size_t bytes)
{
    guarded_check(p, bytes);
    free(p - GUARD);
}

/* -- payload: another window into one table for each seed */

enum { TABLE = 1 << 19, SEEDS = 1 << 12 };

static inline const unsigned char *payload_of(unsigned seed)
{
    static unsigned char table[TABLE + SEEDS];
    uint64_t x = 88172645463325252u;

    if (!table[0])
        for (size_t i = 0; i < sizeof table; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            table[i] = (unsigned char)(x | !i);
        }
    return table + seed % SEEDS;
}

/* -- job */

/* scratchpad: its size, 0: the usual. */
static inline struct nic_job *fuzz_job(size_t scratchpad)
{
    struct nic_job_config config = { .ranks = RANKS, .cores = 64, .scratchpad = scratchpad };
    struct nic_job *job = NULL;
    must(!nic_job_create(&config, &job));
    return job;
}

static inline struct nic *fuzz_nic(struct nic_job *job, unsigned rank,
                                   const struct nic_program *program, void *context)
{
    struct nic_config config = { .job = job, .rank = rank, .link = "loop",
                                 .progress = NIC_PROGRESS_HOST, .program = program,
                                     .context = context };
    struct nic *nic = NULL;
    must(!nic_open(&config, &nic));
    return nic;
}

static inline bool fuzz_step(struct nic *nic)
{
    nic_enter(nic);
    bool moved = nic_step(nic);
    nic_leave(nic);
    return moved;
}

static inline int fuzz_send(struct nic *nic, unsigned peer, const struct nic_tx *m)
{
    nic_enter(nic);
    int rc = nic_send_service(nic, peer, m);
    nic_leave(nic);
    return rc;
}

#endif
