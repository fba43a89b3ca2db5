#!/bin/sh
# What mpirun leaves alone, and what it takes for a program: children that it was started with,
# files of PATH that must not be executed.
# shellcheck disable=SC1091,SC2016,SC2154 # lib.sh is sourced; quoted scripts are for others
. "${srcdir:-.}/tests/launch/lib.sh"

# A shell becomes mpirun, with children of its own.
children='for i in 1 2 3; do sleep 1000 & echo $! >>"$1"; done'
sh -c "$children"'; exec "$0" -n 2 true' "$mpirun" "$work/children" || fail "exit code $?"
left=0
while read -r pid; do
    kill "$pid" 2>/dev/null && left=$((left + 1))
done <"$work/children"
[ "$left" -eq 3 ] || fail "of 3 children that are no ranks $left are left"

# The first file of that name must not be executed, and there is no other.
mkdir "$work/one" "$work/two"
echo 'echo found' >"$work/one/program"
PATH=$work/one:$work/two:$PATH run 126 -n 1 program
told '^mpirun: cannot start program: Permission denied$'
printf '#!/bin/sh\necho found\n' >"$work/two/program"
chmod +x "$work/two/program"
PATH=$work/one:$work/two:$PATH run 0 -n 1 program
printed found
exit 0
