#!/bin/sh
# A harness in shell, with jq for JSON and awk for the work: k-anonymity.
# Run it with:  tcloseness conform run -- sh examples/harnesses/k_anonymity.sh
#
# awk counts in doubles, so tables of 2^53 records and more are skipped.

size_of_the_smallest_class='
    $1 + 0 >= 9007199254740992 { large = 1 }
    { size[$2] += $1 }
    END {
        if (large) { print "skip"; exit }
        for (key in size) if (least == "" || size[key] < least) least = size[key]
        printf "%.0f\n", least
    }'

# One line a row: how many records it stands for, a tab, its quasi-identifiers as JSON, which keeps them apart whatever
# they contain. Numbers stay texts, since jq's are doubles, and lose idle zeros, so 1 and 1.0 are one; a missing value is
# null, and the text "null" stands in quotation marks.
rows='
    def number: sub("^(?<sign>-?)0+(?=[0-9])"; .sign)
        | if contains(".") then sub("0+$"; "") | sub("[.]$"; "") else . end | if . == "-0" then "0" else . end;
    .input as $t | range($t.rows | length) as $i | [
        ($t.times[$i] // "1"),
        ([$t.quasi_identifiers[] | . as $name | ($t.columns | index($name)) as $j | $t.rows[$i][$j]
          | if . != null and $t.types[$j] != "text" then number else . end] | tojson)
    ] | join("\t")'

while read -r line; do
    case $(printf '%s' "$line" | jq -r .cmd) in
    stop) exit 0 ;;
    start) echo '{"version": 1, "implementation": {"name": "shell", "version": "1"}, "algorithms": ["k-anonymity"]}' ;;
    run)
        seq=$(printf '%s' "$line" | jq .seq)
        k=$(printf '%s' "$line" | jq -r .parameters.k)
        value=$(printf '%s' "$line" | jq -r "$rows" | awk -F '\t' "$size_of_the_smallest_class")
        if [ "$value" = skip ]; then
            echo "{\"seq\": $seq, \"skipped\": \"too many records for the numbers of awk\"}"
        else
            [ "$value" -ge "$k" ] && satisfied=true || satisfied=false
            echo "{\"seq\": $seq, \"result\": {\"value\": \"$value\", \"satisfied\": $satisfied}}"
        fi
        ;;
    esac
done
