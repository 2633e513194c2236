#!/usr/bin/env python3
"""The table of benches/ablation/README.md from the CSV of benches/ablation/run.sh: passes of each variant over those of `auto`,
geometric means over the cases of each kind, and the steps or problems that did not converge."""
import csv
import math
import sys

KINDS = ["rigid", "compliant", "cold", "settling", "deposit", "blocks", "stack", "heavy", "problem"]


def main():
    passes, unconverged = {}, {}
    for path in sys.argv[1:]:
        with open(path) as file:
            for row in csv.DictReader(file):
                case = (path, row["case"], row["size"], row["kind"], row["residual"])
                cases = passes.setdefault(row["variant"], {})
                # The same flow of other grains is another case.
                while case in cases:
                    case += ("again",)
                cases[case] = max(float(row["passes"]), 1.0)
                unconverged[row["variant"]] = unconverged.get(row["variant"], 0) + int(row["unconverged"])
    base = passes["auto"]
    print("| variant | rigid flow | compliant flow | cold packing | settling | deposit | blocks | stacks | heavy | problems | unconverged |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for variant, cases in passes.items():
        cells = [ratio(cases, base, kind) for kind in KINDS]
        print(f"| {variant} | " + " | ".join(cells) + f" | {unconverged[variant]} |")


def ratio(cases, base, kind):
    """The geometric mean of passes over those of `auto`; empty where nothing of this kind was measured or nothing changes."""
    logs = [math.log(cases[case] / base[case]) for case in cases if case[3] == kind and case in base]
    if not logs or all(log == 0.0 for log in logs) and cases is not base:
        return ""
    return f"{math.exp(sum(logs) / len(logs)):.2f}"


main()
