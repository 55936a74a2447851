"""The entities that a hierarchy can cluster, and those of them that are in no cluster."""

from polyadic.model.hierarchy import Hierarchy
from polyadic.model.value_entities import is_value
from polyadic.storage.protocol import Reader


def entities_to_cluster(reader: Reader) -> set[str]:
    """Return the identifiers of all entities other than values (dates, amounts, numbers), which are never clustered."""
    entities = reader.entities(reader.rows("entity"))
    return {entity.id for entity in entities if not is_value(entity.name, entity.type)}


def unplaced(entities: set[str], hierarchy: Hierarchy) -> set[str]:
    """Return those of the entities that no cluster of the first layer has as an own member."""
    return entities.difference(*(cluster.own for cluster in hierarchy.clusters if cluster.layer == 0))
