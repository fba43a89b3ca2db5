# Sourced by figures.sh: data of the pictures of barriers (C, figures 3.6 to 3.14), as tables in us.
# shellcheck shell=sh disable=SC2154

nodes_of() {
    case $1 in
    lanai43) echo "$barrier_nodes 16" ;;
    lanai72) echo "$barrier_nodes" ;;
    esac
}
barriers_below_mpi() {
    printf 'nodes\tpairwise NIC\tpairwise host\tgather NIC\tgather host\n'
    for nodes in $(nodes_of "$1"); do
        pairs="$(barrier "$1" "$nodes" nic pairwise "$gm")$tab$(
            barrier "$1" "$nodes" host pairwise "$gm")"
        trees="$(best "$1" "$nodes" nic "$gm")$tab$(best "$1" "$nodes" host "$gm")"
        printf '%s\t%s\t%s\n' "$nodes" "$pairs" "$trees"
    done
}
barriers_of_mpi() {
    printf 'nodes\tNIC\thost\tNIC below MPI\n'
    for nodes in $2; do
        printf '%s\t%s\t%s\t%s\n' "$nodes" "$(barrier "$1" "$nodes" nic pairwise '')" \
            "$(barrier "$1" "$nodes" host pairwise '')" \
            "$(barrier "$1" "$nodes" nic pairwise "$gm")"
    done
}
# Each point is a run of its own, whose nodes begin at the same time.
turns() {
    printf 'computation\tlanai43 NIC\tlanai43 host\tlanai72 NIC\tlanai72 host\n'
    for ns in $grains; do
        printf '%s' "$(calc "$ns / 1000")"
        for profile in lanai43 lanai72; do
            for who in nic host; do
                printf '\t%s' "$(barrier $profile 8 $who pairwise '' -c "$ns")"
            done
        done
        echo
    done
}
# Computation that has a share of so much, by nodes.
shares_of() {
    printf 'nodes\thost and NIC, of 0.25, 0.50, 0.75, 0.90\n'
    for nodes in $(nodes_of "$1"); do
        printf '%s' "$nodes"
        for share in 0.25 0.5 0.75 0.9; do
            for who in host nic; do
                printf '\t%s' "$(calc "$share * $(efficient "$1" "$nodes" "$who" $share)")"
            done
        done
        echo
    done
}
varied() {
    printf 'computation\thost\tNIC\tlead 0 %%\tlead 5 %%\tlead 10 %%\tlead 20 %%\n'
    for us in $varied_us; do
        printf '%s\t%s\t%s' "$us" "$(barrier lanai43 16 host pairwise '' -c "${us}000" -v 20)" \
            "$(barrier lanai43 16 nic pairwise '' -c "${us}000" -v 20)"
        for percent in 0 5 10 20; do printf '\t%s' "$(lead "${us}000" $percent)"; done
        echo
    done
}
steps_of() {
    printf 'application\thost\tNIC\n'
    for way in 'lanai43 16 8' 'lanai72 8 8' 'lanai43 16 20' 'lanai72 8 20'; do
        # shellcheck disable=SC2086 # words
        set -- $way
        printf '%s, %s steps\t%s\t%s\n' "$1" "$3" \
            "$(barrier "$1" "$2" host pairwise '' -S "$3" -v 10)" \
            "$(barrier "$1" "$2" nic pairwise '' -S "$3" -v 10)"
    done
}
barrier_data() {
    for profile in lanai43 lanai72; do
        barriers_below_mpi $profile >"$data/barrier-gm-$profile.tsv" || return 1
        shares_of $profile >"$data/barrier-shares-$profile.tsv" || return 1
    done
    barriers_of_mpi lanai43 "$all_nodes" >"$data/barrier-mpi-lanai43.tsv" || return 1
    barriers_of_mpi lanai72 '2 3 4 5 6 7 8' >"$data/barrier-mpi-lanai72.tsv" || return 1
    turns >"$data/barrier-turns.tsv" || return 1
    varied >"$data/barrier-varied.tsv" || return 1
    steps_of >"$data/barrier-steps.tsv"
}
