#!/usr/bin/env bash
# The overhead of Python: an empty callback in every step, and handing over positions and contacts.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec target/python/bin/python benches/python/overhead.py "$@"
