#!/bin/sh
# run.sh: each fuzz target over its corpus, and over some thousand mutations of it.
set -u
: "${srcdir:=.}"
failed=0
for target in inbox firmware remote pmi streams; do
    echo "$target"
    failure=tests/fuzz/$target.failure
    rm -f "$failure"
    "tests/fuzz/fuzz_$target" "-failure=$failure" "$srcdir/tests/fuzz/corpus/$target" && continue
    failed=1
    echo "$target fails; the input is tests/fuzz/$target.failure"
done
exit $failed
