set -euo pipefail
begun=$EPOCHSECONDS; notes=$(mktemp -d); behind=
# run a part: its name, its budget, its command
part() {
    local name=$1 budget=$2 since=$EPOCHSECONDS took over=
    shift 2
    printf '\n== %s: %s\n' "$name" "$*"
    "$@"
    took=$((EPOCHSECONDS - since))
    if ((took > budget)); then over=" (over its budget by $((took - budget)) s)"; fi
    printf '%-14s %5d s of %5d s%s\n' "$name" "$took" "$budget" "$over" | tee -a "$notes/parts"
}

# run two functions at once, each of which keeps about one core busy; the first one's output is shown when both have ended
beside() {
    set -m  # a process group of its own, which can be ended as a whole
    "$1" > "$notes/behind" 2>&1 < /dev/null &
    behind=$!
    set +m
    "$2"
    joined
}

# wait for what runs behind, show what it printed, and fail if it failed
joined() {
    local code=0
    wait "$behind" || code=$?
    behind=
    cat "$notes/behind"
    return "$code"
}

ended() {
    local code=$?
    trap - EXIT
    if [[ -n $behind ]]; then  # the other one failed, or somebody stopped this
        kill -- "-$behind" 2> /dev/null || true
        wait "$behind" || true
        printf '\n== stopped, because another part has failed:\n'
        cat "$notes/behind" 2> /dev/null || true  # it may have begun this moment
    fi
    printf '\n== what each part took\n'
    cat "$notes/parts" 2> /dev/null || true
    printf '%-14s %5d s of %5d s\n' "in all" $((EPOCHSECONDS - begun)) 2400
    rm -rf "$notes"
    exit "$code"
}
trap ended EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
one() { part a 5 false; }; two() { part d 50 bash -c "sleep 777 & wait"; }; beside two one
echo REACHED-END
