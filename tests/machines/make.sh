#!/bin/sh
# make.sh N COMMAND [ARGUMENT]...: runs a command on the first of N machines that exist as long as
# it does: network namespaces with an address and a name each, m1 to mN, on a bridge that nothing
# else is on.  Exit code: the command's; 77: not possible here, says why.
#
# For the command:
#   MACHINES            their names, with commas between
#   MACHINE_ENTER       ENTER NAME COMMAND...: as ssh does it
# `ip -n NAME link set eth0 down` takes one off the net.  All processes are visible to the command,
# but those of other machines have process numbers, /dev/shm and /proc of their own.
#
# All of it is inside of namespaces that nobody else has, so that nothing can stay behind: when this
# process ends, however that comes, the kernel ends all others and takes the rest away.
set -u
count=$1
shift

if [ "${MACHINES_INSIDE:-}" != "$count" ]; then
    for tool in unshare ip mount; do
        command -v $tool >/dev/null || { echo "no $tool here"; exit 77; }
    done
    apart="unshare --mount --uts --ipc --net --pid --fork --kill-child"
    why=$($apart mount -t proc none /proc 2>&1) || {
        echo "machines need namespaces, and these root: $why"
        exit 77
    }
    MACHINES_INSIDE=$count exec $apart sh "$0" "$count" "$@"
fi
unset MACHINES_INSIDE

fail() {
    echo "no machines: $*"
    exit 77
}
mount --make-rprivate / && mount -t proc none /proc && mount -t tmpfs none /run ||
    fail "nothing can be mounted"
mkdir /run/machines || exit 1
# A bridge and namespaces; addresses of a net for tests (RFC 5737).
{ ip link add bridge type bridge && ip link set bridge up; } || fail "no bridge"
echo "127.0.0.1 localhost" >/run/machines/hosts
MACHINES=
for i in $(seq "$count"); do
    { ip netns add "m$i" && ip link add "to$i" type veth peer name eth0 netns "m$i" &&
        ip link set "to$i" master bridge up && ip -n "m$i" addr add "192.0.2.$i/24" dev eth0 &&
        ip -n "m$i" link set eth0 up && ip -n "m$i" link set lo up; } || fail "no network"
    echo "192.0.2.$i m$i" >>/run/machines/hosts
    MACHINES=$MACHINES${MACHINES:+,}m$i
done
mount --bind /run/machines/hosts /etc/hosts || fail "no host names"

# Words are joined by blanks and read by a shell again, as ssh does it.
cat >/run/machines/enter <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
machine=$1
shift
exec ip netns exec "$machine" unshare --uts --ipc --mount --pid --fork --kill-child sh -c '
    hostname "$0" && mount -t proc none /proc && mount -t tmpfs none /dev/shm && exec sh -c "$*"' \
    "$machine" "$@"
END
chmod +x /run/machines/enter
MACHINE_ENTER=/run/machines/enter
export MACHINES MACHINE_ENTER
ip netns exec m1 unshare --uts sh -c 'hostname m1 && exec "$@"' sh "$@" &
wait $!
