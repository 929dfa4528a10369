"""Search by relation: query understanding, embedding, index, ranking, grouping."""
