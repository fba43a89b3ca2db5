#include "fw/data.h"

void mpi_fw_gather(const struct nic_tx *m, size_t from, void *to, size_t bytes)
{
    const struct fw_req *send = m->data;
    struct fw_data d = { 0 };
    if (m->type == FW_PACKET_DATA)
        memcpy(&d, m->head, sizeof d);
    fw_data_out(send, d.offset + from, to, bytes);
}

void mpi_fw_scatter(struct fw_object *object, size_t place, const void *from, size_t bytes)
{
    fw_data_in((const struct fw_req *)object, place, from, bytes);
}

void mpi_fw_sink(struct fw *fw, struct fw_req *recv, size_t place, size_t bytes)
{
    if (fw_layout(recv))
        nic_receive_scattered(fw->nic, place, bytes, recv);
    else
        nic_receive_body(fw->nic, (char *)recv->buffer + place, bytes, recv);
}
