#!/usr/bin/env bash
# Warm-started quasi-static flow: passes per step and unconverged steps, solver by solver, as the table of benches/README.md.
#   benches/flow/run.sh [STEPS [N…]]
set -euo pipefail
cd "$(dirname "$0")/../.."
steps=${1:-20}
[ $# -gt 1 ] || set -- "$steps" 500 2000 8000
shift
cargo build --release --quiet -p riprap-scene --example flow
echo '| flow | N | residual | solver | mean passes | most | unconverged | softened | sliding |'
echo '|---|---|---|---|---|---|---|---|---|'
for scene in shear-2d biaxial-2d shear-3d biaxial-3d; do
  "${CARGO_TARGET_DIR:-target}"/release/examples/flow passes "benches/flow/$scene.toml" "$steps" "$@"
done
echo
echo '| step | stop test | passes | residual | velocity error over velocity | over mean impulse/mass | wall force error |'
echo '|---|---|---|---|---|---|---|'
for scene in shear-2d shear-3d; do
  "${CARGO_TARGET_DIR:-target}"/release/examples/flow accuracy "benches/flow/$scene.toml" 500
done
