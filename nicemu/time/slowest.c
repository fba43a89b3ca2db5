#include "time/slowest.h"

#include <stdlib.h>

static int three_way(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

int nic_explain_compare(const struct nic_explained *a, const struct nic_explained *b)
{
    const struct nic_critical_path *v = &a->way, *w = &b->way;
    int order = three_way(w->time - w->began, v->time - v->began);
    order = order ? order : three_way(v->began, w->began);
    order = order ? order : three_way(v->rank, w->rank);
    order = order ? order : three_way(v->sequence, w->sequence);
    return order ? order : three_way(a->to, b->to);
}

bool nic_slowest_init(struct nic_slowest *s, unsigned most)
{
    *s = (struct nic_slowest){ .heap = calloc(most, sizeof *s->heap), .most = most };
    return s->heap;
}

static void sink(struct nic_slowest *s)
{
    struct nic_explained *h = s->heap, moved = h[0];
    unsigned at = 0;
    for (unsigned child = 1; child < s->count; child = 2 * at + 1) {
        if (child + 1 < s->count && nic_explain_compare(&h[child + 1], &h[child]) > 0)
            child++;
        if (nic_explain_compare(&moved, &h[child]) >= 0)
            break;
        h[at] = h[child];
        at = child;
    }
    h[at] = moved;
}

void nic_slowest_add(struct nic_slowest *s, const struct nic_explained *e)
{
    struct nic_explained *h = s->heap;
    if (s->count == s->most) {
        if (nic_explain_compare(e, &h[0]) > 0)
            return;
        h[0] = *e;
        sink(s);
        return;
    }
    unsigned at = s->count++;
    for (; at && nic_explain_compare(&h[(at - 1) / 2], e) < 0; at = (at - 1) / 2)
        h[at] = h[(at - 1) / 2];
    h[at] = *e;
}
