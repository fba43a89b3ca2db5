#!/bin/sh
# sanitizers.sh LIST [DIR [JOBS]]: builds the tree in DIR with -fsanitize=LIST (address,undefined or
# thread) and runs the suite there.  Exit status 77: the sanitizer does not work on this machine.
set -u
list=${1:?usage: sanitizers.sh LIST [DIR [JOBS]]}
top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
dir=${2:-$top/build-$(echo "$list" | cut -d, -f1)}
jobs=${3:-2}

# Shadow memory wants the address space laid out as on older kernels; setarch -R turns the
# randomisation off.
fixed=
case $list in *thread*)
    if setarch "$(uname -m)" -R true 2>/dev/null; then fixed="setarch $(uname -m) -R"; fi ;;
esac

works() {
    program=$(mktemp) || return 1
    echo 'int main(void) { return 0; }' |
        ${CC:-cc} -fsanitize="$list" -x c - -o "$program" && $fixed "$program"
    status=$?
    rm -f "$program"
    return $status
}
works || { echo "the compiler's -fsanitize=$list does not work here"; exit 77; }

mkdir -p "$dir" && cd "$dir" || exit 1
case $dir in
"$top"/*) source=$(echo "${dir#"$top"/}" | sed 's,[^/][^/]*,..,g') ;;
*) source=$top ;;
esac
if [ ! -f config.status ] || [ -n "$(find "$source/configure" -newer config.status)" ]; then
    # -O1: the sanitizers' own advice, readable stacks at a tolerable speed.  Of debugging only what
    # a stack needs, which takes a third less to compile, and no Fortran, which no test here calls;
    # a build's number is a hash of the program, a third of the time that its link takes.
    $fixed "$source/configure" -q --disable-shared --disable-fortran --with-sanitizer="$list" \
        CFLAGS="-O1 -g1" LDFLAGS="-Wl,--build-id=none" || exit 1
fi

# Every report ends the process, so that the test fails that caused it.
ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:exitcode=99:${ASAN_OPTIONS:-}
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}
# shellcheck disable=SC2089 # the quotes are for the sanitizer, which takes a path in them
LSAN_OPTIONS="suppressions='$top/tests/lsan.supp':print_suppressions=0:${LSAN_OPTIONS:-}"
# shellcheck disable=SC2089 # the quotes are for the sanitizer, which takes a path in them
TSAN_OPTIONS="suppressions='$top/tests/tsan.supp':${TSAN_OPTIONS:-}"
TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:exitcode=99:$TSAN_OPTIONS
# Races are between the threads of a process; more processes show nothing new.
case $list in *thread*) : "${MPI_TEST_RANKS_MAX:=4}"; export MPI_TEST_RANKS_MAX ;; esac
# Instrumented programs take their time: limits that only catch hangs are stretched.
: "${TEST_TIMEOUT_SCALE:=5}"
# shellcheck disable=SC2090
export ASAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS TEST_TIMEOUT_SCALE

# The thread sanitizer finds nothing in a program that cannot start a thread, or does not.  A
# runtime that is linked in brings the names itself: then all of them run, as where nm says nothing.
single() {
    for program in tests/unit/test_*; do
        [ -x "$program" ] || continue
        if grep -q suite_single "$source/$program.c" || names_no_thread "$program"; then
            echo "$program"
        fi
    done
}
names_no_thread() {
    names=$(nm "$1" 2>/dev/null) && [ "$names" ] &&
        ! echo "$names" | grep -qE ' (pthread_create|dlopen)(@|$)'
}
make -k -j"$jobs" check-sanitized TESTS=
without=
# shellcheck disable=SC2046 # a list of words
case $list in *thread*) without=$(echo $(single)); echo "without a thread: $without" ;; esac
$fixed make -k -j"$jobs" check-sanitized TESTS_WITHOUT="$without"
