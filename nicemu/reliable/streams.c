/* See reliable/streams.h. */
#include "reliable/streams.h"

void nic_streams_init(struct nic_streams *s, uint32_t count, uint64_t *until)
{
    *s = (struct nic_streams){ .count = count, .until = until };
    for (uint32_t i = 0; i < count; i++)
        until[i] = 0;
}

int nic_streams_take(struct nic_streams *s, uint64_t now)
{
    uint32_t busy = 0;
    int found = -1;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->until[i] > now)
            busy++;
        else if (found < 0)
            found = (int)i;
    if (found < 0)
        return -1;
    s->until[found] = NIC_STREAMS_NEVER;
    if (++busy > s->used)
        s->used = busy;
    return found;
}

void nic_streams_release(struct nic_streams *s, int stream, uint64_t time)
{
    s->until[stream] = time;
}

uint32_t nic_streams_refuse(struct nic_streams *s)
{
    if (s->line < NIC_STREAMS_LINE)
        s->line++;
    return s->line;
}

void nic_streams_accept(struct nic_streams *s)
{
    if (s->line)
        s->line--;
}
