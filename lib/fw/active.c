#include "fw/active.h"

#include "fw/modelled.h"
#include "fw/req_list.h"
#include "fw/tuning.h"

void mpi_fw_activate(struct fw *fw, struct fw_req *r)
{
    if (r->active)
        return;
    fw_critical_path_save(fw, &r->way);
    r->active = true;
    fw_req_list_append(&fw->active, r);
    nic_hold_polling(fw->nic, 1);
}

void mpi_fw_deactivate(struct fw *fw, struct fw_req *r)
{
    fw_req_list_remove(&fw->active, r);
    r->active = false;
    nic_hold_polling(fw->nic, -1);
}

/* The first one again next turn: what is finished early is of use early.  Now and then behind all
 * others, so that none starves. */
void mpi_fw_reactivate(struct fw *fw, struct fw_req *r)
{
    if (!(++fw->turns % FW_TURNS_IN_A_ROW) || !fw->active.first) {
        mpi_fw_activate(fw, r);
        return;
    }
    fw_critical_path_save(fw, &r->way);
    r->active = true;
    fw_req_list_push(&fw->active, r);
    nic_hold_polling(fw->nic, 1);
}

/* Goes on with the request's way, and then with that of the caller again. */
static bool advance_modelled(struct fw *fw, struct fw_req *r)
{
    uint32_t own = 0;
    fw_critical_path_save(fw, &own);
    fw_critical_path_join(fw, &r->way, NIC_PART_WAIT);
    bool moved = r->protocol->advance(fw, r);
    fw_critical_path_join(fw, &own, NIC_PART_WAIT);
    return moved;
}

/* One piece, so that packets don't wait for long.  A protocol finds its request out of the queue
 * when its advance() is called, or puts it back as the last thing that it does with it. */
bool mpi_fw_advance_active(struct fw *fw)
{
    struct fw_req *r = fw_req_list_take(&fw->active);
    r->active = false;
    nic_hold_polling(fw->nic, -1);
    if (__builtin_expect(fw->modelled, 0))
        return advance_modelled(fw, r);
    return r->protocol->advance(fw, r);
}
