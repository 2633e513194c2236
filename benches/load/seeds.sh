#!/usr/bin/env bash
# Runs the random tests with other seeds than the one of .cargo/config.toml.
#
#   benches/load/seeds.sh [COUNT] [FIRST]     20 seeds from 1 on
set -euo pipefail
cd "$(dirname "$0")/../.."
count=${1:-20}
first=${2:-1}

# The names of the tests inside `proptest! { … }`.
mapfile -t files < <(grep -rl 'proptest! {' --include='*.rs' crates)
mapfile -t tests < <(awk '
    /^ *proptest! \{/ { indent = $0; sub(/proptest.*/, "", indent); inside = 1 }
    inside && $0 == indent "}" { inside = 0 }
    inside && /#\[test\]/ { marked = 1 }
    inside && marked && match($0, /fn [a-z0-9_]+/) { print substr($0, RSTART + 3, RLENGTH - 3); marked = 0 }
' "${files[@]}")
mapfile -t crates < <(printf '%s\n' "${files[@]}" | cut -d/ -f2 | sort -u | sed 's/^/-priprap-/')

bad=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for ((seed = first; seed < first + count; seed++)); do
    if PROPTEST_RNG_SEED=$seed cargo test --locked --release "${crates[@]}" --lib --tests --no-fail-fast -- "${tests[@]}" \
        >"$log" 2>&1; then
        echo "seed $seed: $(awk '/^test result:/ { passed += $4 } END { print passed + 0 }' "$log") passed"
    else
        echo "seed $seed FAILED"
        cat "$log"
        bad=$((bad + 1))
    fi
done
echo "$bad of $count seeds with failures"
[ "$bad" -eq 0 ]
