# judge.awk: reads rows.tsv with one more column, ours, and writes papers.tsv: id, quantity, paper,
# ours, error, standing, verdict. verdict: met; cal, a number that the profile was calibrated on;
# short, not met, or not measured; open, there is no profile yet.
BEGIN {
    FS = OFS = "\t"
    print "id", "quantity", "paper", "ours", "error", "standing", "verdict"
}
function abs(x) { return x < 0 ? -x : x }
function is_number(x) { return x ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ }
function percent(x) { return sprintf("%+.1f %%", x * 100) }
/^#/ { next }
{
    id = $1; quantity = $4 == "" ? $3 : $3 " (" $4 ")"; kind = $5
    paper = $6; standing = $7; ours = $8
    error = ""; verdict = "short"
    if (ours == "open") {
        verdict = "open"
    } else if (kind == "relation") {
        if (ours == "holds") verdict = "met"
    } else if (is_number(ours)) {
        if (kind == "between") {
            split(paper, bounds, ":")
            if (ours >= bounds[1] + 0 && ours <= bounds[2] + 0) verdict = "met"
            paper = bounds[1] " to " bounds[2]
        } else if (kind == "zero") {
            error = sprintf("%+.1f", ours)
            if (abs(ours) < 0.5) verdict = "met"
        } else {
            e = ours / paper - 1
            error = percent(e)
            if (kind == "cal" && abs(e) <= 0.01) verdict = "cal"
            if (kind != "cal" && abs(e) <= 0.1) verdict = "met"
        }
        ours = sprintf(abs(ours) < 100 ? "%.2f" : "%.0f", ours)
    }
    print id, quantity, paper, ours, error, standing, verdict
}
