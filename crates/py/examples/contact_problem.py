"""The solver alone: a contact problem from matrices, written to an FCLib file, read back and solved by every solver."""

import numpy as np

import riprap

# Two contacts of a block with a floor, in the plane: W, q and friction.
W = np.array([[2.0, 0.3, 1.0, 0.2], [0.3, 1.5, 0.1, 1.0], [1.0, 0.1, 2.0, -0.3], [0.2, 1.0, -0.3, 1.5]])
q = np.array([-1.0, 0.4, -0.8, 0.5])
solution = riprap.solve(W, q, mu=[0.3, 0.3])
print(f"impulses {solution.impulse.round(4).tolist()}, residual {solution.residual:.1e}")

problem = riprap.Problem.local(W, q, mu=[0.3, 0.3])
problem.write("block.hdf5", title="two contacts", solution=solution)
again = riprap.read_problem("block.hdf5")
for name in riprap.SOLVERS:
    found = again.solve(solver=name)
    print(f"{name:14} {found.iterations:6} iterations, residual {found.residual:.1e}")
