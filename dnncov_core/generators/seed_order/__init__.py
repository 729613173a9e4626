"""In which order seeds are tried for a target.

orders has the choices, ranking what an order takes and gives. Nearest seeds come first by two rankings:
programme_ranking by a lower bound for linear programming, gradient_ranking by the distance of the decision's hyperplane
for gradient search.
"""
