#!/usr/bin/env python3
"""Tables of what deposit.py and flows.py have measured: means with standard errors over seeds.

    benches/step/table.py deposit 2026-11-18-deposit.csv [grains [reference label]]
    benches/step/table.py flows 2026-11-18-flows.csv [case]

Deposits are compared with the reference label (md) seed by seed, in per cent.
"""
import csv
import math
import sys


def rows_by(path, *keys):
    groups = {}
    for row in csv.DictReader(open(path)):
        groups.setdefault(tuple(row[key] for key in keys), {})[row["seed"]] = row
    return groups


def mean(values):
    values = list(values)
    average = sum(values) / len(values)
    if len(values) == 1:
        return average, math.nan
    return average, math.sqrt(sum((v - average) ** 2 for v in values) / (len(values) - 1) / len(values))


def deposits(path, grains="1000", reference="md"):
    groups = rows_by(path, "grains", "label")
    print("| settings | seeds | φ | φ against MD (%) | mean height (%) | Z (%) | friction's share | against MD (%) | sweeps a step | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    truth = groups[grains, reference]
    for (count, label), rows in groups.items():
        pairs = [(row, truth[seed]) for seed, row in rows.items() if seed in truth]
        if count != grains or not pairs:
            continue
        def against(key): return "{:+.2f} ± {:.2f}".format(*mean(100 * (float(a[key]) / float(b[key]) - 1) for a, b in pairs))
        def own(key): return mean(float(row[key]) for row in rows.values())[0]
        print(f"| {label} | {len(rows)} | {own('phi_core'):.4f} | {against('phi_core')} | {against('mean_height_mm')} | "
              f"{against('coordination')} | {own('friction_share'):.3f} | {against('friction_share')} | "
              f"{own('sweeps') / own('steps'):.1f} | {own('cpu_s'):.2f} |")


def flows(path, case=None):
    print("| case | settings | seeds | first | second | steps | sweeps a step | worst overlap/r | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (name, label), rows in rows_by(path, "case", "label").items():
        if case in (None, name):
            def own(key): return mean(float(row[key]) for row in rows.values())
            first, second = ("{:.4f} ± {:.4f}".format(*own(key)) for key in ("first", "second"))
            print(f"| {name} | {label} | {len(rows)} | {first} | {second} | {own('steps')[0]:.0f} | "
                  f"{own('sweeps')[0] / own('steps')[0]:.1f} | {own('worst_overlap')[0]:.0e} | {own('cpu_s')[0]:.2f} |")


{"deposit": deposits, "flows": flows}[sys.argv[1]](*sys.argv[2:])
