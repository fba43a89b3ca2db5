/* Help. */
#include "launch/command/help.h"

#include <stdio.h>

#include "base/variables.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static const char text[] =
    "usage: mpirun [OPTION]... PROGRAM [ARGUMENT]...\n"
    "       mpirun [OPTION]... PROGRAM [ARGUMENT]... : [OPTION]... PROGRAM ...\n"
    "\n"
    "Starts the ranks of an MPI job on this machine.  Options may be written with\n"
    "one dash or two.\n"
    "\n"
    "What to start\n"
    "  -n, -np, -c N           number of ranks (default: the cores that may be used)\n"
    "  -wd, -wdir DIR          working directory\n"
    "  -x NAME[=VALUE]         environment variable for this program\n"
    "  -env NAME VALUE         the same, or NAME=VALUE\n"
    "  -genv NAME VALUE        environment variable for all programs\n"
    "  -envnone, -envlist LIST  no variables of mpirun's own, or only these;\n"
    "                          -genvnone and -genvlist: for all programs\n"
    "  --app, -configfile FILE  a file with a program and its options in each line\n"
    "  :                       another program of the same job, with its own options\n"
    "\n"
    "Input and output\n"
    "  --stdin RANK|all|none   who reads standard input (default: 0)\n"
    "  -l, --tag-output        start each line of output with the rank, \"[3] \"\n"
    "  --timestamp-output      ... with the time\n"
    "  --prepend-pattern TEXT  ... with TEXT: %r the rank, %h the host, %t the time\n"
    "  --output-filename DIR[:nocopy]  copy what ranks write to\n"
    "                          DIR/1/rank.N/stdout and stderr; nocopy: move it\n"
    "  --outfile-pattern, --errfile-pattern NAME  write it to NAME, with %r and %h\n"
    "  --output WHAT,...       tag, timestamp, merge, dir=DIR, file=NAME\n"
    "  --merge-stderr-to-stdout  one stream for both\n"
    "  --print-all-exitcodes   say at the end how each rank ended\n"
    "  -q, --quiet             no warnings, and no message when ranks fail\n"
    "  -v, --verbose           say what is started where\n"
    "\n"
    "Running\n"
    "  --scratchpad SIZE       memory of each rank's network interface, in bytes or\n"
    "                          with k, M, G (default: 1M, or the model's)\n"
    "  --heap SIZE|none        memory for MPI_Alloc_mem that all ranks reach\n"
    "                          (default: 256M, less with many ranks)\n"
    "  --timeout SECONDS       end the job after this time, exit code 124\n"
    "  --grace SECONDS         from a signal that is to end ranks to the next,\n"
    "                          stronger one (default: 0.25)\n"
    "  --offload none|match|all  what the network interface does by itself: nothing,\n"
    "                          matching of messages, collectives too (default: all)\n"
    "  --no-deadlock-check     do not look for a job in which every rank waits\n"
    "  --no-finalize-check     ranks may end with exit code 0 after MPI_Init without\n"
    "                          MPI_Finalize\n"
    "\n"
    "Virtual time\n"
    "  --model PROFILE         run on the model clock, with what PROFILE says that\n"
    "                          things cost: a name or a path, see nicinfo(1)\n"
    "  --set SECTION.KEY=VALUE change a number of the profile\n"
    "  --compute none|injected|measured[:SCALE]\n"
    "                          what the program takes between its MPI calls:\n"
    "                          nothing, what it says with MPIX_Compute (default), or\n"
    "                          what the processor took, another time in each run\n"
    "  --model-hash            print one number for all that has happened\n"
    "  --model-log FILE        write each event to FILE\n"
    "  --model-serial          one rank at a time: slower, for checks\n"
    "  --explain[=K]           say where the time of the K slowest messages went\n"
    "                          (default: 10), and that of each rank\n"
    "  --explain-file FILE     write that to FILE, separated by tabs, in picoseconds\n"
    "\n"
    "Where to run\n"
    "  --bind-to LEVEL[:N]     bind each rank to an object, or to N of them: none,\n"
    "                          hwthread, core, l2cache, l3cache, numa, socket\n"
    "                          (default: core, if the job fills more than half of\n"
    "                          the machine)\n"
    "  --map-by LEVEL[:pe=N]   place ranks in turns on the objects of a level, with\n"
    "                          N cores each: slot (core after core, the default),\n"
    "                          hwthread, core, l2cache, l3cache, numa, socket, node\n"
    "  --map-by ppr:N:LEVEL    N ranks on each object\n"
    "  --rank-by slot|fill     number ranks as they are placed, or object by object\n"
    "  --cpu-set, --cpu-list LIST  use these processors only, as in 0,4-7\n"
    "  --use-hwthread-cpus     place ranks on hardware threads, one after the other\n"
    "  --nooversubscribe       refuse more ranks than processors or slots\n"
    "  --display-allocation    say what may be used; --print-rank-map: who is where\n"
    "  --rankfile FILE         the cores of each rank: \"rank 3=HOST slot=0,2\"\n"
    "                          or \"... slot=1:0-1\" for those of socket 1\n"
    "  --report-bindings       draw on standard error where each rank and its NIC's\n"
    "                          thread may run\n"
    "  --dry-run               draw that and start nothing\n"
    "  --topology TEXT         the same for another machine: a description of hwloc\n"
    "                          (\"socket:2 core:8 pu:2\") or an XML file\n"
    "\n"
    "  -h, --help              this text\n"
    "  --help-environment      the variables of the environment that are read\n"
    "  -V, --version           version\n"
    "  --info                  what a report of a problem should have: how this was\n"
    "                          built, the machine and its limits, variables\n"
    "\n"
    "Several machines\n"
    "  -H, --host, --hosts LIST  hosts to run on, as in a,b:4; if one is not this\n"
    "                          machine, srun, mpiexec.hydra, prterun or orterun\n"
    "                          starts the ranks, whichever there is\n"
    "  -f, --hostfile, --machinefile FILE  the same, one host per line\n"
    "  -ppn, -N, -npernode N   ranks on each host\n"
    "\n"
    "Other options of mpiexec.hydra and orterun are taken, with a line where they\n"
    "have no effect here, or refused with the reason.\n"
    "\n"
    "Exit code: that of the first rank that failed, 128 plus the signal if one was\n"
    "killed, else 0.  See mpirun(1).\n";

void help_print(void)
{
    fputs(text, stdout);
}

void help_version(void)
{
    puts("mpirun (libmpi-lite) " PACKAGE_VERSION);
}

void help_environment(void)
{
    mpi_variables_print(stdout);
}
