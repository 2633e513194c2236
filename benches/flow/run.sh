#!/usr/bin/env bash
# Warm-started quasi-static flow, solver by solver, and the accuracy of stop tests: the tables of benches/flow/README.md and
# docs/solver-numbers.md.
#   benches/flow/run.sh passes [STEPS [N…]]     default: 20 steps of 500, 2000 and 8000 grains
#   benches/flow/run.sh stiffness [STEPS [N…]]  the same with compliant contacts
#   benches/flow/run.sh both [STEPS [N…]]       both from one preparation
#   benches/flow/run.sh accuracy [N…]           default: 500 grains
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo build --release --quiet -p riprap-scene --example flow
flow="${CARGO_TARGET_DIR:-target}/release/examples/flow"
study=${1:-passes}
if [ "$study" != accuracy ]; then
  steps=${2:-20}
  [ $# -gt 2 ] && shift 2 || set -- 500 2000 8000
  echo '| flow | N | residual | solver | mean passes | most | unconverged | softened | sliding | seconds a step |'
  echo '|---|---|---|---|---|---|---|---|---|---|'
  for scene in shear-2d biaxial-2d shear-3d biaxial-3d; do
    "$flow" "$study" "benches/flow/$scene.toml" "$steps" "$@"
  done
else
  [ $# -gt 1 ] && shift || set -- 500
  echo '| step | stop test | passes | residual | velocity error over velocity | over mean impulse/mass | wall force error |'
  echo '|---|---|---|---|---|---|---|'
  for scene in shear-2d shear-3d; do
    "$flow" accuracy "benches/flow/$scene.toml" "$@"
  done
fi
