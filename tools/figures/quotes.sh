#!/bin/sh
# quotes.sh: finds the words of each input of inputs.tsv in the text of its paper, whatever white
# space and marks (stars, dollars, backslashes) lie between them.  Usage: sh quotes.sh TEXTS, a
# folder with the papers as plain text, which are not part of this project: alpu-brightwell.txt,
# scratchpad-mpi-katsamani.txt, nic-offload-buntinas.txt, seastar-portals.txt,
# pgas-nic-underwood.txt.  Exit code 1 if words were not found.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
[ $# -eq 1 ] || { echo "usage: sh quotes.sh TEXTS" >&2; exit 2; }
[ -d "$1" ] || { echo "quotes: no folder of texts: $1"; exit 77; }

text_of() {
    case $1 in
    redstorm-alpu) echo alpu-brightwell.txt ;;
    fpga-scratchpad) echo scratchpad-mpi-katsamani.txt ;;
    lanai*) echo nic-offload-buntinas.txt ;;
    seastar) echo seastar-portals.txt ;;
    pgas-xt) echo pgas-nic-underwood.txt ;;
    esac
}
plain() { tr -d '\\$*' | tr -s ' \t\r\n' '    ' | tr -s ' '; }

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
inputs=${FIGURES_INPUTS:-$here/inputs.tsv}
grep -v '^#' "$inputs" | cut -f 1 | sort -u | while read -r profile; do
    text=$1/$(text_of "$profile")
    if [ -f "$text" ]; then
        plain <"$text" >"$work/$profile"
        echo >>"$work/$profile"
    else
        echo "quotes: no $text: the inputs of $profile are not looked for"
    fi
done
grep -v '^#' "$inputs" | awk -F'\t' -v work="$work" '
    {
        file = work "/" $1
        if (!($1 in text) && (getline text[$1] <file) <= 0) text[$1] = ""
        if (text[$1] == "") next
        looked++
        if (index(text[$1], $5)) next
        missed++
        printf "quotes: %s %s: not in the text: %s\n", $1, $2, $5
    }
    END { printf "quotes: %d of %d found\n", looked - missed, looked; exit missed > 0 }'
