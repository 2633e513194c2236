#!/usr/bin/env python3
"""Solves contact problems with riprap and with Siconos in one session, and prints a table.

    benches/solve/compare.py [PROBLEM | FOLDER]...        default: the folder problems/ of the repository
        --tolerances 1e-4,1e-6,1e-8   residuals to compare at
        --seconds 10                  limit for each solve
        --repeat 3                    processes for each, of which the fastest counts; short solves are repeated in each
        --solvers NSGS,ADMM,...       solvers of Siconos to try (default: all)
        --packings 2:500,3:2000       packings to add: DIMENSION:GRAINS
        --riprap FILE                 the program (default: target/release/riprap, built if missing)
        --out FILE                    where to write the table (Markdown) as well

Siconos is Debian's python3-siconos, which the script installs if it is missing (apt-get, as root or with sudo).

Both solve the same problem on one thread from zero, and both are judged by the scaled residual, by the same formula:
W is divided by the mean w of its diagonal and impulses are multiplied by it, so that the residual by which
Siconos stops is the scaled one. Its result is verified here; a solve that claims to have converged but has not does not count.
Rolling rows of W are also divided by a length, the one that riprap uses, so that spins are velocities and torques are forces.
Global problems are condensed to W in blocks, with which the solvers of Siconos are fastest, and both get the same file.
The time of Siconos is that of its driver, ours is `cpu_s` of `riprap solve`: all set-up, but not the reading of the file.
The first solve of a process, if it takes only microseconds, is dominated by loading code, so short ones are
repeated in one process, by both programs, and the fastest counts.
"""
import argparse, json, math, os, pickle, resource, shutil, signal, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def with_siconos():
    """Makes sure that this interpreter has Siconos, or starts the one of Debian that has."""
    try:
        import siconos.numerics  # noqa: F401
        return
    except ImportError:
        pass
    if os.environ.get("RIPRAP_COMPARE_RESTARTED"):
        sys.exit("python3-siconos is installed, but cannot be imported")
    if subprocess.run(["dpkg", "-s", "python3-siconos"], capture_output=True).returncode != 0:
        sudo = [] if os.geteuid() == 0 else ["sudo"]
        print("installing python3-siconos", file=sys.stderr)
        subprocess.run(sudo + ["apt-get", "update", "-qq"], check=True)
        subprocess.run(sudo + ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "python3-siconos",
                               "python3-scipy"], check=True, stdout=sys.stderr)
    os.environ["RIPRAP_COMPARE_RESTARTED"] = "1"
    os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)


# One thread for every library that Siconos may call.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
with_siconos()
import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
import siconos.numerics as sn  # noqa: E402


class Local:
    """u = W r + q, read from the text in blocks that `riprap solve --local --out` writes."""

    def __init__(self, path):
        words = iter(open(path).read().split())
        take = lambda count, kind=int: [kind(next(words)) for _ in range(count)]
        d, self.contacts = self.size, _ = take(2)
        storage, rows, _ = take(3)
        assert storage == 1, "blocks are expected"
        blocks, block_rows, block_columns = take(3)
        ends = take(block_rows + block_columns)
        starts, columns = take(2)
        starts, columns = take(starts), take(columns)
        data = np.empty((blocks, d, d))
        for k in range(blocks):
            assert int(next(words)) == k
            data[k] = np.array(take(d * d, float)).reshape(d, d).T
        self.q = np.array(take(rows, float))
        self.mu = np.array(take(self.contacts, float))
        self.mu_r = np.array(take(self.contacts, float)) if d == 5 else None

        # In units of the problem: those of riprap's `residual_scaled`.
        diagonal = sp.bsr_matrix((data, columns, starts), shape=(rows, rows)).diagonal().reshape(-1, d)
        scale, length = diagonal[:, :3].mean(), np.ones(d)
        if d == 5 and diagonal[:, 3:].mean() > 0:
            length[3:] = math.sqrt(scale / diagonal[:, 3:].mean())
        data *= np.outer(length, length) / scale
        self.q *= np.tile(length, self.contacts)
        if d == 5:
            self.mu_r /= length[3]
        self.w = sp.bsr_matrix((data, columns, starts), shape=(rows, rows)).tocsr()

        # The same text again, for Siconos.
        self.path = path + ".scaled.dat"
        with open(self.path, "w") as out:
            line = lambda numbers: out.write(" ".join(repr(number) for number in numbers) + "\n")
            for numbers in ([d, self.contacts], [1, rows, rows], [blocks, block_rows, block_columns], ends[:block_rows],
                            ends[block_rows:], [len(starts), len(columns)], starts, columns):
                line(numbers)
            for k in range(blocks):
                line([k])
                line(data[k].T.ravel().tolist())
            line(self.q.tolist())
            line(self.mu.tolist())
            if d == 5:
                line(self.mu_r.tolist())

    def residual(self, scaled_r):
        """The scaled residual of impulses in units of the problem."""
        d = self.size
        u = (self.w @ scaled_r + self.q).reshape(-1, d)
        r = scaled_r.reshape(-1, d)
        slide = np.linalg.norm(u[:, 1:3], axis=1)
        y = r - u
        y[:, 0] -= self.mu * slide
        if d == 5:
            y[:, 0] -= self.mu_r * np.linalg.norm(u[:, 3:], axis=1)
        e = np.linalg.norm(r - self.project(y))
        size = max(np.linalg.norm(self.q), np.linalg.norm(r), np.linalg.norm(u))
        return e / size if size > 2.2e-16 else e

    def project(self, y):
        """The nearest point of the cone: of four candidates for the normal part, the best."""
        d = self.size
        parts = [(slice(1, 3 if d > 2 else 2), self.mu)] + ([(slice(3, 5), self.mu_r)] if d == 5 else [])
        norms = [np.linalg.norm(y[:, where], axis=1) for where, _ in parts]
        best, best_cost = None, None
        for choice in range(2 ** len(parts)):
            above, below = y[:, 0].copy(), np.ones(len(y))
            for k, (_, limit) in enumerate(parts):
                if choice >> k & 1:
                    above += limit * norms[k]
                    below += limit**2
            s = np.maximum(0, above / below)
            cost = (s - y[:, 0]) ** 2 + sum(np.maximum(0, norms[k] - parts[k][1] * s) ** 2 for k in range(len(parts)))
            if best is None:
                best, best_cost = s, cost
            else:
                better = cost < best_cost
                best, best_cost = np.where(better, s, best), np.where(better, cost, best_cost)
        nearest = np.zeros_like(y)
        nearest[:, 0] = best
        for (where, limit), norm in zip(parts, norms):
            factor = np.minimum(1, limit * best / np.maximum(norm, 1e-300))
            nearest[:, where] = y[:, where] * factor[:, None]
        return nearest


# Solves that take less than SHORT seconds are done so many times in one process.
REPEATED, SHORT = 10, 2e-3


def known_solvers(size):
    """Name → what makes the options of a solver of Siconos for contacts with so many rows."""
    def plain(identity):
        return lambda: sn.SolverOptions(identity)

    def sweeps(identity, local=None):
        # The full residual after every sweep instead of the change of impulses, and perhaps another one-contact solver.
        def make():
            options = sn.SolverOptions(identity)
            options.iparam[sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL
            if local is not None:
                sn.solver_options_update_internal(options, 0, local)
            return options
        return make

    if size == 2:
        prefix, names = "SICONOS_FRICTION_2D_", ["NSGS", "CPG", "LEMKE", "ENUM"]
    elif size == 3:
        prefix = "SICONOS_FRICTION_3D_"
        names = ["NSGS", "NSGSV", "PROX", "TFP", "DSFP", "VI_EG", "VI_FPP", "EG", "FPP", "HP", "NSN_AC", "NSN_AC_TEST",
                 "NSN_FB", "NSN_NM", "ADMM", "ACLMFP", "SOCLCP"]
    else:
        prefix, names = "SICONOS_ROLLING_FRICTION_3D_", ["NSGS", "ADMM"]
    found = {name: plain(getattr(sn, prefix + name)) for name in names if hasattr(sn, prefix + name)}
    if size == 3:
        found["NSGS_FULL"] = sweeps(sn.SICONOS_FRICTION_3D_NSGS)
        if hasattr(sn, "SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration"):
            found["NSGS_PLI"] = sweeps(
                sn.SICONOS_FRICTION_3D_NSGS, sn.SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration)
    return found


def siconos_once(local, make_options, tolerance, seconds):
    """One solve in a process of its own: (CPU seconds, iterations, impulses), or None if it takes too long or dies."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        # What its solvers print is no part of the table.
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        limit = int(math.ceil(seconds)) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        try:
            sn.numerics_set_verbose(0)
            rolling = local.size == 5
            new = sn.rollingFrictionContact_new_from_filename if rolling else sn.frictionContact_new_from_filename
            driver = {2: sn.fc2d_driver, 3: sn.fc3d_driver, 5: sn.rolling_fc3d_driver}[local.size]
            problem = new(local.path)
            answer = None
            for _ in range(REPEATED):
                r, u = np.zeros(len(local.q)), np.zeros(len(local.q))
                options = make_options()
                options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
                options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 10_000_000
                # The time of the one thread: that of the process is coarse under a limit on CPU time.
                before = time.thread_time()
                driver(problem, r, u, options)
                spent = time.thread_time() - before
                if answer is None or spent < answer[0]:
                    answer = (spent, int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE]), r)
                if spent > SHORT:
                    break
        except BaseException:  # noqa: BLE001 (whatever happens in the child, the parent goes on)
            answer = None
        with os.fdopen(write, "wb") as out:
            pickle.dump(answer, out)
        os._exit(0)
    os.close(write)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    # The clock goes on while others use the machine; the limit on CPU time is the strict one.
    signal.setitimer(signal.ITIMER_REAL, 3 * seconds + 5)
    with os.fdopen(read, "rb") as source:
        data = source.read()
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.waitpid(child, 0)
    try:
        return pickle.loads(data)
    except (EOFError, pickle.UnpicklingError):
        return None


def siconos_best(local, wanted, tolerances, seconds, repeat):
    """For each tolerance the fastest solver: (CPU seconds, name, iterations), or None."""
    solvers = known_solvers(local.size)
    names = [name for name in solvers if not wanted or name in wanted]
    best, lost = {}, set()
    for tolerance in tolerances:
        for name in names:
            if name in lost:
                continue
            # A solver that takes many times the best so far cannot be the best; it need not run to its end.
            limit = seconds if tolerance not in best else min(seconds, max(0.5, 5 * best[tolerance][0]))
            result, asked = None, tolerance
            for _ in range(3):
                result = siconos_once(local, solvers[name], asked, limit)
                if result is None or not np.all(np.isfinite(result[2])):
                    result = None
                    break
                if local.residual(result[2]) <= tolerance:
                    break
                # Some stop by another measure: they are asked for more.
                result, asked = None, asked / 10
            if result is None:
                # What does not get there in all the time that there is does not get farther either.
                if limit == seconds:
                    lost.add(name)
                continue
            spent = result[0]
            if tolerance not in best or spent < 3 * best[tolerance][0]:
                for _ in range(repeat - 1):
                    again = siconos_once(local, solvers[name], asked, limit)
                    spent = min(spent, again[0]) if again else spent
            if tolerance not in best or spent < best[tolerance][0]:
                best[tolerance] = (spent, name, result[1])
    return best


def ours(riprap, path, tolerance, seconds, repeat):
    """The object that `riprap solve --json` prints, that of the fastest of some runs."""
    best, count = None, 1
    for _ in range(repeat):
        run = subprocess.run([riprap, "solve", *[path] * count, "--json", "--tolerance", str(tolerance), "--max-seconds",
                              str(seconds)], capture_output=True, text=True)
        if not run.stdout.strip():
            sys.exit(run.stderr)
        for found in map(json.loads, run.stdout.splitlines()):
            if best is None or (found["converged"], -found["cpu_s"]) > (best["converged"], -best["cpu_s"]):
                best = found
        count = REPEATED if best["cpu_s"] < SHORT else 1
    return best


def program(given):
    if given:
        return given
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    path = os.path.join(target, "release", "riprap")
    if not os.path.exists(path):
        subprocess.run(["cargo", "build", "--release", "-p", "riprap"], cwd=ROOT, check=True)
    return path


def problems(paths, packings, scratch):
    """The files to solve, in order."""
    found = []
    for path in paths or ([] if packings else [os.path.join(ROOT, "problems")]):
        if os.path.isdir(path):
            for folder, _, names in sorted(os.walk(path)):
                found += [os.path.join(folder, name) for name in sorted(names) if name.endswith((".dat", ".hdf5", ".h5"))]
        else:
            found.append(path)
    for packing in packings:
        dimension, grains = packing.split(":")[:2]
        seed = (packing.split(":") + ["0"])[2]
        path = os.path.join(scratch, f"packing{dimension}d-{grains}-{seed}.hdf5")
        subprocess.run(["cargo", "run", "--release", "-q", "-p", "riprap-store", "--example", "packing", "--", dimension,
                        grains, seed, path], cwd=ROOT, check=True, stdout=sys.stderr)
        found.append(path)
    return found


def milliseconds(seconds):
    return f"{1e3 * seconds:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*")
    parser.add_argument("--tolerances", default="1e-4,1e-6,1e-8")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--solvers", default="")
    parser.add_argument("--packings", default="")
    parser.add_argument("--riprap")
    parser.add_argument("--out")
    arguments = parser.parse_args()
    tolerances = [float(word) for word in arguments.tolerances.split(",")]
    wanted = {word for word in arguments.solvers.split(",") if word}
    riprap = program(arguments.riprap)
    scratch = tempfile.mkdtemp(prefix="riprap-compare-")

    lines = ["| problem | contacts | residual | Siconos, best | ms | iterations | riprap | ms | passes | ratio |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    ratios = {tolerance: [] for tolerance in tolerances}
    failed = []
    packings = [word for word in arguments.packings.split(",") if word]
    for path in problems(arguments.problems, packings, scratch):
        name = os.path.basename(path)
        text = os.path.join(scratch, "local.dat")
        made = subprocess.run([riprap, "solve", path, "--local", "--max-iterations", "0", "--out", text],
                              capture_output=True, text=True)
        if made.returncode not in (0, 1):
            sys.exit(made.stderr)
        local = Local(text)
        theirs = siconos_best(local, wanted, tolerances, arguments.seconds, arguments.repeat)
        for tolerance in tolerances:
            our = ours(riprap, text, tolerance, arguments.seconds, arguments.repeat)
            best = theirs.get(tolerance)
            cells = [name, str(local.contacts), f"{tolerance:g}"]
            cells += [best[1], milliseconds(best[0]), str(best[2])] if best else ["none", "", ""]
            if our["converged"]:
                cells += [our["solver"], milliseconds(our["cpu_s"]), str(our["passes"])]
            else:
                cells += ["none", "", f"({our['residual_scaled']:.1e})"]
                failed.append(f"{name} at {tolerance:g}")
            if best and our["converged"]:
                ratio = our["cpu_s"] / best[0]
                ratios[tolerance].append((ratio, name))
                cells.append(f"{ratio:.2f}")
            else:
                cells.append("")
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    shutil.rmtree(scratch, ignore_errors=True)

    lines += ["", "| residual | problems that both solve | geometric mean of CPU ratios | largest ratio | on |",
              "|---|---|---|---|---|"]
    print("\n".join(lines[-3:]))
    for tolerance in tolerances:
        of = ratios[tolerance]
        if of:
            mean = math.exp(sum(math.log(ratio) for ratio, _ in of) / len(of))
            worst, name = max(of)
            lines.append(f"| {tolerance:g} | {len(of)} | {mean:.3f} | {worst:.2f} | {name} |")
            print(lines[-1])
    lines += ["", "Not solved by riprap: " + ("none." if not failed else ", ".join(failed) + ".")]
    print("\n".join(lines[-2:]))
    if arguments.out:
        with open(arguments.out, "w") as out:
            out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
