/* See reliable/fault.h. */
#define _GNU_SOURCE
#include "reliable/fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OVERTAKEN_BY = 3 };      /* at most so many frames pass one that is held */

struct nic_fault_held { uint32_t peer; size_t bytes; unsigned char frame[]; };

/* -- the text */

#define NAME(name) #name,
static const char *const names[] = { NIC_FAULTS(NAME) };

static int wrong(char *why, size_t room, const char *item, size_t length, const char *what)
{
    snprintf(why, room, "'%.*s' %s", (int)length, item, what);
    return -EINVAL;
}

/* From 0 to 1, or with "%" to 100, in 2^32nds, whatever the locale; false: it is none. */
static bool share(const char *text, const char *end, uint32_t *likely)
{
    double value = 0, digit = 1;
    bool fraction = false, digits = false;
    for (; text < end && (*text == '.' ? !fraction : *text >= '0' && *text <= '9'); text++) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        value = fraction ? value + (digit /= 10) * (*text - '0') : value * 10 + (*text - '0');
        digits = true;
    }
    if (text < end && *text == '%') {
        value /= 100;
        text++;
    }
    if (text != end || !digits || value > 1)
        return false;
    *likely = value * 4294967296.0 > 4294967295.0 ? UINT32_MAX : (uint32_t)(value * 4294967296.0);
    return true;
}

static bool number(const char *text, const char *end, uint64_t *value)
{
    char *rest;
    errno = 0;
    *value = strtoull(text, &rest, 10);
    return *text >= '0' && *text <= '9' && rest == end && !errno;
}

/* The fault that an item names, NIC_FAULT_COUNT: the seed; -1: none. */
static int which(const char *item, size_t length)
{
    for (int i = 0; i < NIC_FAULT_COUNT; i++)
        if (strlen(names[i]) == length && !memcmp(item, names[i], length))
            return i;
    return length == 4 && !memcmp(item, "seed", 4) ? NIC_FAULT_COUNT : -1;
}

static int item(struct nic_fault *f, const char *text, const char *end, unsigned *seen,
                char *why, size_t room)
{
    size_t length = (size_t)(end - text);
    const char *equals = memchr(text, '=', length);
    int kind = equals ? which(text, (size_t)(equals - text)) : -1;
    if (kind < 0)
        return wrong(why, room, text, length,
                     "is no fault: drop=, dup=, reorder=, corrupt= and seed= are");
    if (*seen >> kind & 1)
        return wrong(why, room, text, length, "is there twice");
    *seen |= 1u << kind;
    if (kind == NIC_FAULT_COUNT)
        return number(equals + 1, end, &f->seed) ? 0
               : wrong(why, room, text, length, "needs a whole number");
    return share(equals + 1, end, &f->likely[kind]) ? 0
           : wrong(why, room, text, length, "needs a share from 0% to 100%");
}

int nic_fault_parse(struct nic_fault *f, const char *text, char *why, size_t room)
{
    unsigned seen = 0;
    *f = (struct nic_fault){ .seed = 1 };
    for (;;) {
        const char *end = strchrnul(text, ',');
        int rc = item(f, text, end, &seen, why, room);
        if (rc || !*end)
            return rc;
        text = end + 1;
    }
}

/* -- the faults */

/* splitmix64: any state is a good one */
static uint64_t next_random(struct nic_fault *f)
{
    uint64_t z = f->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void nic_fault_begin(struct nic_fault *f, uint32_t rank)
{
    f->state = f->seed;
    f->state = next_random(f) + rank;
}

/* One number for each kind and frame, whatever happened: what one fault is set to does not move the
 * others. */
static bool strikes(struct nic_fault *f, unsigned kind)
{
    bool yes = (uint32_t)next_random(f) < f->likely[kind];
    f->done[kind] += yes;
    return yes;
}

static void spoil(struct nic_fault *f, unsigned char *frame, size_t bytes)
{
    uint64_t r = next_random(f);
    if (bytes)
        frame[(r >> 8) % bytes] ^= (unsigned char)(1u << (r & 7));
}

/* A frame is held only while no other is; without memory it is not. */
static bool hold(struct nic_fault *f, uint32_t peer, const void *frame, size_t bytes)
{
    if (f->held || !(f->held = malloc(sizeof *f->held + bytes)))
        return false;
    f->held->peer = peer;
    f->held->bytes = bytes;
    memcpy(f->held->frame, frame, bytes);
    f->overtaken = 0;
    return true;
}

void nic_fault_flush(struct nic_fault *f, nic_fault_emit *emit, void *context)
{
    struct nic_fault_held *h = f->held;
    if (!h)
        return;
    f->held = NULL;
    emit(context, h->peer, h->frame, h->bytes);
    free(h);
}

void nic_fault_draw(struct nic_fault *f, bool happens[NIC_FAULT_COUNT])
{
    f->frames++;
    for (unsigned i = 0; i < NIC_FAULT_COUNT; i++)
        happens[i] = strikes(f, i);
}

void nic_fault_send(struct nic_fault *f, uint32_t peer, void *frame, size_t bytes,
                    nic_fault_emit *emit, void *context)
{
    bool happens[NIC_FAULT_COUNT];
    nic_fault_draw(f, happens);
    if (happens[NIC_FAULT_corrupt])
        spoil(f, frame, bytes);
    if (happens[NIC_FAULT_drop])
        return;
    if (happens[NIC_FAULT_reorder] && hold(f, peer, frame, bytes))
        return;
    emit(context, peer, frame, bytes);
    if (happens[NIC_FAULT_dup])
        emit(context, peer, frame, bytes);
    if (f->held && ++f->overtaken >= OVERTAKEN_BY)
        nic_fault_flush(f, emit, context);
}

void nic_fault_end(struct nic_fault *f)
{
    free(f->held);
    f->held = NULL;
}

uint64_t nic_fault_total(const struct nic_fault *f)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < NIC_FAULT_COUNT; i++)
        sum += f->done[i];
    return sum;
}
