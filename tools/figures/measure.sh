# Sourced: how each row of rows.tsv is measured.  A measurement is a shell function of the row's
# name that prints a number in the row's unit, or "holds" or "fails: why".  Everything comes out of
# the benchmarks in examples/papers/ under `mpirun --model`, and for the parts of a call, which no
# MPI program can see, out of the log of the model's events.
# shellcheck shell=sh disable=SC2034,SC2154
#
# Needs: build (folder of the build), data (folder for results, kept by command line), sets (file of
# calibrated values, "PROFILE KEY=VALUE" per line, or empty).

: "${FIGURES_MPIRUN:=$build/bin/mpirun}"

cycle_ns=13.3333333333              # 75 MHz
lateness=40000                      # ns by which the receiver of row B20 is late, some 3000 cycles

# shellcheck source=tools/figures/messages.sh
. "${here:-$tools}/messages.sh"
# shellcheck source=tools/figures/offload.sh
. "${here:-$tools}/offload.sh"
# shellcheck source=tools/figures/multicast.sh
. "${here:-$tools}/multicast.sh"
# shellcheck source=tools/figures/puts.sh
. "${here:-$tools}/puts.sh"

# The paper's second experiment gives the posted queue a unit, its third the unexpected queue (VI).
alpu_none='alpu.posted=0 alpu.unexpected=0'
posted_128='alpu.posted=128 alpu.unexpected=0'
posted_256='alpu.posted=256 alpu.unexpected=0'
unexpected_128='alpu.posted=0 alpu.unexpected=128'
unexpected_256='alpu.posted=0 alpu.unexpected=256'
eager='scratchpad.slot_bytes=512bytes protocol.eager_limit=496bytes'
rendezvous='protocol.eager_limit=16bytes'

# The --set options of a profile: calibrated values, then SETS.
set_options() {
    if [ -s "$sets" ]; then awk -v p="$1" '$1 == p { print "--set " $2 }' "$sets"; fi
    for assignment in $2; do echo "--set $assignment"; done
}

# run PROFILE SETS BENCHMARK ARGUMENT...: prints the name of the file with the results.  With
# logged=yes the events are in a file of that name with .log behind it.  On so many ranks; `how`:
# more options of mpirun.  One that fails is noted in $data/failed, wherever it is in a row.
logged='' ranks=2 how=''
run() {
    profile=$1 settings=$2 benchmark=$3
    shift 3
    program=$build/examples/papers/$benchmark
    # shellcheck disable=SC2046,SC2086 # words
    set -- --model "$profile" $(set_options "$profile" "$settings") $how -n "$ranks" \
        "$program" "$@"
    file=$data/$(printf '%s\n' "$*" | cksum | tr ' ' -).tsv
    if [ ! -s "$file" ]; then
        "$FIGURES_MPIRUN" ${logged:+--model-log "$file.log"} "$@" \
            >"$file.part" 2>"$file.err" </dev/null || {
            echo "figures: failed: mpirun $*" >&2
            cat "$file.err" >&2
            rm -f "$file.part"
            echo "$*" >>"$data/failed"
            return 1
        }
        mv "$file.part" "$file"
        case $how in *STATS*) mv "$file.err" "$file.told" ;; *) rm -f "$file.err" ;; esac
        printf 'mpirun %s\n' "$*" | sed "s|$build/||g" >>"$data/commands"
    fi
    echo "$file"
}

last() {
    results=$(run "$@") && awk -F'\t' 'END { print $NF }' "$results"
}

# posted SETS LENGTH SHARE, unexpected SETS LENGTH: nanoseconds.
posted() { last redstorm-alpu "$1" preposted -q "$2" -p "$3" -r 1 -w 1; }
unexpected() { last redstorm-alpu "$1" unexpected -q "$2" -r 5 -w 5; }
# words SETS SIZE [OPTION]...: cycles.
words() {
    settings_w=$1 size=$2
    shift 2
    nanoseconds=$(last fpga-scratchpad "$settings_w" pingpong_words -s "$size" -r 10 -w 10 "$@")
    calc "$nanoseconds / $cycle_ns"
}

calc() {
    awk "BEGIN { printf \"%.6g\\n\", $1 }" || {
        [ -z "${data:-}" ] || echo "calc $1" >>"$data/failed"
        return 1
    }
}
# stored KEY: the profile's number, in picoseconds.
stored() {
    # shellcheck disable=SC2046 # words
    "$build/bin/nicinfo" --tsv $(set_options fpga-scratchpad '') fpga-scratchpad |
        awk -F'\t' -v k="$1" '$1 == k { print $4 }'
}
# call_parts: the parts of an eager send and receive of 0 bytes on rank 0, in cycles: "before rdma
# after poll arrived".  The send: from the call, without the cost of calling, to the first store of
# the RDMA, which the setup of the RDMA takes; from there to the local notification; from there to
# the return. The receive: from the call to the first look at its slot; from the message's
# notification to the return.
call_parts() {
    logged=yes
    times=$(run fpga-scratchpad "$eager" pingpong_words -s 0 -r 10 -w 10 --times) || return 1
    logged=
    awk -F'[ \t]' -v cycle="$cycle_ns" -v enter="$(stored call.enter)" \
        -v look="$(stored call.wtime)" -v setup="$(stored rdma.setup)" '
        function cycles(ps) { return ps / 1000 / cycle }
        NR == FNR { called[$2] = $3 * 1000; returned[$2] = $4 * 1000; next }
        /^#/ || $2 != 0 { next }
        $1 >= called["send"] && $1 < returned["send"] && $5 == "COMMAND" { stores = $7 - setup }
        $1 >= called["send"] && $1 < returned["send"] && $5 == "LATER" && !landed { landed = $1 }
        $1 >= called["receive"] && $5 == "COMMAND" && !polls { polls = $6 }
        $1 >= called["receive"] && $1 < returned["receive"] && $5 == "PACKET" { arrived = $1 }
        END {
            before = cycles(stores - called["send"] - enter)
            after = cycles(returned["send"] - look - landed)
            printf "%.6g %.6g %.6g ", before, cycles(landed - stores), after
            poll = cycles(polls - called["receive"] - enter)
            arrival = cycles(returned["receive"] - look - arrived)
            printf "%.6g %.6g\n", poll, arrival
        }' "$times" "$times.log"
}
part() { call_parts | cut -d ' ' -f "$1"; }

# crossing FILE FILE: from where on the first, not higher to begin with, is higher than the second:
# first column of the point. Interpolated where they cross; where they part after having been equal,
# the first point at which they differ.
crossing() {
    paste "$1" "$2" | awk -F'\t' '
        NR > 1 {
            d = $(NF / 2) - $NF
            if (NR > 2 && before <= 0 && d > 0) {
                x = $1
                if (before < 0) x = at + ($1 - at) * before / (before - d)
                printf "%.4g\n", x
                found = 1
                exit
            }
            before = d; at = $1
        }
        END { if (!found) print "none" }'
}

slope() { calc "($(posted "$1" "$3" 100) - $(posted "$1" "$2" 100)) / ($3 - $2)"; }

row_A1() { slope "$alpu_none" 0 200; }
# 1000 entries have nothing left in the cache; at 500 some are, and the number would be a mixture
# with that of row A1.
row_A2() { slope "$alpu_none" 0 1000; }
row_A3() { calc "($(posted "$alpu_none" 400 100) - $(posted "$alpu_none" 0 100)) / 1000"; }
row_A4() { calc "($(posted "$alpu_none" 500 80) - $(posted "$alpu_none" 0 100)) / 1000"; }
row_A5() { calc "$(posted "$posted_256" 0 100) - $(posted "$alpu_none" 0 100)"; }
row_A6() {
    crossing "$(run redstorm-alpu "$alpu_none" preposted -q 0:20:1 -p 100 -r 1 -w 1)" \
        "$(run redstorm-alpu "$posted_256" preposted -q 0:20:1 -p 100 -r 1 -w 1)"
}
# flat SETS CELLS: nothing if it is flat up to the cells and has the baseline's slope behind; else
# what is wrong.  The measured receive is an entry too, so CELLS - 1 stand before it.
flat() {
    growth=$(calc "$(posted "$1" $(($2 - 1)) 100) / $(posted "$1" 0 100)")
    behind=$(calc "$(slope "$1" "$2" $(($2 + 50))) / $(slope "$alpu_none" 0 100)")
    awk -v n="$2" -v g="$growth" -v s="$behind" 'BEGIN {
        if (g >= 1.05) printf " at %d entries %.2f times the latency of none;", n - 1, g
        if (s < 0.9 || s > 1.1)
            printf " behind %d entries %.2f times the slope of the baseline;", n, s }'
}
verdict_of() { if [ -z "$1" ]; then echo holds; else echo "fails:$1"; fi; }
row_A7() { verdict_of "$(flat "$posted_128" 128)$(flat "$posted_256" 256)"; }
row_A8() {
    crossing "$(run redstorm-alpu "$alpu_none" unexpected -q 0:120:1 -r 5 -w 5)" \
        "$(run redstorm-alpu "$unexpected_256" unexpected -q 0:120:1 -r 5 -w 5)"
}
row_A9() { calc "$(unexpected "$unexpected_256" 0) - $(unexpected "$alpu_none" 0)"; }
row_A10() { calc "$(posted "$posted_256 alpu.threshold=5" 0 100) - $(posted "$alpu_none" 0 100)"; }

# knee FILE: from which point on the last column grows by more than 30 per entry, twice what one in
# the cache takes, for two points at least; "none".
knee() {
    awk -F'\t' '
        NR > 1 { x[++n] = $1; y[n] = $NF }
        END {
            for (i = 1; i < n; i++) g[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i])
            for (i = 1; i + 1 < n; i++)
                if (g[i] > 30 && g[i + 1] > 30) { print x[i]; exit }
            print "none"
        }' "$1"
}
# later_by BASE KNEE CELLS: nothing if KNEE lies CELLS behind BASE, within 10 %; else what is wrong.
later_by() {
    awk -v a="$1" -v b="$2" -v n="$3" 'BEGIN {
        d = b - a
        if (a == "none" || b == "none" || d < 0.9 * n || d > 1.1 * n)
            printf " %d cells move it from %s to %s;", n, a, b }'
}
posted_knee() { knee "$(run redstorm-alpu "$1" preposted -q 0:800:5 -p 100 -r 1 -w 1)"; }
row_A11() {
    none=$(posted_knee "$alpu_none")
    of_128=$(posted_knee "$posted_128") of_256=$(posted_knee "$posted_256")
    verdict_of "$(later_by "$none" "$of_128" 128)$(later_by "$none" "$of_256" 256)"
}
# unexpected_knees ROUNDS WARM_UP: warm, the rounds before have left in the cache what they could.
unexpected_knee() { knee "$(run redstorm-alpu "$3" unexpected -q 0:1300:5 -r "$1" -w "$2")"; }
unexpected_knees() {
    none=$(unexpected_knee "$1" "$2" "$alpu_none")
    of_128=$(unexpected_knee "$1" "$2" "$unexpected_128")
    of_256=$(unexpected_knee "$1" "$2" "$unexpected_256")
    verdict_of "$(later_by "$none" "$of_128" 128)$(later_by "$none" "$of_256" 256)"
}
row_A12a() { unexpected_knees 5 5; }
row_A12b() { unexpected_knees 1 0; }
# Blocks of 16 take 7 cycles of 2 ns; by what those of 32 save.
row_A13() {
    saved=$(calc "$(posted "$posted_256" 0 100) - $(posted "$posted_256 alpu.block=32" 0 100)")
    calc "7 - $saved / 2"
}

row_B1() { words "$eager" 0; }
row_B2() { words "$eager" 16; }
row_B3() { words "$eager" 48; }
row_B4() { words "$eager" 112; }
row_B5() { words "$eager" 240; }
row_B6() { words "$eager" 496; }
row_B7() { words "$rendezvous" 48 --alloc; }
row_B8() { words "$rendezvous" 64 --alloc; }
row_B9() { words "$rendezvous" 128 --alloc; }
row_B10() { words "$rendezvous" 256 --alloc; }
row_B11() { words "$rendezvous" 512 --alloc; }
row_B12() { words "$rendezvous" 1024 --alloc; }
row_B13() { words "$rendezvous" 2048 --alloc; }
row_B14() { words "$rendezvous" 4096 --alloc; }
row_B15() {
    verdict_of "$(awk -F'\t' '
        NR > 1 { t[$1] = $2; if ($1 > last) last = $1 }
        END {
            for (n = 1; n < last; n++) {
                up = n - n % 4 + 4
                if (n % 4 && t[n] <= t[up] && !wrong++)
                    printf " %d bytes are not slower than %d;", n, up
            }
            if (wrong > 1) printf " and so on, %d sizes;", wrong
        }' \
        "$(run fpga-scratchpad "$eager" pingpong_words -s 0:64:1 -r 10 -w 10)")"
}
row_B16() {
    e32=$(words "$eager" 32) r32=$(words "$rendezvous" 32 --alloc) e48=$(row_B3) r48=$(row_B7)
    verdict_of "$(awk -v a="$e32" -v b="$r32" -v c="$e48" -v d="$r48" 'BEGIN {
        if (a >= b) printf " at 32 bytes eager takes %d cycles, rendezvous %d;", a, b
        if (c <= d) printf " at 48 bytes eager takes %d cycles, rendezvous %d;", c, d }')"
}
# rdma BYTES: cycles in the network, up to 64 bytes.
rdma() {
    start="$(stored rdma.start) + $(stored link.latency)"
    calc "($start + $(stored rdma.short_byte) / 1024 * $1) / 1000 / $cycle_ns"
}
row_B17a() { rdma 16; }
row_B17b() { rdma 64; }
row_B18a() { part 1; }
row_B18b() { part 2; }
row_B18c() { part 3; }
row_B19a() { part 4; }
row_B19b() { part 5; }
row_B20() {
    put=$(words "$rendezvous" 4096 --alloc --late $lateness)
    get=$(words "$rendezvous protocol.rendezvous=get" 4096 --alloc --late $lateness)
    verdict_of "$(awk -v p="$put" -v g="$get" 'BEGIN {
        if (g >= p) printf " write takes %d cycles, read %d;", p, g }')"
}
row_B21() { words "$eager" 4; }
# call_time SETS SIZE CALL [OPTION]...: cycles from the call of the last MPI_Send or MPI_Recv to its
# return, without those of the clock.
call_time() {
    settings_c=$1 size=$2 call=$3
    shift 3
    logged=yes
    times=$(run fpga-scratchpad "$settings_c" pingpong_words -s "$size" -r 10 -w 10 --times "$@") ||
        return 1
    logged=
    awk -F'\t' -v cycle="$cycle_ns" -v call="$call" -v look="$(stored call.wtime)" '
        $2 == call { printf "%.6g\n", ($4 - $3 - look / 1000) / cycle }' "$times"
}
rendezvous_call='protocol.eager_limit=48bytes'
row_B22a() { call_time "$rendezvous_call" 64 send --alloc; }
row_B22b() { call_time "$rendezvous_call" 64 receive --alloc; }
# From the call of the send to the packet that brings the receiver's address.
row_B22c() {
    logged=yes
    times=$(run fpga-scratchpad "$rendezvous_call" pingpong_words -s 64 -r 10 -w 10 --alloc --times)
    logged=
    awk -F'[ \t]' -v cycle="$cycle_ns" '
        NR == FNR { called[$2] = $3 * 1000; returned[$2] = $4 * 1000; next }
        /^#/ || $2 != 0 || $5 != "PACKET" || $1 < called["send"] || $1 >= returned["send"] { next }
        !n++ { printf "%.6g\n", ($1 - called["send"]) / 1000 / cycle }
        END { if (!n) print "none" }' "$times" "$times.log"
}
row_B22d() {
    calc "$(rdma 64) + ($(stored rdma.setup) + $(stored counter.local)) / 1000 / $cycle_ns"
}
row_B23a() { calc "$(row_B24b) - $(part 4) - $(part 5)"; }
row_B23b() { calc "$(part 2) - $(stored rdma.setup) / 1000 / $cycle_ns"; }
# Figure 4.7 is of what happens inside of the calls.
inside() { calc "$(call_time "$eager" 0 "$1") - $(stored call.enter) / 1000 / $cycle_ns"; }
row_B24a() { inside send; }
row_B24b() { inside receive; }
row_B25() {
    calc "2 * $(stored scratchpad.slot_bytes) * $(stored scratchpad.slots) * (4 - 1)"
}
row_B26() {
    long=$(row_B14) short=$(row_B6)
    verdict_of "$(awk -v l="$long" -v s="$short" 'BEGIN {
        if (l >= s) printf " %d cycles and %d;", l, s }')"
}

# -- C: barriers.  Below MPI (GM): without what MPI adds on either side.

gm='call.collective=0us host.packet=0cycles'
# barrier PROFILE NODES host|nic ALGORITHM SETS [OPTION]...: us of a turn.
barrier() {
    of=$1 ranks=$2 settings_b=$5
    how="-x MPILITE_BARRIER=$4"
    [ "$3" = nic ] || settings_b="$settings_b protocol.offload=forward"
    shift 5
    ns=$(last "$of" "$settings_b" barrier -r 50 -w 10 "$@")
    ranks=2 how=''
    calc "$ns / 1000"
}
# factor PROFILE NODES ALGORITHM SETS: host over NIC.
factor() { calc "$(barrier "$1" "$2" host "$3" "$4") / $(barrier "$1" "$2" nic "$3" "$4")"; }
# best PROFILE NODES host|nic SETS: of all degrees of the tree.
best() {
    least=
    for degree in 1 2 3 4 5 6 7 8; do
        [ "$degree" -lt "$2" ] || continue
        us=$(barrier "$1" "$2" "$3" "gather:$degree" "$4") || return 1
        [ "$least" ] && [ "$(calc "($us < $least) + 0")" -eq 0 ] || least=$us
    done
    echo "$least"
}
row_C6a() { barrier lanai43 16 nic pairwise "$gm"; }
row_C6b() { factor lanai43 16 pairwise "$gm"; }
row_C6c() { factor lanai43 8 pairwise "$gm"; }
row_C7a() { best lanai43 16 nic "$gm"; }
row_C7b() { calc "$(best lanai43 16 host "$gm") / $(best lanai43 16 nic "$gm")"; }
# greater A B WHAT: nothing if A is; else what is wrong.
greater() {
    awk -v a="$1" -v b="$2" -v w="$3" 'BEGIN { if (a <= b) printf " %s: %s, %s;", w, a, b }'
}
row_C7c() {
    verdict_of "$(greater "$(best lanai43 2 nic "$gm")" "$(best lanai43 2 host "$gm")" 'NIC, host')"
}
row_C8a() { barrier lanai72 8 nic pairwise "$gm"; }
row_C8b() { barrier lanai72 8 host pairwise "$gm"; }
row_C8c() { factor lanai72 8 pairwise "$gm"; }
row_C9a() { barrier lanai43 16 host pairwise ''; }
row_C9b() { barrier lanai43 16 nic pairwise ''; }
row_C9c() { factor lanai43 16 pairwise ''; }
row_C10a() { barrier lanai72 8 host pairwise ''; }
row_C10b() { barrier lanai72 8 nic pairwise ''; }
row_C10c() { factor lanai72 8 pairwise ''; }
# grows PROFILE NODES...
grows() {
    of=$1 wrong='' before=0
    shift
    for nodes in "$@"; do
        now=$(factor "$of" "$nodes" pairwise '')
        wrong="$wrong$(greater "$now" "$before" "$nodes nodes")"
        before=$now
    done
    verdict_of "$wrong"
}
row_C11a() { grows lanai43 2 4 8 16; }
row_C11b() { grows lanai72 2 4 8; }
row_C11c() {
    verdict_of "$(greater "$(barrier lanai43 7 nic pairwise '')" \
        "$(barrier lanai43 8 nic pairwise '')" '7, 8 nodes')"
}
# A turn of computation and a barrier in which the computation has so large a share, by the secant.
# efficient PROFILE NODES host|nic SHARE
efficient() {
    low=$(barrier "$1" "$2" "$3" pairwise '')
    for _ in 1 2 3; do
        ns=$(awk -v b="$low" -v e="$4" 'BEGIN { printf "%d", b * 1000 * e / (1 - e) }')
        turn=$(barrier "$1" "$2" "$3" pairwise '' -c "$ns") || return 1
        low=$(calc "$turn - $ns / 1000")
    done
    echo "$turn"
}
row_C12a() { efficient lanai43 16 host 0.5; }
row_C12b() { efficient lanai43 16 nic 0.5; }
row_C12c() { efficient lanai72 8 host 0.5; }
row_C12d() { efficient lanai72 8 nic 0.5; }
row_C13a() { efficient lanai43 16 host 0.9; }
row_C13b() { efficient lanai43 16 nic 0.9; }
row_C13c() { efficient lanai72 8 host 0.9; }
row_C13d() { efficient lanai72 8 nic 0.9; }
# First 8 us of computation: what they add to a turn, us.
first_8us() {
    calc "$(barrier lanai43 8 "$1" pairwise '' -c 8000) - $(barrier lanai43 8 "$1" pairwise '')"
}
row_C12e() {
    verdict_of "$(greater 4 "$(first_8us host)" 'half, host')$(
        greater "$(first_8us nic)" 7.2 'NIC, 90 %')"
}
# applications PROFILE NODES
applications() {
    wrong=
    for steps in 8 20; do
        host=$(barrier "$1" "$2" host pairwise '' -S $steps -v 10)
        nic=$(barrier "$1" "$2" nic pairwise '' -S $steps -v 10)
        wrong="$wrong$(greater "$host" "$nic" "$steps steps")"
    done
    verdict_of "$wrong"
}
row_C14a() { applications lanai43 16; }
row_C14b() { applications lanai72 8; }
# lead NS PERCENT: of the NIC, us.
lead() {
    of_host=$(barrier lanai43 16 host pairwise '' -c "$1" -v "$2")
    of_nic=$(barrier lanai43 16 nic pairwise '' -c "$1" -v "$2")
    calc "$of_host - $of_nic"
}
row_C14c() {
    without=$(calc "$(lead 4096000 0) / $(lead 64000 0)")
    verdict_of "$(greater "$(lead 64000 20)" "$(lead 4096000 20)" 'varied')$(
        greater "$without" 0.95 'not varied')$(greater 1.05 "$without" 'not varied')"
}
