/* Boots of two NICs that number their frames (reliable/window.h): what each knows of the other's
 * incarnation, and nothing else.  A NIC that boots forgets all numbers, its incarnation is the next
 * one, and what was under way to it is lost without anybody's knowing how far it had come.
 *
 * Frames say whose they are, whom they are meant for, and how far in front of them the oldest one
 * is that is not acknowledged; answers the same without the last.  The first frame that a NIC sees
 * after its boot is taken, whatever its number, and the answer (FIRST) says which one it was: all
 * in front of it fail at their sender, which does not take an ordinary acknowledgment of another
 * incarnation for one of theirs.  While a NIC boots it refuses (PREBOOT), and that frame fails with
 * all in front of it.  So of each frame its sender knows that it has been delivered, or that it has
 * failed, when it may have been delivered; and each incarnation is given none twice, in order.
 *
 * Incarnations are counted from 1, modulo 2^8; 0: it has never booted, or is not known. */
#ifndef NIC_RELIABLE_INCARNATION_H
#define NIC_RELIABLE_INCARNATION_H

#include "reliable/window.h"

struct nic_incarnation {
    uint8_t its;        /* the peer's whose frames are taken */
    uint8_t meant;      /* the peer's for which frames are meant, as its answers say */
    bool begun;         /* a frame of the peer's has come */
    bool stale;         /* and the newest one was meant for another incarnation than ours */
    uint32_t first;     /* its number */
};

struct nic_incarnation_frame { uint8_t from, to; uint16_t number, behind; };

/* The peer has been up from the beginning, or is booting now; `begun`: and its frames are taken
 * from number 0 on, not from the first one that comes. */
void nic_incarnation_init(struct nic_incarnation *i, uint8_t its, bool begun);

/* A frame has come, of an incarnation `from` for one `to`, which has 16 bits of its number and
 * `behind` others in front of it that are not acknowledged.  False: its sender has booted since.
 * After true the window expects what is right: of what lies in front of it nothing will come. */
bool nic_incarnation_frame(struct nic_incarnation *i, struct nic_window *w, uint8_t own,
                           const struct nic_incarnation_frame *frame);

/* The number that these 16 bits mean, near to one that is known. */
static inline uint32_t nic_number_near(uint32_t known, uint16_t bits)
{
    return known + (uint32_t)(int32_t)(int16_t)(bits - (uint16_t)known);
}

enum nic_incarnation_answer {
    NIC_ANSWER_OTHERS,          /* of another incarnation, or for one: nothing is to be learnt */
    NIC_ANSWER_OURS,            /* an ordinary one */
    NIC_ANSWER_FIRST,           /* all in front of the first one fail, before it counts */
};

/* An answer that is no PREBOOT; first: it is FIRST. */
enum nic_incarnation_answer nic_incarnation_answer(struct nic_incarnation *i, uint8_t own,
                                                   uint8_t from, uint8_t to, bool first);
/* A PREBOOT counts. */
bool nic_incarnation_is_booting(const struct nic_incarnation *i, uint8_t own, uint8_t from,
                                uint8_t to);

#endif
