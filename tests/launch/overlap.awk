# overlap.awk: of what slices.awk says, sorted by rank, track, begin and, the last first, end: what
# does at once two things that are not part of each other, and arrows that begin or end at nothing:
# a slice has its begin, and its end only if it takes no time.
# Tracks of a unit, from 1000 to 1299, do one thing at a time, but for the processors: what one does
# for an event, whose slice has no name of a cost, is inside of that.  What takes no time is between
# two others where one of them begins, though it comes behind that here.
function fits(i) { return i && $4 <= end[i] }
function is_between() { return $4 == $3 && $3 == from[depth] }
function is_alone() { return track >= 1000 && track != 1002 && track != 1007 && track < 1300 }
{
    if ($1 != rank || $2 != track) { depth = 0; rank = $1; track = $2 }
    slices++
    while (depth && end[depth] <= $3 && !($5 == "~arrow" && from[depth] == $3)) depth--
    if ($5 == "~arrow") {
        if (!depth) print "an arrow at nothing: " $0
        next
    }
    if ($4 < $3) print "ends before it begins: " $0
    if (depth && !fits(depth)) print "overlaps " name[depth] ", which ends at " end[depth] ": " $0
    else if (depth && is_alone() && !is_between())
        print "two at once, besides " name[depth] ": " $0
    from[++depth] = $3
    end[depth] = $4
    name[depth] = $5
}
END { if (!slices) print "no slices" }
