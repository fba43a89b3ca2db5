/* See held.h. */
#include "fw/held.h"

#include <stdlib.h>

#include "fw/sendq.h"
#include "fw/stray.h"

/* False: no memory, and then no bound. */
static bool have_table(struct fw *fw)
{
    if (!fw->held)
        fw->held = calloc(nic_ranks(fw->nic), sizeof *fw->held);
    return fw->held;
}

static void tell(struct fw *fw, uint32_t peer, bool hold)
{
    fw->held[peer].told = hold;
    FW_COUNT(fw, senders_held, hold);
    mpi_fw_post_control(fw, peer, FW_PACKET_HOLD, hold, NULL, 0);
}

void mpi_fw_held_add(struct fw *fw, struct fw_unexpected *m)
{
    uint32_t source = nic_packet_source(fw->nic);
    if (m->bytes <= fw->eager_max || nic_is_here(fw->nic, source) || !have_table(fw))
        return;
    m->holds = true;
    m->from = source;
    struct fw_held *h = &fw->held[source];
    h->bytes += m->bytes;
    if (h->bytes > FW_HELD_MOST && !h->told)
        tell(fw, source, true);
}

void mpi_fw_held_remove(struct fw *fw, struct fw_unexpected *m)
{
    if (!m->holds || !fw->held)
        return;
    m->holds = false;
    struct fw_held *h = &fw->held[m->from];
    h->bytes -= m->bytes;
    if (h->bytes <= FW_HELD_MOST / 2 && h->told)
        tell(fw, m->from, false);
}

void mpi_fw_hold_arrived(struct fw *fw, const struct nic_packet *p)
{
    uint32_t source = nic_packet_source(fw->nic);
    if (p->match > 1 || nic_is_here(fw->nic, source))
        fw_stray_packet(fw);
    else if (have_table(fw))
        fw->held[source].asks = p->match;
}

/* Nobody is told any more. */
void mpi_fw_held_delete(struct fw *fw)
{
    free(fw->held);
    fw->held = NULL;
}
