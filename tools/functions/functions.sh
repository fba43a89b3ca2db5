#!/bin/sh
# functions.sh: which functions of the MPI ABI the library has, by chapter of the standard, as
# doc/functions.md says it.  Reads include/mpi.h, tests/abi-functions.txt and chapters (beside this
# script).  A name that is in no chapter is an error.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1

sed -n 's/^\(int\|double\|MPI_[A-Za-z]*\) \(MPI_[A-Z][A-Za-z0-9_]*\)(.*/\2/p' "$top/include/mpi.h" |
awk -v chapters="$top/tools/functions/chapters" -v abi="$top/tests/abi-functions.txt" '
    # Words wrapped to lines of the page.
    function fill(words,    n, list, i, line) {
        n = split(words, list, " ")
        for (i = 1; i <= n; i++) {
            if (length(line) + length(list[i]) + 2 > 98) { print line; line = "" }
            line = line (line == "" ? "" : " ") list[i] (i < n ? "," : ".")
        }
        if (line != "") print line
    }
    function chapter_of(name,    i) {
        for (i = 1; i <= count; i++) if (name ~ pattern[i]) return number[i]
        print "functions.sh: in no chapter: MPI_" name >"/dev/stderr"
        failed = 1
    }
    BEGIN {
        while ((getline line <chapters) > 0) {
            if (line ~ /^#/) continue
            split(line, part, "|")
            number[++count] = part[1]
            title[part[1]] = part[2]
            pattern[count] = substr(line, length(part[1]) + length(part[2]) + 3)
            if (part[1] > last) last = part[1] + 0
        }
    }
    { has[$1] = 1 }
    END {
        while ((getline name <abi) > 0) {
            short = substr(name, 5)
            c = chapter_of(short)
            all[c]++; total++
            if (name in has) { there[c] = there[c] " " short; got[c]++; have++ }
            else missing[c] = missing[c] " " short
        }
        print "# Functions"
        print ""
        print "Made by `sh tools/functions/functions.sh`, from `include/mpi.h`.  Of the " total
        print "functions of the MPI-5.0 ABI " have " are there, " \
              "each as `MPI_X` and as `PMPI_X`.  What"
        print "`mpi.h` declares works; what is missing neither compiles nor links."
        print ""
        print "| | chapter | there | of |"
        print "|---|---|---|---|"
        for (c = 1; c <= last; c++)
            if (all[c]) print "| " c " | " title[c] " | " got[c] + 0 " | " all[c] " |"
        for (c = 1; c <= last; c++) {
            if (!all[c]) continue
            print "\n## " c ". " title[c]
            if (got[c]) { print "\nThere:\n"; fill(there[c]) }
            if (missing[c] != "") { print "\nMissing:\n"; fill(missing[c]) }
        }
        exit failed
    }'
