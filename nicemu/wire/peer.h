/* Peers on other machines. */
#ifndef NIC_WIRE_PEER_H
#define NIC_WIRE_PEER_H

#include "wire/state.h"

/* The peer's state, made at first use; NULL: no memory. */
struct nic_wire_peer *nic_wire_peer(struct nic *nic, unsigned rank);
/* Looks up where it is; 0, or a negative errno. */
int nic_wire_find(struct nic *nic, struct nic_wire_peer *peer);
/* Those that wait to be sent. */
void nic_wire_drop_frames(struct nic_wires *wires, struct nic_wire_peer *peer);
/* Nothing reaches it any more: its frames are dropped, and the patrol is told.  Without one that
 * ends the process, unless one of the two closes. */
void nic_wire_lose(struct nic *nic, struct nic_wire_peer *peer, const char *why);
void nic_wire_peers_free(struct nic *nic);
/* What cannot be told to the program otherwise. */
_Noreturn void nic_wire_end_process(const struct nic *nic, const char *why);

#endif
