"""Count the entities that a hierarchy leaves out although they can be clustered."""

import numpy as np

from polyadic.model.hierarchy import Hierarchy
from polyadic.model.value_entities import is_value
from polyadic.storage.protocol import Reader


def placed_entities(hierarchy: Hierarchy) -> set[str]:
    """Return the identifiers of the entities that are in a cluster of their own."""
    return {member for cluster in hierarchy.clusters if cluster.layer == 0 for member in cluster.own}


def count_unplaced(reader: Reader, hierarchy: Hierarchy) -> int:
    """Count the entities in no cluster; values (dates, amounts, numbers) are never clustered, so they do not count."""
    placed = reader.hierarchy_reader().entities(sorted(placed_entities(hierarchy)))
    unplaced = np.setdiff1d(reader.rows("entity"), placed)
    return sum(not is_value(entity.name, entity.type) for entity in reader.entities(unplaced))
