#!/usr/bin/env bash
# What the viewer costs: bytes, loading times and pictures per second in Chromium, and what a watched run loses.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec target/page/bin/python benches/view/sizes.py "$@"
