/* Go-back retransmission between two NICs over a wire that loses, doubles, reorders and spoils
 * frames: the states of one peer, in both directions, and nothing else.  Whoever has it reads
 * clocks, moves bytes and keeps the frames' memory; time is a number that does not go back, in
 * nanoseconds or whatever the settings are in (virtual time too).
 *
 * Sending: frames are numbered and kept until the peer has acknowledged them.  A NACK, or no answer
 * for `wait`, sends all that is not acknowledged once more, in order; each time without an answer
 * doubles the wait.  Receiving: a frame counts only if it is the next one, so that nothing has to
 * be kept; one too far ahead is answered by a NACK, once per gap, and the peer's patience does the
 * rest when the NACK is lost.
 *
 * Numbers are compared modulo 2^32.  Fields from the wire are not believed: an acknowledgment of
 * what was never sent changes nothing. */
#ifndef NIC_RELIABLE_WINDOW_H
#define NIC_RELIABLE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#define NIC_WINDOW_NEVER UINT64_MAX

struct nic_window_config {
    uint32_t frames;            /* kept at most, a power of two up to 2^15 */
    uint32_t ack_every;         /* frames at most that one acknowledgment leaves open, from 1 */
    uint64_t ack_delay;         /* how long an acknowledgment waits for a frame to ride on */
    uint64_t wait, wait_most;   /* for an answer: at first, and after doubling */
    uint64_t give_up;           /* without any answer to a frame: the peer is out of reach */
    bool each;                  /* each refusal is told, and answered by going back */
};

struct nic_window {
    const struct nic_window_config *config;
    void **kept;                /* frames by their number modulo config->frames */
    /* sending: oldest <= again <= sent <= next, in distance from oldest */
    uint32_t oldest;            /* not acknowledged */
    uint32_t again;             /* to be put on the wire next */
    uint32_t sent;              /* never on the wire before */
    uint32_t next;              /* number of the next frame that is added */
    uint64_t wait;              /* with what it has been doubled to */
    uint64_t deadline;          /* of the answer to what is on the wire */
    uint64_t leaves;            /* when the last frame that was popped is on the wire, if known */
    uint64_t silent_since;      /* nothing has been acknowledged since, while frames were out;
                                 * moved by the time in which nobody has looked, or which they
                                 * took to leave */
    bool gone_back;             /* by a NACK, and nothing has been acknowledged since */
    /* receiving */
    uint32_t expected;
    uint32_t unanswered;        /* frames that no acknowledgment has left for */
    uint64_t ack_by;
    bool ack_now, nack_now;
    bool nacked;                /* the gap at `expected` has been told */
};

enum nic_window_verdict {
    NIC_WINDOW_NEXT,            /* it is the next one: deliver it */
    NIC_WINDOW_OLD,             /* had it: the acknowledgment was lost, or the wire doubled it */
    NIC_WINDOW_GAP,             /* those in front of it are missing */
    NIC_WINDOW_SENSELESS,       /* no sender that keeps to its window has sent that yet */
};

enum nic_window_answer { NIC_WINDOW_NOTHING, NIC_WINDOW_ACK, NIC_WINDOW_NACK };

/* `kept` has room for config->frames; both outlive the window.  first: the number of the first
 * frame in both directions. */
void nic_window_init(struct nic_window *w, const struct nic_window_config *config, void **kept,
                     uint32_t first);

/* -- sending */

bool nic_window_has_room(const struct nic_window *w);
/* There is room.  The frame leaves when nic_window_pop gives it. */
void nic_window_add(struct nic_window *w, void *frame);
/* What goes on the wire now, and its number; NULL: nothing.  Whoever cannot send it after all calls
 * nic_window_unpop before anything else. */
void *nic_window_pop(struct nic_window *w, uint64_t now, uint32_t *number);
void nic_window_unpop(struct nic_window *w);
/* The last byte of the frame that was popped leaves at that time: nobody answers before. */
void nic_window_leaves(struct nic_window *w, uint64_t time);
/* A frame of the peer says that all in front of `number` have come, or (nack) that it waits for
 * that one.  *first becomes the oldest frame that is no longer kept; returns how many there are:
 * their slots, from kept[*first % frames] on, are the caller's to empty. */
uint32_t nic_window_acked(struct nic_window *w, uint32_t number, bool nack, uint64_t now,
                          uint32_t *first);
/* Time has passed.  False: the peer has been silent for longer than give_up, in which somebody has
 * looked for its answers: calls that come later than nic_window_due count as if they were not. */
bool nic_window_tick(struct nic_window *w, uint64_t now);

/* -- receiving */

enum nic_window_verdict nic_window_arrived(struct nic_window *w, uint32_t number, uint64_t now);
/* What lies in front of that one will not come, or the peer has begun anew. */
void nic_window_expect(struct nic_window *w, uint32_t number);
/* The next one had come, but there is no room for it: it counts as lost.  One more NACK would bring
 * it again at once; the peer's patience brings it later, unless the peer knows how long to wait
 * (config->each). */
void nic_window_refused(struct nic_window *w, uint32_t number);
/* What every frame to the peer carries: the number up to which all have come, and whether that one
 * is missed. */
uint32_t nic_window_answer_now(const struct nic_window *w, bool *nack);
/* The same, and it leaves: the peer is answered. */
uint32_t nic_window_answered(struct nic_window *w, bool *nack);
/* What is to be sent by itself, as no frame is there to carry it. */
enum nic_window_answer nic_window_answer(const struct nic_window *w, uint64_t now);

/* -- both */

/* When nic_window_pop, _answer or _tick have something to do, if nothing comes before. */
uint64_t nic_window_due(const struct nic_window *w, uint64_t now);
/* All that was added has been acknowledged, and all that came answered. */
bool nic_window_is_idle(const struct nic_window *w);

#endif
