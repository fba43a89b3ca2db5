#!/bin/sh
# fuzz.sh SECONDS [TARGET...]: builds the fuzz targets with clang's libFuzzer, address and undefined
# behaviour sanitizers in build-fuzz and runs each for so long.  New inputs stay in
# build-fuzz/TARGET, what fails is left there as crash-*. Exit status 77: no clang with libFuzzer.
# An input that fails, or does something new worth keeping, goes into tests/fuzz/corpus/TARGET by
# hand, under a name that says what it does.
set -u
seconds=${1:?usage: fuzz.sh SECONDS [TARGET...]}
shift
[ $# -gt 0 ] || set -- inbox firmware remote pmi streams
top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
: "${CLANG:=clang}" "${FUZZ_DIR:=$top/build-fuzz}"
mkdir -p "$FUZZ_DIR" && cd "$FUZZ_DIR" || exit 1

flags="-std=gnu11 -g -O1 -Wall -Wextra -DNIC_DEBUG=1"
flags="$flags -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined"
flags="$flags -I$top/include -I$top/nicemu -I$top/lib"
cat >works.c <<'TEXT'
int LLVMFuzzerTestOneInput(const char *d, unsigned long n);
int LLVMFuzzerTestOneInput(const char *d, unsigned long n)
{
    return d == 0 && n;
}
TEXT
# shellcheck disable=SC2086 # lists of words
$CLANG $flags -o works works.c 2>/dev/null || {
    echo "no clang with libFuzzer here (Debian: apt-get install clang)"
    exit 77
}
libraries="$(${PKG_CONFIG:-pkg-config} --cflags --libs hwloc) -lpthread -lm"

# All of the NIC, of the firmware and of what talks to launchers, each time: the fuzzer wants them
# instrumented.
sources=$(find "$top/nicemu" "$top/lib/fw" "$top/lib/pmi" -name '*.c' ! -path '*/tool/*')
parts() {
    case $1 in
    firmware) echo "$top/tests/fuzz/firmware.c $top/tests/fuzz/forge.c $top/tests/fuzz/state.c" ;;
    *) echo "$top/tests/fuzz/$1.c" ;;
    esac
}

failed=0
for target; do
    # shellcheck disable=SC2046,SC2086 # lists of words
    $CLANG $flags -o "fuzz_$target" $sources $(parts "$target") $libraries || exit 1
    mkdir -p "$target"
    if "./fuzz_$target" -max_total_time="$seconds" -max_len=2048 -timeout=30 \
        -artifact_prefix="$target/" -print_final_stats=1 \
        "$target" "$top/tests/fuzz/corpus/$target" >"$target.log" 2>&1; then
        inputs=$(sed -n "s/^stat::number_of_executed_units: *//p" "$target.log")
        echo "$target: $inputs inputs"
        continue
    fi
    failed=1
    tail -n 40 "$target.log"
done
exit $failed
