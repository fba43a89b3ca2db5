/* The descriptor in which a provider on TCP sleeps itself. */
#ifndef NIC_OFI_INNER_H
#define NIC_OFI_INNER_H

#include <stdbool.h>
#include <sys/socket.h>

/* The epoll descriptor of this process that watches the socket which listens at that address; it
 * stays its owner's.  -1: there is none, or it cannot be told. */
int ofi_inner_epoll(const struct sockaddr *listens, socklen_t bytes);

#endif
