/* See reliable/incarnation.h.  tests/model/boot.pml has the same states for spin. */
#include "reliable/incarnation.h"

static bool is_newer(uint8_t a, uint8_t b) { return (int8_t)(uint8_t)(a - b) > 0; }

void nic_incarnation_init(struct nic_incarnation *i, uint8_t its, bool begun)
{
    *i = (struct nic_incarnation){ .its = its, .meant = its, .begun = begun };
}

/* Which frame counts as the next one, if that changes. */
static void expect(struct nic_incarnation *i, struct nic_window *w, uint32_t number)
{
    nic_window_expect(w, number);
    i->first = number;
    i->begun = true;
}

bool nic_incarnation_frame(struct nic_incarnation *i, struct nic_window *w, uint8_t own,
                           const struct nic_incarnation_frame *frame)
{
    if (!i->begun) {
        expect(i, w, frame->number);
    } else if (is_newer(frame->from, i->its)) {
        expect(i, w, 0);
    } else if (frame->from != i->its) {
        return false;
    }
    i->its = frame->from;
    uint32_t oldest = nic_number_near(w->expected, frame->number) - frame->behind;
    if ((int32_t)(oldest - w->expected) > 0)
        expect(i, w, oldest);
    i->stale = frame->to != own;
    return true;
}

enum nic_incarnation_answer nic_incarnation_answer(struct nic_incarnation *i, uint8_t own,
                                                   uint8_t from, uint8_t to, bool first)
{
    if (to != own || (i->meant && from != i->meant && !(first && is_newer(from, i->meant))))
        return NIC_ANSWER_OTHERS;
    if (from == i->meant)
        return NIC_ANSWER_OURS;
    if (!first)
        return NIC_ANSWER_OTHERS;
    i->meant = from;
    return NIC_ANSWER_FIRST;
}

bool nic_incarnation_is_booting(const struct nic_incarnation *i, uint8_t own, uint8_t from,
                                uint8_t to)
{
    return to == own && (!from || !is_newer(i->meant, from));
}
