#!/bin/sh
# A unit test that hangs is ended, and the last line of its output names it; every unit test has
# that from suite.h.
set -u
here=${srcdir:-.}/tests/unit
status=0
wrong() { echo "$*"; status=1; }

output=$(TEST_LIMIT=5 TEST_TIMEOUT_SCALE=1 CK_FORK=no tests/unit/stuck 2>&1)
code=$?
[ "$code" -ne 0 ] || wrong "a test that hangs passes"
[ "$(echo "$output" | grep '^stays ' | tail -n 1)" = 'stays 2' ] || wrong "not named: $output"
[ "$(echo "$output" | grep -c '^ends 0$')" -eq 1 ] || wrong "said more or less than once: $output"

for file in "$here"/*.[ch]; do
    case $file in */suite.h) continue ;; esac
    grep -nE 'srunner_create|#include <check.h>' "$file" /dev/null && wrong "not by suite.h"
done
exit "$status"
