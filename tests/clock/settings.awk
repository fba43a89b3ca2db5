# Draws a profile and settings: words for mpirun on the first line, a file for --model behind it,
# empty if there is none.  Input: nicinfo --keys.  -v seed=N
function draw(n) { state = state * 16807 % 2147483647; return state % n }
function one_of(list,    word, n) { n = split(list, word, "|"); return word[draw(n) + 1] }

# Whatever may not be is refused, and another seed has its turn.
function value(allowed) {
    if (allowed ~ /1 s .*cycles/)
        return one_of("0ns|1ps|7ns|33ns|100ns|150ns|1us|13us")
    if (allowed ~ /per|\/byte/)
        return one_of("0ps/byte|1ps/byte|300ps/byte|2ns/byte|10ns/byte")
    if (allowed ~ /MHz/)
        return one_of("33MHz|500MHz|2GHz")
    if (allowed ~ /^[0-9]+ bytes/)
        return one_of("0|1|8|16|64|512|4096|32768") "bytes"
    if (match(allowed, /^[0-9]+ [a-z]+/)) {
        split(substr(allowed, RSTART, RLENGTH), unit, " ")
        return one_of("0|1|2|3|4|8|16|100") unit[2]
    }
    sub(/;.*/, "", allowed)
    gsub(/, | or /, "|", allowed)
    return one_of(allowed)
}

BEGIN { state = seed * 7919 + 1; for (i = 0; i < 20; i++) draw(2) }
/^[a-z]+\.[a-z_]+/ { key = $1 }
# A peer whose answers take longer than our patience is given up, as it should be.
/^ +allowed: / && key != "flow.patience" {
    sub(/^ +allowed: /, "")
    name[++keys] = key
    range[keys] = $0
}

END {
    profile = one_of("redstorm-alpu|seastar|ideal|lanai43|lanai91|lanai91-mpi|fpga-scratchpad|" \
                     "pgas-xt|lanai72")
    for (i = one_of("0|1|2|3|5"); i > 0; i--) {
        k = draw(keys) + 1
        line = line " --set " name[k] "=" value(range[k])
    }
    if (draw(5) < 2)
        line = line " --set " (profile == "pgas-xt" ? "pgas" : "node") ".ranks=" draw(2) + 2
    if (draw(10) < 3)
        line = line " --set link.topology=" one_of("mesh|torus|mixed")
    if (draw(10) < 3)
        line = line " --set link.contention=shared --set link.router=" one_of("1ns|20ns|300ns")
    line = line one_of("||| --offload all| --offload none| --offload match| --offload forward")
    if (draw(10) < 3) {
        file = "include = " profile "\n"
        for (k = 1; k <= keys; k++)
            if (name[k] ~ /^(host|call|bus|nic|tx|rx|completion)\./ && draw(100) < 3) {
                split(name[k], part, ".")
                file = file "[ranks 1-1 " part[1] "]\n" part[2] " = " value(range[k]) "\n"
            }
    }
    print (file ? "" : " --model " profile) line
    printf "%s", file
}
