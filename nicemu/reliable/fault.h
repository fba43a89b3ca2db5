/* A wire with faults (NICEMU_FAULT): frames are lost, doubled, swapped or spoilt at random, by a
 * generator of its own with a seed, so that a run of one thread meets the same ones again. */
#ifndef NIC_RELIABLE_FAULT_H
#define NIC_RELIABLE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* drop, dup, reorder, corrupt: of 2^32 frames so many, 2^32 - 1 at most. */
#define NIC_FAULTS(X) X(drop) X(dup) X(reorder) X(corrupt)
#define NIC_FAULT_ENUM(name) NIC_FAULT_##name,
enum { NIC_FAULTS(NIC_FAULT_ENUM) NIC_FAULT_COUNT };

struct nic_fault {
    uint32_t likely[NIC_FAULT_COUNT];
    uint64_t seed, state;
    uint64_t frames, done[NIC_FAULT_COUNT];     /* that went in; that a fault happened to */
    struct nic_fault_held *held;                /* a frame that the next ones overtake */
    unsigned overtaken;
};

/* Puts a frame on the wire itself; false: the wire has no room, which counts as lost.  The bytes
 * are as long as the call. */
typedef bool nic_fault_emit(void *context, uint32_t peer, void *frame, size_t bytes);

/* "drop=1%,dup=0.5%,reorder=2%,corrupt=0.1%,seed=7", each at most once, in any order; a share may
 * be a plain number from 0 to 1 too.  0, or -EINVAL and a text that names what is wrong. */
int nic_fault_parse(struct nic_fault *fault, const char *text, char *why, size_t room);
/* Each rank's faults are its own. */
void nic_fault_begin(struct nic_fault *fault, uint32_t rank);
/* What happens to the next frame, where nothing is sent here. */
void nic_fault_draw(struct nic_fault *fault, bool happens[NIC_FAULT_COUNT]);
/* The frame may be spoilt in place. */
void nic_fault_send(struct nic_fault *fault, uint32_t peer, void *frame, size_t bytes,
                    nic_fault_emit *emit, void *context);
/* Nothing has followed a frame that was to be overtaken: it goes. */
void nic_fault_flush(struct nic_fault *fault, nic_fault_emit *emit, void *context);
/* What is held is dropped. */
void nic_fault_end(struct nic_fault *fault);
uint64_t nic_fault_total(const struct nic_fault *fault);

#endif
