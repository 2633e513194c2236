#!/usr/bin/env python3
"""Passes and CPU time for packings of increasing size, and the exponents with which they grow.

    benches/solve/packings.py --accuracy [--sizes 2000] ...     accuracy against tolerance, instead of the table
    benches/solve/packings.py [--sizes 500,2000,8000,32000] [--dimensions 2,3] [--seeds 1,2] [--solvers gauss-seidel,auto]
        --goals 1e-4,1e-6,velocity   residuals, and the physical accuracy
        --seconds 60     limit for each solve
        --riprap FILE    the program (default: target/release/riprap, which must be built)
        --packing FILE   the generator (default: target/release/examples/packing, which must be built)
        --folder FOLDER  where packings are kept for later runs (default: a temporary folder)

For every packing: cold start, one thread, to a scaled residual of 1e-4 and 1e-6; and to a physical accuracy: the loosest
tolerance at which the velocities of all grains are, in the root mean square, within 1 % of the speed `g δt` of free fall of
those of the solution at 1e-9. Means over the seeds (geometric); CPU seconds are `cpu_s`, all set-up included.
`--accuracy`: for tolerances from 1e-2 to 1e-6 the error of the velocities, in the same units, and that of the force on the
floor and the walls, over the weight and the load, found from the momentum of all grains. Both are relative to a
solution at 1e-10.
Needs numpy and h5py.
"""
import argparse, json, math, os, subprocess, tempfile
import h5py
import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LADDER = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


class Program:
    def __init__(self, riprap, seconds, scratch):
        self.riprap, self.seconds, self.out = riprap, seconds, os.path.join(scratch, "solution.hdf5")

    def solve(self, path, solver, tolerance, keep=False):
        """(passes, CPU seconds), with the velocities if they are to be kept; None if it did not get there."""
        out = ["--out", self.out] if keep else []
        run = subprocess.run([self.riprap, "solve", path, "--json", "--solver", solver, "--tolerance", str(tolerance),
                              "--max-seconds", str(self.seconds), *out], capture_output=True, text=True)
        found = json.loads(run.stdout.splitlines()[0])
        if not found["converged"]:
            return None
        if keep:
            with h5py.File(self.out) as file:
                velocity = file["solution/v"][()]
            return found["passes"], found["cpu_s"], velocity
        return found["passes"], found["cpu_s"]

    def accurate(self, path, solver, sharp, dimension):
        """The same to the physical accuracy."""
        freedoms = 3 * (dimension - 1)
        for tolerance in LADDER:
            found = self.solve(path, solver, tolerance, keep=True)
            if found is None:
                return None
            error = (found[2] - sharp).reshape(-1, freedoms)[:, :dimension]
            if math.sqrt((error**2).sum() / len(error)) <= 0.01:
                return found[:2]
        return None


def packing(arguments, folder, dimension, size, seed):
    """The file of a packing, which is made if it is not there."""
    path = os.path.join(folder, f"packing{dimension}d-{size}-{seed}.hdf5")
    if not os.path.exists(path):
        subprocess.run([arguments.packing, str(dimension), str(size), str(seed), path], check=True,
                       stdout=subprocess.DEVNULL)
    return path


def accuracy(program, path, dimension, name):
    """What tolerances buy on one packing."""
    sharp = program.solve(path, "auto", 1e-10, keep=True)
    if sharp is None:
        print(f"| {name} | no solution at 1e-10 within the limit | | | |")
        return
    freedoms = 3 * (dimension - 1)
    with h5py.File(path) as file:
        mass = file["fclib_global/M/x"][()].reshape(-1, freedoms)[:, 0]
        load = file["fclib_global/vectors/f"][()].reshape(-1, freedoms)[:, dimension - 1]
    for solver in ("gauss-seidel", "auto"):
        for tolerance in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
            found = program.solve(path, solver, tolerance, keep=True)
            if found is None:
                continue
            error = (found[2] - sharp[2]).reshape(-1, freedoms)[:, :dimension]
            velocity = math.sqrt((error**2).sum() / len(error))
            force = abs((mass * error[:, dimension - 1]).sum() / load.sum())
            print(f"| {name} | {solver} | {tolerance:.0e} | {found[0]} | {velocity:.1e} | {force:.1e} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="500,2000,8000,32000")
    parser.add_argument("--dimensions", default="2,3")
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--solvers", default="gauss-seidel,auto")
    parser.add_argument("--goals", default="1e-4,1e-6,velocity")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--riprap", default=os.path.join(ROOT, "target/release/riprap"))
    parser.add_argument("--packing", default=os.path.join(ROOT, "target/release/examples/packing"))
    parser.add_argument("--folder")
    parser.add_argument("--accuracy", action="store_true")
    arguments = parser.parse_args()
    numbers = lambda text: [int(word) for word in text.split(",")]
    sizes, goals = numbers(arguments.sizes), arguments.goals.split(",")
    with tempfile.TemporaryDirectory(prefix="riprap-packings-") as scratch:
        folder = arguments.folder or scratch
        os.makedirs(folder, exist_ok=True)
        program = Program(arguments.riprap, arguments.seconds, scratch)
        if arguments.accuracy:
            print("| packing | solver | residual | passes | velocity error over g δt | force error over load |")
            print("|---" * 6 + "|")
            for dimension in numbers(arguments.dimensions):
                for size in sizes:
                    for seed in numbers(arguments.seeds):
                        path = packing(arguments, folder, dimension, size, seed)
                        accuracy(program, path, dimension, f"{dimension}D, N = {size}")
            return
        print("| | solver | to | " + " | ".join(f"N = {size}" for size in sizes) + " | passes grow as | CPU as |")
        print("|---" * (len(sizes) + 5) + "|")
        for dimension in numbers(arguments.dimensions):
            table = {}
            for size in sizes:
                for seed in numbers(arguments.seeds):
                    path = packing(arguments, folder, dimension, size, seed)
                    sharp = program.solve(path, "auto", 1e-9, keep=True) if "velocity" in goals else None
                    for solver in arguments.solvers.split(","):
                        for goal in goals:
                            if any(found is None for found in table.get((solver, goal, size), [])):
                                continue
                            if goal != "velocity":
                                found = program.solve(path, solver, float(goal))
                            else:
                                found = sharp and program.accurate(path, solver, sharp[2], dimension)
                            table.setdefault((solver, goal, size), []).append(found)
            for solver in arguments.solvers.split(","):
                for goal in goals:
                    cells, known = [], []
                    for size in sizes:
                        of = table[solver, goal, size]
                        if None in of:
                            cells.append("–")
                            continue
                        passes, cpu = mean([max(found[0], 1) for found in of]), mean([found[1] for found in of])
                        known.append((math.log(size), math.log(passes), math.log(cpu)))
                        cells.append(f"{passes:.0f} ({cpu:.2g} s)")
                    grow = [f"N^{np.polyfit([k[0] for k in known], [k[i] for k in known], 1)[0]:.2f}"
                            if len(known) > 1 else "" for i in (1, 2)]
                    name = "1 % of g δt" if goal == "velocity" else goal
                    print(f"| {dimension}D | {solver} | {name} | " + " | ".join(cells) + f" | {grow[0]} | {grow[1]} |",
                          flush=True)


if __name__ == "__main__":
    main()
