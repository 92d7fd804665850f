"""Validates JSON by the part of JSON Schema that docs/*.schema.json and the suites use."""
import json
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$id", "title", "description", "$defs", "$ref", "type", "enum", "const", "anyOf", "properties", "required", "additionalProperties",
         "propertyNames", "items", "minItems", "maxItems", "uniqueItems", "minimum", "maximum", "minLength", "maxLength", "pattern"}


def is_type(value, name):
    if name in ("number", "integer"):
        return isinstance(value, (int, float) if name == "number" else int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def problems(value, schema, root=None, where="$"):
    """Return a sentence for each violation of the schema."""
    root = root or schema
    assert set(schema) <= KNOWN, f"{where}: {set(schema) - KNOWN} is not supported by this validator"
    if "$ref" in schema:
        return problems(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, where)
    found = []
    types = schema.get("type")
    if types and not any(is_type(value, t) for t in ([types] if isinstance(types, str) else types)):
        return [f"{where} is {value!r:.60}, not {types}"]
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where} is {value!r:.60}, not of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        found.append(f"{where} is {value!r:.60}, not {schema['const']!r}")
    if "anyOf" in schema and all(problems(value, each, root, where) for each in schema["anyOf"]):
        found.append(f"{where} fits none: {problems(value, schema['anyOf'][0], root, where)}")
    if "minimum" in schema and is_type(value, "number") and value < schema["minimum"]:
        found.append(f"{where} is {value} < {schema['minimum']}")
    if "maximum" in schema and is_type(value, "number") and value > schema["maximum"]:
        found.append(f"{where} is {value} > {schema['maximum']}")
    if isinstance(value, str):
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            found.append(f"{where} has {len(value)} characters")
        if not re.search(schema.get("pattern", ""), value):
            found.append(f"{where} is {value!r:.60}, not of {schema['pattern']}")
    if isinstance(value, dict):
        found += of_object(value, schema, root, where)
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{where} has {len(value)} items")
        if schema.get("uniqueItems") and len({json.dumps(item, sort_keys=True) for item in value}) < len(value):
            found.append(f"{where} has an item twice")
        for i, item in enumerate(value):
            found += problems(item, schema.get("items", {}), root, f"{where}[{i}]")
    return found


def of_object(value, schema, root, where):
    properties, more = schema.get("properties", {}), schema.get("additionalProperties", {})
    found = [f"{where} lacks {name}" for name in schema.get("required", []) if name not in value]
    for name, item in value.items():
        if "propertyNames" in schema:
            found += problems(name, schema["propertyNames"], root, f"{where} name")
        if name in properties:
            found += problems(item, properties[name], root, f"{where}.{name}")
        elif more is False:
            found.append(f"{where} has {name}, which is not known")
        else:
            found += problems(item, more, root, f"{where}.{name}")
    return found
