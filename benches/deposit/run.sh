#!/usr/bin/env bash
# The deposit benchmark: cost, overlaps, energy and balance of forces at the end, from the initial states that the
# other programs of benches/README.md started from. One thread, user and system CPU seconds.
#   benches/deposit/run.sh [--threads N] [N…]
set -euo pipefail
cd "$(dirname "$0")/../.."
threads=1
if [ "${1:-}" = "--threads" ]; then threads=$2; shift 2; fi
cargo build --release --quiet
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
value() { grep -m1 "\"$1\":" "$out/$n/summary.json" | sed 's/.*: *//; s/,$//'; }
printf '%7s %8s %10s %12s %12s %10s %10s %10s %10s %7s %7s %7s %8s %8s\n' grains cpu_s cost max_overlap mean_overlap KE_t/mgd KE_r/mgd unb_mean unb_worst Z phi F sweeps MiB
[ $# -gt 0 ] || set -- 1000 4000 16000
for n in "$@"; do
  case $n in 1000) side=18.2 ;; 4000) side=31.2 ;; 16000) side=49.4 ;; *) echo "no initial state for $n" >&2; exit 2 ;; esac
  "${CARGO_TARGET_DIR:-target}"/release/riprap run benches/deposit/deposit.toml --quiet --threads "$threads" --out "$out/$n" \
    --set "grains.0.path=deposit_$n.csv" --set "walls.0.upper=[\"$side mm\",\"$side mm\",\"400 mm\"]"
  unbalanced=$(tr -d '\n' < "$out/$n/summary.json" | sed 's/.*"unbalanced_force_over_weight": *{ *"mean": *\([^,]*\), *"worst": *\([^ }]*\).*/\1 \2/')
  mean=${unbalanced% *} worst=${unbalanced#* }
  # m g d of the mean sphere: radius 1 mm, density 2600.
  awk -v n="$n" -v cpu="$(value cpu_s)" -v max="$(value max_overlap_over_radius)" -v avg="$(value mean_overlap_over_radius)" \
    -v ke="$(value kinetic_energy_J)" -v spin="$(value rotation_energy_J)" -v mean="$mean" -v worst="$worst" -v z="$(value coordination)" -v phi="$(value solid_fraction)" \
    -v f="$(value floor_force_over_weight)" -v sweeps="$(value sweeps)" -v steps="$(value steps)" -v rss="$(value peak_rss_bytes)" 'BEGIN {
      mgd = 2600 * 4 / 3 * 3.14159265 * 1e-9 * 9.81 * 2e-3
      printf "%7d %8.1f %10.5f %12.1e %12.1e %10.1e %10.1e %10.1e %10.1e %7.2f %7.3f %7.3f %8.1f %8.0f\n",
        n, cpu, cpu / 0.3 / n, max, avg, (ke - spin) / n / mgd, spin / n / mgd, mean, worst, z, phi, f, sweeps / steps, rss / 1048576 }'
done
