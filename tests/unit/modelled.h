/* A profile whose costs are all different, for tests of the model clock. */
#ifndef MODELLED_H
#define MODELLED_H

#include "nicemu.h"

static inline const struct nic_profile *test_profile(void)
{
    static struct nic_profile p;

    if (p.link.latency)
        return &p;
    nic_profile_default(&p);
    p.call.enter = 20000;
    p.call.completion = 10000;
    p.call.test = 11000;
    p.call.wtime = 12000;
    p.call.command = 13000;
    p.bus.latency = 50000;
    p.bus.byte = 10 * 1024;
    p.nic.packet = 21000;
    p.nic.command = 22000;
    p.nic.advance = 23000;
    p.nic.complete = 5000;
    p.nic.entry_hit = 2000;
    p.nic.control = 9000;
    p.tx.start = 17000;
    p.tx.byte = 100 * 1024;
    p.rx.start = 15000;
    p.rx.byte = 90 * 1024;
    p.link.byte = 80 * 1024;
    p.rdma.start = 100000;
    p.rdma.byte = 100 * 1024;
    p.link.latency = 200000;
    return &p;
}

#endif
