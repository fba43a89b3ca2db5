/* The functions that nicemu_fast.h inlines, for programs that have nicemu.h only. */
#define NIC_FAST
#include "core/nic.h"
