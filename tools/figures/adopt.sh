#!/bin/sh
# adopt.sh: writes what calibrate.sh found into the profiles of the source tree; comments stay.
# Usage: sh adopt.sh FOUND
set -u
profiles=$(cd "$(dirname "$0")/../../nicemu/profile" && pwd) || exit 1
{ [ $# -eq 1 ] && [ -s "$1" ]; } || {
    echo "usage: sh adopt.sh FOUND, the output of calibrate.sh" >&2
    exit 2
}
# shellcheck disable=SC2013 # names of profiles are words
for profile in $(awk '{ print $1 }' "$1" | sort -u); do
    conf=$profiles/$profile.conf
    awk -v p="$profile" '
        NR == FNR { if ($1 == p) { split($2, kv, "="); found[kv[1]] = kv[2] } next }
        /^\[/ { section = substr($1, 2, length($1) - 2) }
        $2 == "=" && section "." $1 in found {
            value = found[section "." $1]
            match(value, /^[0-9.]+/)
            number = substr(value, 1, RLENGTH)
            line = sprintf("%-29s ", $1 " = " number " " substr(value, RLENGTH + 1))
            $0 = line substr($0, index($0, "#"))
        }
        { print }' "$1" "$conf" >"$conf.new" && mv "$conf.new" "$conf" || exit 1
done

# From now on tests/figures/calibration.sh holds these profiles to it.
adopted=$profiles/../../tools/figures/adopted
touch "$adopted"
awk '{ print $1 }' "$1" "$adopted" | sort -u >"$adopted.new" && mv "$adopted.new" "$adopted"
