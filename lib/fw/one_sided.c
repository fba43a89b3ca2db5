/* Packets of one-sided operations, on their way to who handles them. */
#include "fw/one_sided.h"

void mpi_fw_on_window(struct fw *fw, fw_window_fn *handler, void (*landed)(void))
{
    fw->window = handler;
    fw->window_landed = landed;
}

bool mpi_fw_send_window(struct fw *fw, unsigned peer, const struct fw_window_packet *p,
                        bool service)
{
    const struct nic_tx m = { .type = FW_PACKET_WINDOW, .head_bytes = (uint8_t)p->head_bytes,
                              .data_bytes = (uint32_t)p->bytes, .match = p->match,
                              .head = p->head, .data = p->data };
    if (service ? nic_send_service(fw->nic, peer, &m) : nic_send(fw->nic, peer, &m))
        return false;
    FW_COUNT(fw, one_sided_asked, 1);
    return true;
}

void mpi_fw_count_move(struct fw *fw, bool moved)
{
    FW_COUNT(fw, windows_moved, moved);
    FW_COUNT(fw, windows_unmoved, !moved);
}

void mpi_fw_count_lock(struct fw *fw, bool waited)
{
    FW_COUNT(fw, locks_taken, 1);
    FW_COUNT(fw, locks_waited, waited);
}

void mpi_fw_window_arrived(struct fw *fw, const struct nic_packet *p)
{
    switch (fw->window ? fw->window(p, nic_packet_source(fw->nic)) : FW_WINDOW_STRAY) {
    case FW_WINDOW_STRAY: FW_COUNT(fw, strays_malformed, 1); break;
    case FW_WINDOW_REFUSED: FW_COUNT(fw, one_sided_refused, 1); break;
    case FW_WINDOW_SERVED: FW_COUNT(fw, one_sided_served, 1); break;
    }
}
