#!/bin/sh
# nicinfo: lists, explains and checks profiles, and says what is wrong with one in a line.
# shellcheck disable=SC1091,SC2154 # lib.sh is sourced
. "${srcdir:-.}/tests/launch/lib.sh"

info=$PWD/bin/nicinfo
unset NICEMU_PROFILES

# nicinfo CODE ARGUMENT...
nicinfo() {
    want=$1
    shift
    "$info" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" -eq "$want" ] || fail "nicinfo $*: exit code $got, should be $want"
    [ "$want" -eq 0 ] || [ ! -s "$work/out" ] ||
        fail "nicinfo $*: a mistake, and yet standard output is not empty"
    [ "$want" -ne 0 ] || [ ! -s "$work/err" ] || fail "nicinfo $*: standard error is not empty"
}
says() { grep -qF -- "$1" "$work/out" || fail "no '$1' on standard output"; }
complains() {
    [ "$(cat "$work/err")" = "nicinfo: $1" ] || fail "standard error is not 'nicinfo: $1'"
}

# -- lists, from anywhere
(cd "$work" && nicinfo 0) || exit 1
for name in fpga-scratchpad ideal lanai43 lanai43-fm lanai72 pgas-xt redstorm-alpu seastar; do
    grep -q "^$name  *[A-Za-z]" "$work/out" || fail "$name is not listed with its title"
done

# -- explains
nicinfo 0 redstorm-alpu
says 'redstorm-alpu: '
says 'source: cal A1'
grep -qE '^nic\.entry_hit +[0-9.]+ (ns|cycles) +[0-9.]+ ns  compares' "$work/out" ||
    fail 'no line of nic.entry_hit'
nicinfo 0 --set nic.clock=1GHz --set nic.entry_hit=7cycles --set alpu.posted=128 redstorm-alpu
grep -qE '^nic\.entry_hit +7cycles +7\.000 ns ' "$work/out" ||
    fail 'cycles do not follow the clock that was set'
grep -qE '^alpu\.posted +128 ' "$work/out" || fail 'a count without unit was not set'
says 'source: --set'
nicinfo 0 --tsv --set nic.entry_hit=2ns redstorm-alpu
[ "$(grep -c '	' "$work/out")" -eq "$(wc -l <"$work/out")" ] || fail 'a line of --tsv without tabs'
says 'nic.entry_hit	2ns	ps	2000	--set'
says 'alpu.posted	256 cells	count	256	paper '
keys=$(wc -l <"$work/out")
nicinfo 0 --tsv --set tx.byte=0.5ns/byte --set alpu.overlap=yes --set protocol.eager=packet \
    --set nic.cache=32KiB --set nic.clock=2.5GHz ideal
for line in 'tx.byte	0.5ns/byte	ps/1024bytes	512000' 'alpu.overlap	yes	switch	1' \
    'protocol.eager	packet	choice	0' 'nic.cache	32KiB	bytes	32768' \
    'nic.clock	2.5GHz	Hz	2500000000'; do says "$line	--set"; done
nicinfo 0 --set tx.byte=1.5ns/byte ideal
grep -qE '^tx\.byte +1\.5ns/byte +1\.500000 ns/byte ' "$work/out" || fail 'no rate of tx.byte'
nicinfo 0 --keys
says 'scratchpad.slots'
for section in host call bus nic alpu tx rx link rdma counter store scratchpad protocol \
    completion; do
    says "[$section]"
done

# -- checks
cat >"$work/mine.conf" <<'TEXT'
# mine: a wire
[link]
latency = 5 us    # measured
TEXT
(cd "$work" && nicinfo 0 --check mine.conf) || exit 1
says "mine.conf: right; 1 keys, $((keys - 1)) at their defaults"
nicinfo 0 "$work/mine.conf"
says 'source: measured'
says 'source: default'
echo 'latency = 6 us' >>"$work/mine.conf"
latency='allowed: 1 ps to 1 s (in ps, ns, us, ms, s, cycles)'
nicinfo 1 --check "$work/mine.conf"
complains "$work/mine.conf:4: link.latency = 6 us: set before, in line 3; $latency"
nicinfo 1 --set link.latency=0ns ideal
complains "--set link.latency=0ns: link.latency = 0ns: out of range; $latency"
printf '\357\273\277# mine: with a mark\r\n[link]\r\nlatency = 5 us\r\n' >"$work/other.conf"
nicinfo 0 --check "$work/other.conf"
# wrong TEXT MESSAGE: a file with this text (printf's)
wrong() {
    # shellcheck disable=SC2059 # it is a format
    printf "$1" >"$work/other.conf"
    nicinfo 1 --check "$work/other.conf"
    complains "$work/other.conf:$2"
}
keys_of_link='latency, byte, cut_through, topology, x, y, z, router, contention'
wrong '[link]\nlatenzy = 5 us\n' "2: link.latenzy: no such key; allowed in [link]: $keys_of_link"
sections='host, call, bus, nic, alpu, tx, rx, link, rdma, counter, store, pgas, scratchpad'
sections="$sections, protocol"
wrong '\n[lynk]\n' "2: lynk: no such section; allowed: $sections, completion, flow, node, own"
wrong 'latency = 5 us\n' '1: latency: before the first [SECTION]'
wrong '[link]\nlatency = 5 bytes\n' "2: link.latency = 5 bytes: wrong unit; $latency"
wrong '[link]\nlatency = 5\n' "2: link.latency = 5: no unit; $latency"
wrong '[link]\nlatency = 5000 s\n' "2: link.latency = 5000 s: out of range; $latency"
wrong '[link]\nlatency\n' "2: 'latency': must be KEY = VALUE"
wrong '[link\n' "1: '[link': a section is [NAME]"
wrong '[link]\n\000\001\n' '2: this is no text'
wrong '\033[2J\n' '1: this is no text'
# all that is wrong at once
printf '[link]\nlatenzy = 5 us\nlatency = 0 ns\n[own]\nx = 1\nx = 2\n' >"$work/other.conf"
nicinfo 1 --check "$work/other.conf"
for line in '2: link.latenzy: no such key' '3: link.latency = 0 ns: out of' \
    '6: own.x: set before'; do
    grep -qF "nicinfo: $work/other.conf:$line" "$work/err" || fail "not said: $line"
done
grep -qx 'nicinfo: 3 mistakes' "$work/err" || fail 'mistakes were not counted'

# one that includes another, with a key of a program's own
printf '# more: of it\ninclude = redstorm-alpu\n[own]\nlookup = 12 cycles # guess\n' \
    >"$work/other.conf"
nicinfo 0 --check "$work/other.conf"
says "other.conf: right; $((keys + 1)) keys, 0 at their defaults; 1 of a program's own"
nicinfo 0 --set own.lookup=13 "$work/other.conf"
grep -qx 'includes .*/redstorm-alpu.conf' "$work/out" || fail 'what is included was not named'
grep -qE '^own\.lookup +13   source: --set$' "$work/out" || fail 'a key of its own was not shown'
grep -qE '^link\.latency +200 ns ' "$work/out" || fail 'what is included does not count'

# some ranks: what is said of them, and what follows from a clock of theirs; nothing else
cat >"$work/parts.conf" <<'TEXT'
# parts: ranks that differ
[nic]
clock = 100 MHz
packet = 50 cycles      # counted
copy = 7 ns
[bus]
read = 30 ns
[ranks 2-3 nic]
clock = 200 MHz         # newer
[ranks 2-3 bus]
read = 90 ns            # slower
[ranks 8-8 host]
copy = 1 us
TEXT
nicinfo 0 "$work/parts.conf"
for line in '[ranks 2-3 nic] ' '[ranks 2-3 bus] ' '[ranks 8-8 host] '; do says "$line"; done
[ "$(grep -c '^\[ranks' "$work/out")" -eq 3 ] || fail 'sections of ranks in which nothing is'
grep -qE '^nic\.packet +50 cycles +500\.000 ns ' "$work/out" || fail 'nic.packet of all'
sed -n '/^\[ranks/,$p' "$work/out" | grep -E '^[a-z]' | awk '{ print $1, $2, $3, $4 }' |
    tr '\n' ',' >"$work/of_ranks"
[ "$(cat "$work/of_ranks")" = "bus.read 90 ns 90.000,nic.clock 200 MHz clock,\
nic.packet 50 cycles 250.000,host.copy 1 us 1000.000," ] ||
    fail "of some ranks: $(cat "$work/of_ranks")"
nicinfo 0 --tsv "$work/parts.conf"
says 'bus.read	30 ns	ps	30000	not stated'
says 'ranks 2-3 bus.read	90 ns	ps	90000	slower'
says 'ranks 2-3 nic.packet	50 cycles	ps	250000	counted'
[ "$(grep -c '^ranks ' "$work/out")" -eq 4 ] || fail 'lines of some ranks in --tsv'
says 'ranks 2-3 nic.clock	200 MHz	Hz	200000000	newer'
says 'ranks 8-8 host.copy	1 us	ps	1000000	not stated'
nicinfo 0 --check "$work/parts.conf"
says '; 3 of some ranks'

nicinfo 1 --check "$work"
nicinfo 1 --check "$work/none.conf"
complains "$work/none.conf: No such file or directory"
nicinfo 1 nonsense

# -- a folder of one's own comes first
printf '# mine: all mine\n[link]\nlatency = 7 us\n' >"$work/mine.conf"
printf '# ideal: mine too\n[link]\nlatency = 7 us\n' >"$work/ideal.conf"
NICEMU_PROFILES=$work
export NICEMU_PROFILES
nicinfo 0
says 'all mine'
says 'mine too'
[ "$(grep -c '^ideal ' "$work/out")" -eq 1 ] || fail 'ideal is listed twice'
grep -q '^redstorm-alpu ' "$work/out" || fail 'installed profiles are not listed behind those'
nicinfo 0 mine
says 'link.latency'
unset NICEMU_PROFILES

# -- as many settings as there is room for
set --
while [ $# -lt 256 ]; do set -- "$@" --set=nic.clock=1GHz; done
nicinfo 0 "$@" ideal
nicinfo 2 "$@" --set=nic.clock=1GHz ideal
complains 'more than 256 --set'

# -- the call
nicinfo 0 --help
says 'usage: nicinfo'
nicinfo 0 --version
for wrong in '--nonsense' 'ideal ideal' '--keys ideal' '--check x ideal' '--tsv' \
    '--set a.b=c' '--set'; do
    # shellcheck disable=SC2086 # words
    nicinfo 2 $wrong
done
