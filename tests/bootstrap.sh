#!/bin/sh
# bootstrap's check: skipped tests are listed with their reasons before the last line, which counts;
# spin, which the models need, is installed by root, named to others, and never asked for by `run`;
# another prefix has libraries linked again.
# In a tree with nothing but bootstrap, on a path where make, cc, apt-get and id are stand-ins.
set -u
top=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
status=0

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
    stand_in pkg-config 'echo 2.9'
    stand_in gfortran 'echo 12.2.0'
    stand_in id 'cat "$WORK/uid"'
    stand_in apt-get 'echo "$*" >>"$WORK/apt"
        printf "#!/bin/sh\n" >"$WORK/bin/spin" && chmod +x "$WORK/bin/spin"'
    stand_in make 'case "$*" in *" check"*) cd "$WORK/build/tests/mpi" && cp_results ;; esac'
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
    rm -f "$work/bin/spin"
    (
        cd "$work" || exit 1
        env -i PATH="$work/bin" WORK="$work" VARIANTS=plain ${BUILD:+"BUILD=$BUILD"} \
            "$work/bin/sh" bootstrap "$@"
    ) >"$work/out" 2>&1
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

# Folders of the build that are named by way of others.
for folder in ./second third/../fourth; do
    mkdir -p "$work/third"
    BUILD=$folder boot 0 install "$work/there" || fail "no build in $folder"
    [ -f "$work/$folder/config.status" ] || fail "nothing is configured in $folder"
done
exit "$status"
