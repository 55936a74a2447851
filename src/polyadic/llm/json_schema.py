"""JSON schemas in the strict form that endpoints require: no optional and no additional properties."""

TEXT: dict[str, object] = {"type": "string"}
NUMBER: dict[str, object] = {"type": "number"}
INTEGER: dict[str, object] = {"type": "integer"}


def record(**properties: dict[str, object]) -> dict[str, object]:
    """Return the schema of an object with exactly these properties.

    >>> record(name=TEXT)["required"]
    ['name']
    """
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(items: dict[str, object]) -> dict[str, object]:
    return {"type": "array", "items": items}
