/* The parts of the firmware's fuzz target. */
#ifndef FUZZ_FIRMWARE_H
#define FUZZ_FIRMWARE_H

#include "fuzz.h"
#include "fw/queue.h"
#include "fw/request.h"
#include "fw/rndv.h"
#include "fw/schedule.h"
#include "fw/state.h"
#include "fw/stray.h"

enum { OWN_CONTEXT = 3, HONEST_CONTEXT = 4, KNOWN = 32, ARENA = 1 << 20, BIG = 300000,
       EAGER = 1000, TAGS = 3, ROUNDS = 2 };

extern struct nic *nic[RANKS];
extern struct fw *fw[RANKS];                /* the forger has none */
extern unsigned char arena[ARENA];          /* the forger's memory, as far as it has any */

/* Bytes of a message: below and around the limits of the protocols. */
size_t a_size(struct input *in);

/* Everybody in turn until nothing moves. */
void settle(void);

/* forge.c: what the forger learns from the victim's packets, and what it sends */
extern const struct nic_program forger_program;
void forger_reset(void);
void forge(struct input *in);
void forger_gives_back(void);       /* staging buffers that it holds, so that others get them */

/* state.c: that the firmware's own state holds together; the second takes the posted queue apart */
void state_check(const struct fw *fw);
void state_check_last(struct fw *fw);

#endif
