/* What Hydra and orterun have besides. */
#include "launch/command/compat.h"

#include <string.h>

#define ONE_MACHINE "ranks are started by mpirun itself, on this machine"
#define COMPONENTS "there are no components to choose"
#define NO_DAEMONS "there are no daemons"
#define DEBUGGERS "--gdb and --lldb start ranks under a debugger"
#define TOOLS "--wrapper 'COMMAND' starts each rank's program by a command, which finds the rank " \
    "in NICEMU_RANK"
#define NO_RECOVERY "a rank that fails ends the job, and there is nothing to recover"

static const struct compat options[] = {
    { "bind-to-core", 0, COMPAT_AS, "bind-to core" },
    { "bind-to-socket", 0, COMPAT_AS, "bind-to socket" },
    { "bind-to-none", 0, COMPAT_AS, "bind-to none" },
    { "bycore", 0, COMPAT_AS, "map-by core" }, { "byslot", 0, COMPAT_AS, "map-by slot" },
    { "bysocket", 0, COMPAT_AS, "map-by socket" }, { "bynode", 0, COMPAT_AS, "map-by node" },
    { "perhost", 1, COMPAT_AS, "ppn %" }, { "pernode", 0, COMPAT_AS, "ppn 1" },
    { "rr", 0, COMPAT_AS, "ppn 1" }, { "grr", 1, COMPAT_AS, "ppn %" },
    { "no-oversubscribe", 0, COMPAT_AS, "nooversubscribe" },
    { "npersocket", 1, COMPAT_AS, "map-by ppr:%:socket" },
    { "cpus-per-proc", 1, COMPAT_AS, "map-by slot:pe=%" },
    { "cpus-per-rank", 1, COMPAT_AS, "map-by slot:pe=%" },
    { "display-map", 0, COMPAT_AS, "report-bindings" },
    { "display-devel-map", 0, COMPAT_AS, "report-bindings" },
    { "display-diffable-map", 0, COMPAT_AS, "report-bindings" },
    { "display-devel-allocation", 0, COMPAT_AS, "display-allocation" },
    { "do-not-launch", 0, COMPAT_AS, "dry-run" },
    { "default-hostfile", 1, COMPAT_AS, "hostfile %" },
    { "bootstrap", 1, COMPAT_AS, "launcher %" },
    { "print-all-exitcode", 0, COMPAT_AS, "print-all-exitcodes" },

    { "gmca", 2, COMPAT_NOTHING, COMPONENTS }, { "omca", 2, COMPAT_NOTHING, COMPONENTS },
    { "prtemca", 2, COMPAT_NOTHING, COMPONENTS }, { "pmixmca", 2, COMPAT_NOTHING, COMPONENTS },
    { "gpmixmca", 2, COMPAT_NOTHING, COMPONENTS }, { "tune", 1, COMPAT_NOTHING, COMPONENTS },
    { "am", 1, COMPAT_NOTHING, COMPONENTS }, { "personality", 1, COMPAT_NOTHING, COMPONENTS },
    { "launcher-exec", 1, COMPAT_NOTHING, ONE_MACHINE }, { "rmk", 1, COMPAT_NOTHING, ONE_MACHINE },
    { "iface", 1, COMPAT_NOTHING, ONE_MACHINE }, { "prefix", 1, COMPAT_NOTHING, ONE_MACHINE },
    { "arch", 1, COMPAT_NOTHING, ONE_MACHINE }, { "hetero-nodes", 0, COMPAT_NOTHING, ONE_MACHINE },
    { "do-not-resolve", 0, COMPAT_NOTHING, ONE_MACHINE },
    { "preload-binary", 0, COMPAT_NOTHING, ONE_MACHINE },
    { "preload-files", 1, COMPAT_NOTHING, ONE_MACHINE },
    { "order-nodes", 1, COMPAT_NOTHING, ONE_MACHINE },
    { "noprefix", 0, COMPAT_NOTHING, ONE_MACHINE }, { "localhost", 1, COMPAT_NOTHING, ONE_MACHINE },
    { "disable-hostname-propagation", 0, COMPAT_NOTHING, ONE_MACHINE },
    { "fwd-mpirun-port", 0, COMPAT_NOTHING, ONE_MACHINE },
    { "use-regexp", 0, COMPAT_NOTHING, ONE_MACHINE },
    { "debug-daemons", 0, COMPAT_NOTHING, NO_DAEMONS },
    { "leave-session-attached", 0, COMPAT_NOTHING, NO_DAEMONS },
    { "debug-daemons-file", 0, COMPAT_NOTHING, NO_DAEMONS },
    { "debug-devel", 0, COMPAT_NOTHING, NO_DAEMONS }, { "d", 0, COMPAT_NOTHING, NO_DAEMONS },
    { "novm", 0, COMPAT_NOTHING, NO_DAEMONS }, { "max-vm-size", 1, COMPAT_NOTHING, NO_DAEMONS },
    { "launch-agent", 1, COMPAT_NOTHING, NO_DAEMONS },
    { "enable-instant-on-support", 0, COMPAT_NOTHING, NO_DAEMONS },
    { "show-progress", 0, COMPAT_NOTHING, NO_DAEMONS },
    { "report-child-jobs-separately", 0, COMPAT_NOTHING, "ranks are not started later" },
    { "cf", 1, COMPAT_NOTHING, "hwloc tells the machine" },
    { "cartofile", 1, COMPAT_NOTHING, "hwloc tells the machine" },
    { "usize", 1, COMPAT_NOTHING, "ranks are not started later" },
    { "demux", 1, COMPAT_NOTHING, "there is one way to wait for output, and it is taken" },
    { "topolib", 1, COMPAT_NOTHING, "hwloc tells the machine" },
    { "membind", 1, COMPAT_NOTHING, "memory comes from the memory node of a rank that is bound" },
    { "disable-recovery", 0, COMPAT_NOTHING, "there is none" },
    { "pmi-port", 0, COMPAT_NOTHING, "ranks find their job without a port" },
    { "enable-x", 0, COMPAT_NOTHING, ONE_MACHINE }, { "disable-x", 0, COMPAT_NOTHING, ONE_MACHINE },
    { "gpus-per-proc", 1, COMPAT_NOTHING, "all ranks see all GPUs" },

    { "nolocal", 0, COMPAT_REFUSED, "there is no other machine than this one" },
    { "skip-launch-node", 0, COMPAT_REFUSED, "there is no other machine than this one" },
    { "gtool", 1, COMPAT_REFUSED, TOOLS }, { "gtoolfile", 1, COMPAT_REFUSED, TOOLS },
    { "xml", 0, COMPAT_REFUSED, "output is passed on as it is, or with --tag-output" },
    { "output-proctable", 0, COMPAT_REFUSED, "--verbose says which process each rank is" },
    { "report-pid", 1, COMPAT_REFUSED, "--verbose says which process each rank is" },
    { "report-uri", 1, COMPAT_REFUSED, "there is no server that could be reached" },
    { "report-events", 1, COMPAT_REFUSED, "there is no server that could be reached" },
    { "ompi-server", 1, COMPAT_REFUSED, "there is no server that could be reached" },
    { "hnp", 1, COMPAT_REFUSED, "there is no server that could be reached" },
    { "index-argv-by-rank", 0, COMPAT_REFUSED, "NICEMU_RANK tells a program its rank" },
    { "set-cwd-to-session-dir", 0, COMPAT_REFUSED, "there is none: -wdir names a folder" },
    { "xml-file", 1, COMPAT_REFUSED, "--outfile-pattern and --output-filename name files" },
    { "debugger", 1, COMPAT_REFUSED, DEBUGGERS },
    { "dvm", 1, COMPAT_REFUSED, "there is no server that could be reached" },
    { "nameserver", 1, COMPAT_REFUSED, "there is no server that could be reached" },
    { "enable-recovery", 0, COMPAT_REFUSED, NO_RECOVERY },
    { "continuous", 0, COMPAT_REFUSED, NO_RECOVERY },
    { "max-restarts", 1, COMPAT_REFUSED, NO_RECOVERY },
    { "disable-auto-cleanup", 0, COMPAT_REFUSED, NO_RECOVERY },
    { "ckpointlib", 1, COMPAT_REFUSED, "there are no checkpoints" },
    { "ckpoint-prefix", 1, COMPAT_REFUSED, "there are no checkpoints" },
    { "ckpoint-interval", 1, COMPAT_REFUSED, "there are no checkpoints" },
    { "tv", 0, COMPAT_REFUSED, DEBUGGERS }, { "debug", 0, COMPAT_REFUSED, DEBUGGERS },
    { "profile", 0, COMPAT_REFUSED, "--report and --trace show what ranks do" },
    { "with-ft", 1, COMPAT_REFUSED, NO_RECOVERY },
    { "soft", 1, COMPAT_REFUSED, "-n says how many ranks there are" },
    { "file", 1, COMPAT_REFUSED, "-configfile FILE and --app FILE are read" },
    { "path", 1, COMPAT_REFUSED, "programs are looked for in PATH" },
    { "display-topo", 0, COMPAT_REFUSED, "lstopo draws the machine, --report-bindings the ranks" },
};
enum { OPTIONS = sizeof options / sizeof *options };

const struct compat *compat_at(unsigned i)
{
    return i < OPTIONS ? &options[i] : NULL;
}

const struct compat *compat_find(const char *name, size_t length)
{
    for (unsigned i = 0; i < OPTIONS; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}
