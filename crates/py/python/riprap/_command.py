"""The command ``riprap``, the same program as that of the Rust package."""

from __future__ import annotations

import sys

from riprap import _riprap


def main() -> int:
    """Carries out the command line of this process and returns the exit code."""
    return _riprap.command(["riprap", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
