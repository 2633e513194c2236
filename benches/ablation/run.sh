#!/usr/bin/env bash
# The solver with each heuristic of `auto` switched off, one at a time: the table of benches/ablation/README.md.
#   benches/ablation/run.sh [STEPS [N…]]     default: 40 steps of 500 grains, a third of them in 3D
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
for flow in shear biaxial; do
  "$examples/flow" equal "benches/flow/$flow-2d.toml" "$steps" "$@"
  "$examples/flow" equal "benches/flow/$flow-3d.toml" $((steps / 3)) "$@"
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for dimension in 2 3; do
  "$examples/packing" "$dimension" 2000 1 "$folder/packing-${dimension}d.hdf5" > /dev/null
done
"$examples/flow" own deposit scenes/deposit.toml 300
"$examples/flow" own blocks scenes/wall.toml 40
"$examples/flow" own blocks scenes/polygons.toml 300
"$examples/flow" own stack benches/ablation/tower.toml 30
"$examples/flow" own stack benches/ablation/wall.toml 20
"$examples/flow" own heavy benches/ablation/heavy.toml 223
"$examples/flow" own heavy benches/ablation/channel.toml 120
"$examples/ablation" "$folder"/*.hdf5 problems/*/*.dat problems/*/*.hdf5
