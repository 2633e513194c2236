#!/usr/bin/env bash
# The solver with each heuristic of `auto` switched off, one at a time: the table of benches/ablation/README.md.
#   benches/ablation/run.sh [STEPS [N…]]     default: 40 steps of 500 grains
# Prints CSV: case, grains or contacts, kind, residual, variant, mean and most passes, unconverged, seconds a step.
# benches/ablation/table.py makes the table of it.
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo build --release --quiet -p riprap-scene --features ablation --example flow
cargo build --release --quiet -p riprap-store --features ablation --example ablation
cargo build --release --quiet -p riprap-store --example packing
examples="${CARGO_TARGET_DIR:-target}/release/examples"
steps=${1:-40}
[ $# -gt 1 ] && shift || set -- 500
echo 'case,size,kind,residual,variant,passes,most,unconverged,seconds'
for scene in shear-2d biaxial-2d shear-3d biaxial-3d; do
  "$examples/flow" equal "benches/flow/$scene.toml" "$steps" "$@"
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for dimension in 2 3; do
  "$examples/packing" "$dimension" 2000 1 "$folder/packing-${dimension}d.hdf5" > /dev/null
done
"$examples/ablation" "$folder"/*.hdf5 problems/*/*.dat problems/*/*.hdf5
