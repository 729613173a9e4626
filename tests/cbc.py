"""The paper's linear programme solved by CBC, a solver that shares nothing with HiGHS: what both say is believed."""

from __future__ import annotations

import numpy as np
import pulp

from dnncov_core.generators.papers_programme import PapersProgramme
from dnncov_core.generators.programme import LinearCondition, Solution


class PapersProgrammeByCbc(PapersProgramme):
    """CBC is a program of its own, which does not tell its iterations: they count as 0."""

    def solve(self, condition: LinearCondition) -> Solution:
        problem = self.build(condition)
        status = pulp.LpStatus[problem.solve(pulp.PULP_CBC_CMD(msg=False, threads=1))]
        size = len(problem.variables()), len(problem.constraints)
        if status != "Optimal":
            return Solution(status, None, None, *size, iterations=0)
        values = {variable.name: float(variable.varValue or 0.0) for variable in problem.variables()}
        x2 = np.array([values[f"x_{i}"] for i in range(condition.x1.size)])
        return Solution(status, x2, values["t"], *size, iterations=0)
