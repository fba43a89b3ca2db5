#!/bin/sh
# --timeout ends a job, and only one that is late.
# shellcheck disable=SC1091,SC2015,SC2016,SC2094,SC2154,SC2317,SC3045 # lib.sh is sourced; quoted scripts are for ranks
. "${srcdir:-.}/tests/launch/lib.sh"

run 124 --timeout 0.2 -n 3 sleep 1000
said 'mpirun: the job was ended after 0.2 s (--timeout)'
run 124 --timeout=0.2 -n 2 sh -c 'trap "" TERM; while :; do sleep 0.05; done'
run 0 --timeout 1000 -n 2 true
silent
run 3 --timeout 1000 -n 1 sh -c 'exit 3'
exit 0
