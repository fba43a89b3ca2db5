#!/bin/sh
# What is charged where, on hardware that costs nothing but what a case names: sums done by hand.
# shellcheck disable=SC1091,SC2154,SC2086 # lib.sh is sourced; settings are words
. "${srcdir:-.}/tests/launch/lib.sh"
unset MPILITE_MODEL MPILITE_MODEL_SERIAL MPILITE_COMPUTE MPILITE_RNDV NICEMU_OFFLOAD MPILITE_BARRIER
program=$PWD/tests/clock/hand.t
bad=0
base='call.test=1ps call.probe=1ps call.wtime=1ps link.latency=1us'

# took RANKS OFFLOAD SETTINGS ARGUMENT...: ns, of the program with these arguments.
took() {
    ranks=$1 offload=$2 settings=$3
    shift 3
    # shellcheck disable=SC2046 # words
    "$mpirun" --model ideal --offload "$offload" $(printf ' --set %s' $base $settings) \
        -n "$ranks" "$program" "$@"
}
# more NAME NS RANKS OFFLOAD SETTINGS ARGUMENT...: so much more than without the settings.
more() {
    name=$1 wanted=$2
    shift 2
    with=$(took "$@")
    ranks=$1 offload=$2
    shift 3
    without=$(took "$ranks" "$offload" '' "$@")
    awk -v a="$with" -v b="$without" -v w="$wanted" -v n="$name, $offload" 'BEGIN {
        d = a - b - w
        if (d < -0.0015 || d > 0.0015) { printf "%s: %s more, not %s\n", n, a - b, w; exit 1 }
    }' || bad=1
}

# -- arithmetic: elements, where they are combined, integers and others apart

# Two ranks: the root combines once.  It waits for the message, so all of it is seen.
host='host.add=10ns host.add_real=70ns nic.add=300ns nic.add_real=2000ns'
more 'three integers of the host' 30 2 match "$host" reduce 3 long
more 'three numbers of the host' 210 2 none "$host" reduce 3 double
more 'three integers of the NIC' 900 2 all "$host" reduce 3 long
more 'three numbers of the NIC' 6000 2 all "$host" reduce 3 double
more 'nothing to combine' 0 2 all "$host" reduce 0 long
# Four ranks, a binomial tree: rank 2 combines what 3 sends, at the same time as 0 what 1 sends;
# then 0 what 2 sends.
more 'four ranks, the host' 20 4 match "$host" reduce 1 long
more 'four ranks, the NIC' 600 4 all "$host" reduce 1 long
exit $bad
