/* The variables of the environment that the NIC's library reads. */
#include "nicemu/variables.h"

#include <stddef.h>

static const struct nic_variable variables[] = {
    { "NICEMU_SCRATCHPAD", NIC_VARIABLE_USER, false, "SIZE", "1M, or the model's",
      "The same as --scratchpad, which goes before it. A program that is started without mpirun "
      "reads it too.",
      NIC_VARIABLE_ALONE },
    { "NICEMU_HEAP", NIC_VARIABLE_USER, false, "SIZE|none", "4G, less with many ranks",
      "The same as --heap, which goes before it. A program that is started without mpirun reads it "
      "too.",
      NIC_VARIABLE_ALONE },
    { "NICEMU_PROGRESS", NIC_VARIABLE_USER, false, "auto|thread|host", "auto",
      "Who moves messages on: the rank while it waits and the thread of its network interface "
      "while it computes; that thread, all the time; or only the rank, inside MPI calls.",
      NIC_VARIABLE_AT_START },
    { "NICEMU_PROFILES", NIC_VARIABLE_USER, false, NULL, NULL,
      "The folder in which profiles are looked for by their names, see nicinfo(1).",
      NIC_VARIABLE_FIXED },
    { "NICEMU_RDMA", NIC_VARIABLE_TRIAL, true, "staged|read|write", "read and write",
      "No copies between processes by the kernel, or in one direction only.",
      NIC_VARIABLE_AT_START },
    { "NICEMU_REMOTE", NIC_VARIABLE_TRIAL, true, "packet", "direct access",
      "Memory of peers is reached by packets only.",
      NIC_VARIABLE_AT_START },
    { "NICEMU_OFI_PROVIDER", NIC_VARIABLE_USER, false, "NAME", "the first that works",
      "In a job of several machines: the provider of libfabric that carries between them; udp: by "
      "datagrams, which are sent again when they get lost.",
      NIC_VARIABLE_AT_START },
    { "NICEMU_WIRE_PATIENCE", NIC_VARIABLE_USER, false, "MS", "10000",
      "In a job of several machines: after so many milliseconds in which nothing comes from a rank "
      "on another one that is waited for, or it takes nothing at all, not even a connection, it "
      "counts as lost, and what waits for it ends with an error.",
      NIC_VARIABLE_AT_START },
    { "NICEMU_FAULT", NIC_VARIABLE_TRIAL, false, "FAULTS", "none",
      "A wire that loses, between all ranks, on one machine too: drop=1%,dup=1%,reorder=2%,"
      "corrupt=0.1%,seed=7, each of them once or not at all. Every byte travels in packets then, "
      "and frames are sent again until they have arrived whole, once and in order. MPILITE_STATS "
      "counts the faults. On the model clock they happen to packets, the same ones in each run.",
      NIC_VARIABLE_AT_START },
    { "NICEMU_BOOT", NIC_VARIABLE_TRIAL, false, "BOOTS", "none",
      "On the model clock: NICs that boot while others send to them, RANK@FROM-UNTIL in "
      "microseconds of virtual time, with commas between them. From 0: the rank is not up before. "
      "Messages to a rank that boots again fail, which ends a job of MPI; one that is not yet up "
      "is waited for.",
      NIC_VARIABLE_AT_START },
    { "NICEMU_MACHINES", NIC_VARIABLE_TRIAL, false, "NUMBER", "1",
      "The ranks of one machine are told apart as if they were on so many, as many neighbours on "
      "each: what goes from one to another travels in packets, and collectives go in two levels. "
      "Not on the model clock.",
      NIC_VARIABLE_AT_START },
    { "NICEMU_SIMD", NIC_VARIABLE_TRIAL, true, "none|avx2", "the best that the processor has",
      "How the matching store is searched, and numbers are reduced.",
      NIC_VARIABLE_AT_START },
    { "NICEMU_CROWDED", NIC_VARIABLE_TRIAL, true, "yes|no", "as it is",
      "Wait, and choose protocols and collectives, as if ranks shared cores, or as if each had its "
      "own.",
      NIC_VARIABLE_AT_START_ALL },
    { "NICEMU_MEMBARRIER", NIC_VARIABLE_TRIAL, true, "on|off", "on",
      "Whether the kernel's membarrier takes the place of fences.",
      NIC_VARIABLE_AT_START_ALL },
    { "NICEMU_RANK", NIC_VARIABLE_RANK, false, NULL, NULL, "Its rank.",
      NIC_VARIABLE_FIXED },
    { "NICEMU_JOB_FD", NIC_VARIABLE_RANK, false, NULL, NULL,
      "The descriptor of the job's shared memory, and where it is found when a program between "
      "mpirun and the MPI program has closed it.",
      NIC_VARIABLE_FIXED },
    { "NICEMU_THREAD_CPUS", NIC_VARIABLE_RANK, false, NULL, NULL,
      "In a job that is bound, the processors of the thread of its network interface.",
      NIC_VARIABLE_FIXED },
};

const struct nic_variable *nic_variable_at(unsigned i)
{
    return i < sizeof variables / sizeof *variables ? &variables[i] : NULL;
}
