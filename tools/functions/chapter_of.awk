# chapter_of.awk: in which chapter of the standard a function stands; -v chapters=FILE.
function chapter_of(name,    i) {
    sub(/^MPI_/, "", name)
    for (i = 1; i <= patterns; i++) if (name ~ pattern[i]) return number[i]
    print "functions.sh: in no chapter: MPI_" name >"/dev/stderr"
    no_chapter = 1
}
BEGIN {
    while ((getline line <chapters) > 0) {
        if (line ~ /^#/) continue
        split(line, part, "|")
        number[++patterns] = part[1]
        title[part[1]] = part[2]
        pattern[patterns] = substr(line, length(part[1]) + length(part[2]) + 3)
        if (part[1] > last) last = part[1] + 0
    }
}
