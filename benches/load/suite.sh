#!/usr/bin/env bash
# Runs the whole suite again and again while other processes keep all cores busy, and reports every failure.
#
#   benches/load/suite.sh [RUNS] [BUSY]     10 runs beside as many busy processes as there are cores
#
# The suite is built before; the log of each run is kept in target/under-load.
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${1:-10}
busy=${2:-$(getconf _NPROCESSORS_ONLN)}
logs=target/under-load

cargo test --locked --release --workspace --no-run
rm -rf "$logs"
mkdir -p "$logs"

spinning=()
trap '[ ${#spinning[@]} -eq 0 ] || kill "${spinning[@]}"' EXIT
for ((i = 0; i < busy; i++)); do
    while :; do :; done &
    spinning+=($!)
done

echo "$(git rev-parse --short HEAD), $(date -u +%Y-%m-%d): $busy busy processes on $(getconf _NPROCESSORS_ONLN) cores"
bad=0
for ((run = 1; run <= runs; run++)); do
    log=$logs/$run.log
    start=$SECONDS
    cargo test --locked --release --workspace --no-fail-fast >"$log" 2>&1 || bad=$((bad + 1))
    awk -v run="$run" -v seconds=$((SECONDS - start)) '
        /^test result:/ { passed += $4; failed += $6 }
        END { printf "run %d: %d passed, %d failed, %d s\n", run, passed, failed, seconds }' "$log"
    grep -E '^(test .* FAILED|error)' "$log" || true
done
echo "$bad of $runs runs with failures"
[ "$bad" -eq 0 ]
