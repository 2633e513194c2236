#!/usr/bin/env bash
# The cost of the viewer: bytes, loading times and frames per second in Chromium, and the slowdown of a watched run.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec target/page/bin/python benches/view/sizes.py "$@"
