"""Search by relation: query understanding, embedding, index, ranking, grouping.

Results are grouped by their relation to the query, also called dimension: `direct` (about the query
itself), `upstream` (drives it), `downstream` (follows from it) and `correlated` (moves with it). A
factor is something in the world that markets are about, such as a policy rate; `augury.relations`
knows how factors are related.
"""
