# functions.awk: what functions.sh prints, from prototypes; with chapter_of.awk, -v abi=FILE with
# the names of the ABI, and -v pages=NAMES with those of the files in doc/reference.

# Words wrapped to lines of the page.
function fill(words,    n, list, i, line) {
    n = split(words, list, " ")
    for (i = 1; i <= n; i++) {
        if (length(line) + length(list[i]) + 2 > 98) { print line; line = "" }
        line = line (line == "" ? "" : " ") list[i] (i < n ? "," : ".")
    }
    if (line != "") print line
}
# A chapter's title, as a link to its page of the reference if that is there.
function linked(c,    n, path, i, name) {
    n = split(pages, path, " ")
    for (i = 1; i <= n; i++) {
        name = path[i]
        sub(/^.*\//, "", name)
        if (name + 0 == c) return "[" title[c] "](reference/" name ")"
    }
    return title[c]
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
    print "`mpi.h` declares works; what is missing neither compiles nor links.  What each does:"
    print "`man MPI_Send` and so on, made from the pages in `doc/reference/`."
    print ""
    print "| | chapter | there | of |"
    print "|---|---|---|---|"
    for (c = 1; c <= last; c++)
        if (all[c]) print "| " c " | " linked(c) " | " got[c] + 0 " | " all[c] " |"
    for (c = 1; c <= last; c++) {
        if (!all[c]) continue
        print "\n## " c ". " title[c]
        if (got[c]) { print "\nThere:\n"; fill(there[c]) }
        if (missing[c] != "") { print "\nMissing:\n"; fill(missing[c]) }
    }
    exit no_chapter
}
