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

# -- schedules: both NICs take theirs in at the same time; the leaf's leads on to the root

more 'a schedule' 5000 2 all 'nic.schedule=5us' reduce 1 long
more 'a schedule of the host' 0 2 match 'nic.schedule=5us' reduce 1 long

# -- ranks that differ: rank 1 is the leaf, rank 0 the root, which has 1 us to spare; cycles are
# those of the rank's own clock

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
# differ NAME NS LINE...: so much more than without these lines of the profile
differ() {
    name=$1 wanted=$2
    shift 2
    {
        printf 'include = ideal\n[call]\ntest = 1 ps\nprobe = 1 ps\nwtime = 1 ps\n'
        printf '[link]\nlatency = 1 us\n'
    } >"$dir/same.conf"
    { cat "$dir/same.conf"; printf '%s\n' "$@"; } >"$dir/differ.conf"
    with=$("$mpirun" -q --model "$dir/differ.conf" -n 2 "$program" reduce 1 long)
    without=$("$mpirun" -q --model "$dir/same.conf" -n 2 "$program" reduce 1 long)
    awk -v a="$with" -v b="$without" -v w="$wanted" -v n="$name" 'BEGIN {
        d = a - b - w
        if (d < -0.0015 || d > 0.0015) { printf "%s: %s more, not %s\n", n, a - b, w; exit 1 }
    }' || bad=1
}
differ 'the leaf' 5000 '[ranks 1-1 nic]' 'schedule = 5 us'
differ 'the root' 4000 '[ranks 0-0 nic]' 'schedule = 5 us'
differ 'nobody' 0 '[ranks 2-7 nic]' 'schedule = 5 us'
differ 'its clock' 2000 '[nic]' 'clock = 1 GHz' 'schedule = 1000 cycles' '[ranks 1-1 nic]' \
    'clock = 500 MHz'
# The link's latency is in cycles there: what the faster one sends comes sooner than from others,
# and nobody may count on more.
printf 'include = fpga-scratchpad\n[ranks 0-0 nic]\nclock = 750 MHz\n' >"$dir/fast.conf"
NICEMU_FAULT=drop=2%,seed=1 "$mpirun" -q --model "$dir/fast.conf" -n 2 \
    "$PWD/tests/clock/random.t" 1 60 >"$dir/out" 2>&1 ||
    { echo "a faster link: $(head -n 1 "$dir/out")"; bad=1; }
# refused LINE WORDS: a profile with that line is not read, and why
refused() {
    printf 'include = ideal\n%s\n' "$1" >"$dir/wrong.conf"
    "$mpirun" -q --model "$dir/wrong.conf" -n 1 true >"$dir/out" 2>&1 && bad=1
    grep -q "$2" "$dir/out" || { echo "$1: not refused as '$2'"; cat "$dir/out"; bad=1; }
}
refused '[ranks 1-1 link]' 'ranks may differ in host'
refused '[ranks 3-1 nic]' 'a section of some ranks is'
refused '[ranks 1 nic]' 'a section of some ranks is'
refused '[ranks 0--1 nic]' 'a section of some ranks is'
refused '[ranks 0--3 nic]' 'a section of some ranks is'
refused '[ranks -0-1 nic]' 'a section of some ranks is'
refused "$(printf '[ranks 1-4 nic]\n[ranks 4-5 bus]')" 'of another part'
refused "$(printf '[ranks %s nic]\n' 1-1 2-2 3-3 4-4 5-5)" 'more than 4 parts'
refused "$(printf '[ranks 1-4 nic]\nnothing = 1')" 'nothing'

# -- atomic operations, a hit and a miss: the NIC reads the word across the bus, and writes it if it
# changes; a NIC that forwards carries both packets across the bus, each of them twice

# operation OFFLOAD SETTINGS [OPTION]: ns
operation() {
    # shellcheck disable=SC2046 # words
    "$mpirun" -q --model ideal --offload "$1" $(printf ' --set %s' $base $2) -n 2 \
        "$PWD/examples/papers/atomic" -r 5 -w 2 ${3:-} | tail -n 1
}
# more_in NAME NS OFFLOAD SETTINGS [OPTION]
more_in() {
    with=$(operation "$3" "$4" "${5:-}") without=$(operation "$3" '' "${5:-}")
    awk -v a="$with" -v b="$without" -v w="$2" -v n="$1, $3" 'BEGIN {
        d = a - b - w
        if (d < -0.0015 || d > 0.0015) { printf "%s: %s more, not %s\n", n, a - b, w; exit 1 }
    }' || bad=1
}
bus='bus.read=1us bus.write=3us'
more_in 'a hit' 4000 all "$bus"
more_in 'a miss' 1000 all "$bus" -m
more_in 'a hit' 8000 forward "$bus"
more_in 'a miss' 8000 forward "$bus" -m
more_in 'a word alone' 0 none "$bus"
# Under a mutex with the target's host the NIC stores its word before and behind (store.issue).
guarded() {
    # shellcheck disable=SC2046 # words
    "$mpirun" -q --model ideal $(printf ' --set %s' $base $1) -n 2 "$PWD/examples/papers/guarded" \
        ${2:-} 5 | tail -n 1
}
awk -v g="$(guarded store.issue=700ns)" -v p="$(guarded store.issue=700ns -p)" 'BEGIN {
    d = g - p - 1400
    if (g == "" || d < -0.0015 || d > 0.0015) { printf "a mutex: %s, %s without\n", g, p; exit 1 }
}' || bad=1
# PE 1 waits in a call: asleep, the request wakes it; else nothing does.  Any packet is another
# thing: the answer interrupts, too.
handler='completion.handler=9us completion.kind'
more_in 'a server asleep' 9000 forward "$handler=blocking"
more_in 'a server that polls' 0 forward "$handler=signal"
more_in 'any packet' 18000 forward "$handler=interrupt"
exit $bad
