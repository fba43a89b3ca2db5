#!/bin/sh
# bootstrap's check: skipped tests are listed with their reasons before the last line, which counts;
# spin, which the models need, is installed by root, named to others, and never asked for by `run`;
# a lock of apt-get's is waited for, and nothing else that it fails of; another prefix has libraries
# linked again, and other arguments or libraries have all built again.
# In a tree with nothing but bootstrap, on a path where make, cc, apt-get and id are stand-ins.
set -u
top=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
status=0
unset BUILD CONFIGURE_ARGS  # those of the check that this is part of

fail() { echo "$*"; sed 's/^/    /' "$work/out"; status=1; }

# stand_in NAME BODY
stand_in() {
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# shellcheck disable=SC2016 # the stand-ins see these variables
prepare() {
    mkdir -p "$work/bin" "$work/build-aux" "$work/build/bin" "$work/build/tests/mpi"
    for tool in awk cat chmod date dirname find getconf grep mkdir rm sed sh sleep sort tail; do
        ln -s "$(command -v "$tool")" "$work/bin/$tool" || exit 1
    done
    for tool in cc autoreconf automake libtoolize; do stand_in "$tool" 'exit 0'; done
    stand_in pkg-config 'case "$*" in
        *exists*) ;;
        *pmix) cat "$WORK/pmix" ;;
        *) echo 2.9 ;;
        esac'
    echo 4.0 >"$work/pmix"
    stand_in gfortran 'echo 12.2.0'
    stand_in id 'cat "$WORK/uid"'
    stand_in apt-get 'echo "$*" >>"$WORK/apt"
        if [ -s "$WORK/refusal" ]; then cat "$WORK/refusal" >&2; exit 100; fi
        printf "#!/bin/sh\n" >"$WORK/bin/spin" && chmod +x "$WORK/bin/spin"'
    stand_in make 'echo "$*" >>"$WORK/makes"
        case "$*" in *" check"*) cd "$WORK/build/tests/mpi" && cp_results ;; esac'
    cat >"$work/bin/cp_results" <<'RESULTS'
#!/bin/sh
printf ':test-result: PASS\n' >good.trs
printf ':test-result: SKIP\n' >large.trs
printf 'skipped: needs 8 GB\n\nSKIP tests/mpi/large.t (exit status: 77)\n' >large.log
RESULTS
    chmod +x "$work/bin/cp_results"
    printf '#!/bin/sh\necho measured\n' >"$work/build/bin/mpirun"
    chmod +x "$work/build/bin/mpirun"
    cp "$top/bootstrap" "$work/bootstrap"
    for file in configure.ac configure Makefile.in build-aux/ltmain.sh; do : >"$work/$file"; done
    printf '#!/bin/sh\n: >config.status\n' >"$work/configure"
    chmod +x "$work/configure"
}

# boot UID VERB [ARGUMENT]: its output is in $work/out.
boot() {
    echo "$1" >"$work/uid"
    shift
    : >"$work/apt"
    : >"$work/makes"
    rm -f "$work/bin/spin"
    (
        cd "$work" || exit 1
        env -i PATH="$work/bin" WORK="$work" VARIANTS=plain ${BUILD:+"BUILD=$BUILD"} \
            ${CONFIGURE_ARGS:+"CONFIGURE_ARGS=$CONFIGURE_ARGS"} "$work/bin/sh" bootstrap "$@"
    ) >"$work/out" 2>&1
}

boot_debug() {
    CONFIGURE_ARGS=--enable-debug
    boot 0 run
    set -- $?
    unset CONFIGURE_ARGS
    return "$1"
}

prepare
boot 1000 check || fail "check failed"
missing='spin is missing (sudo apt-get install spin)'
grep -qx "the models will not be checked: $missing" "$work/out" ||
    fail "spin is not named"
[ ! -s "$work/apt" ] || fail "apt-get was called: $(cat "$work/apt")"
tail -n 3 "$work/out" >"$work/last"
printf 'skipped:\n  plain: tests/mpi/large: needs 8 GB\n1 passed, 0 failed, 1 skipped\n' |
    cmp -s - "$work/last" || fail "the last lines are others"

boot 0 check || fail "check as root failed"
grep -q 'install -y spin' "$work/apt" || fail "root got no spin"
! grep -q 'missing' "$work/out" || fail "spin is missing, after its installation"

# Another apt-get holds a lock, of the lists or of dpkg, until the stand-in for sleep is called.
echo 'E: Could not get lock /var/lib/apt/lists/lock' >"$work/refusal"
rm "$work/bin/sleep"
stand_in sleep 'if [ "$1" = 2 ]; then : >"$WORK/refusal"; fi'
boot 0 check || fail "check as root failed, with a lock held"
[ "$(grep -c 'install -y spin' "$work/apt")" -eq 2 ] && ! grep -q update "$work/apt" ||
    fail "a lock was not waited for: $(cat "$work/apt")"
grep -q 'Could not get lock' "$work/build/log/spin.log" || fail "the log does not tell of the lock"

echo 'E: Unable to locate package spin' >"$work/refusal"
boot 0 check || fail "check as root failed, without a package"
[ "$(wc -l <"$work/apt")" -eq 2 ] || fail "a package that is not there: $(cat "$work/apt")"
grep -q "checked: $missing" "$work/out" || fail "spin is not named, after it was not found"

# A lock that is never given back: 150 times 2 s in all, then one try of what is left.
echo 'E: Could not get lock /var/lib/apt/lists/lock' >"$work/refusal"
stand_in sleep 'exit 0'
boot 0 check || fail "check as root failed, with a lock for ever"
[ "$(wc -l <"$work/apt")" -eq 152 ] || fail "tries of a lock: $(wc -l <"$work/apt")"
grep -q "checked: $missing" "$work/out" || fail "spin is not named, after a lock"
: >"$work/refusal"
rm "$work/bin/sleep"
ln -s "$(command -v sleep)" "$work/bin/sleep"

boot 0 run || fail "run failed"
[ ! -s "$work/apt" ] || fail "run calls apt-get"
! grep -q spin "$work/out" || fail "run asks for spin"

mkdir "$work/build/in"
: >"$work/build/libx.la"
: >"$work/build/in/libx_la-path.lo"
boot 0 run && [ -f "$work/build/libx.la" ] || fail "a second run links all again"
boot 0 install "$work/there" || fail "install failed"
[ ! -e "$work/build/libx.la" ] || fail "a library of another prefix is left"
[ ! -e "$work/build/in/libx_la-path.lo" ] || fail "an object with another prefix is left"
! grep -q clean "$work/makes" || fail "another prefix has all built again"

boot 0 run || fail "run failed"
! grep -q clean "$work/makes" || fail "the same arguments have all built again"
boot_debug && grep -q clean "$work/makes" ||
    fail "other arguments do not have all built again"
boot_debug && ! grep -q clean "$work/makes" ||
    fail "the same arguments have all built again, once more"
echo 5.0 >"$work/pmix"
boot_debug && grep -q clean "$work/makes" ||
    fail "another library does not have all built again"

# After a configuration that was not finished nobody knows what the folder was built for.
printf '#!/bin/sh\nexit 1\n' >"$work/configure"
! boot 0 run || fail "run passes without its configuration"
printf '#!/bin/sh\n: >config.status\n' >"$work/configure"
boot_debug && grep -q clean "$work/makes" ||
    fail "what an unfinished configuration left is not built again"

# Folders of the build that are named by way of others.
for folder in ./second third/../fourth; do
    mkdir -p "$work/third"
    BUILD=$folder boot 0 install "$work/there" || fail "no build in $folder"
    [ -f "$work/$folder/config.status" ] || fail "nothing is configured in $folder"
    ! grep -q clean "$work/makes" || fail "what was never built is removed in $folder"
done
exit "$status"
