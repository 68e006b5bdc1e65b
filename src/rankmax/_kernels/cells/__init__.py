"""Kernels that prove an optimum: bounds of a metric over cells of weights, by branch and bound.

A *cell* is an open simplex of weights. Scores are linear in the weights, so what holds at all vertices of a cell
holds in it: the order of most pairs of documents is *settled*. Settled pairs bound every document's rank and so the
metric (bounds.py). A cell whose *bound* is no more than the best value found is a *leaf*; any other is cut in the
middle of an edge into two halves and the open face between them (bisection.py), and its parts settle more.

    optimizers/layered.py            a metric on a data set as a LayeredMetric; a first cell from its vertices
    optimizers/best_first.py         a heap of cells, several searched at once by search_cell, their codes joined
    cell_search.py, cell_survey.py   depth first within one cell: find the maximum, or what reaches a level
    bisection.py                     which edge to cut, and the parts
    plane_sides.py                   a lower bound where at most five planes of ties pass through a cell
    plane_arrangement.py             the exact maximum in a cell where many planes meet, by cutting along them
    cell_polytopes.py                the parts that planes cut a cell into
    bounds.py                        settling a first cell; bound and floor of a query
    cell_points.py                   order and value at weights inside a cell
    cell_stack.py                    the records: Cells, OpenPairs, OpenQueries, Scratch
    layered_metric.py                the metric, and its value for given numbers of documents above
    vertex_orders.py, exact_signs.py the order of two documents at all vertices as bits, and at one without rounding

Invariants, on which a proof rests:

- Parts cover their cell, faces included, as cells are open. Ties on a face are therefore ordered as the metric does.
- floor <= value at any weights in the cell <= bound, and a part's bound is no more than its cell's.
- Comparisons are exact: vertices are multiples of a power of two, and an edge whose middle would be rounded is not
  cut. Values are whole numbers of units, so sums are exact and depend on neither order nor threads.
- What is settled in a cell is settled in its parts, so a part looks only at its cell's open pairs and queries.
- A tighter bound may give up and return the cell's own; it may never be lower than a value in the cell.
- The codes of the cuts are the certificate (cell_search.py): workflows/proofs/verification.py replays them without
  this code, so the numbering of edges and parts may not change.

Records are NamedTuples of arrays. They are passed to kernels and between them, but no kernel that Python calls may
return one: an interrupt at that moment would crash numba.
"""
