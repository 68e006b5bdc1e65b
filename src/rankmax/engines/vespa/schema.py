"""The schema around a Vespa rank profile: a field for every feature, and an input for every vector of the query."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rankmax.engines.query_templates import SystemTemplate

RANK_FEATURE = re.compile(r"[A-Za-z]\w*\([\w, ]*\)", re.ASCII)  # such as bm25(title) or closeness(field, embedding)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_TEXT_FIELD = ("string", "indexing: index | summary", "index: enable-bm25")
_OTHER_FIELDS = {  # by rank feature; all other rank features use text fields
    "attribute": ("double", "indexing: attribute | summary"),
    "freshness": ("long", "indexing: attribute | summary"),
    "age": ("long", "indexing: attribute | summary"),
}
_SPARSE = "tensor<float>(token{})"


@dataclass
class Schema:
    """Fields and inputs that ranking expressions need.

    Attributes
    ----------
    fields : dict of str to tuple of str
        Type and statements of each field.
    inputs : dict of str to str
        Type of each tensor that the query supplies.

    Examples
    --------
    >>> schema = Schema()
    >>> schema.expression("e5", "feature_e5", SystemTemplate(field="passage"))
    'closeness(field, passage)'
    >>> schema.inputs
    {'query(q_passage)': 'tensor<float>(x[384])'}
    """

    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)

    def expression(self, feature: str, function: str, template: SystemTemplate) -> str:
        """Return the expression of a feature: itself where it is a rank feature, else based on its template or name.

        Parameters
        ----------
        feature : str
        function : str
            Identifier made from the feature's name.
        template : SystemTemplate
        """
        if template.vespa is not None:
            return self._with_fields(" ".join(template.vespa.split()))
        if RANK_FEATURE.fullmatch(feature):
            return self._with_fields(feature)
        kind = template.kind_of(feature)
        name = template.field if template.field and _IDENTIFIER.fullmatch(template.field) else None
        if kind == "dense":
            return self._closeness(name or f"{function}_vector", template.dimension)
        if kind == "sparse":
            name = name or f"{function}_tokens"
            self.fields[name] = (_SPARSE, "indexing: attribute")
            self.inputs[f"query(q_{name})"] = _SPARSE
            return f"sum(query(q_{name}) * attribute({name}))"
        if kind == "lexical":
            return self._with_fields(f"bm25({name or 'text'})")
        return self._with_fields(f"attribute({name or (feature if _IDENTIFIER.fullmatch(feature) else function)})")

    def text(self, name: str, profile: str) -> str:
        """Return the schema, with its only rank profile.

        Parameters
        ----------
        name : str
            Name of the schema and its document type.
        profile : str
            Body of the rank profile, after its inputs.
        """
        fields = "".join(block(8, f"field {each} type {kind}", *lines) for each, (kind, *lines) in self.fields.items())
        texts = [each for each, (kind, *_) in self.fields.items() if kind == _TEXT_FIELD[0]]
        found_by_default = block(4, "fieldset default", f"fields: {', '.join(texts)}") if texts else ""
        return (
            f"schema {name.replace('-', '_')} {{\n    document {name.replace('-', '_')} {{\n{fields}    }}\n"
            f"{found_by_default}    rank-profile {name} {{\n{self._inputs()}{profile}    }}\n}}\n"
        )

    def _inputs(self) -> str:
        return block(8, "inputs", *(f"{name} {kind}" for name, kind in self.inputs.items())) if self.inputs else ""

    def _closeness(self, name: str, dimension: int) -> str:
        kind = f"tensor<float>(x[{dimension}])"
        near = "attribute {\n                distance-metric: angular\n            }"
        self.fields.setdefault(name, (kind, "indexing: attribute | index", near))
        self.inputs.setdefault(f"query(q_{name})", kind)
        return f"closeness(field, {name})"

    def _with_fields(self, expression: str) -> str:
        """Return the expression, after adding the fields that its rank features use."""
        for function, arguments in re.findall(r"([A-Za-z]\w*)\(([\w, ]*)\)", expression, re.ASCII):
            names = [each.strip() for each in arguments.split(",")]
            if function in ("closeness", "distance") and names[0] == "field":
                self._closeness(names[-1], SystemTemplate().dimension)
            elif function != "query":
                for each in filter(_IDENTIFIER.fullmatch, names):
                    self.fields.setdefault(each, _OTHER_FIELDS.get(function, _TEXT_FIELD))
        return expression


def block(indent: int, head: str, *lines: str) -> str:
    """Return lines in braces after their head.

    Parameters
    ----------
    indent : int
        Spaces before the head; the lines have four more.
    head : str
    *lines : str

    Examples
    --------
    >>> print(block(0, "first-phase", "expression: bm25(title)"), end="")
    first-phase {
        expression: bm25(title)
    }
    """
    before = " " * indent
    return f"{before}{head} {{\n" + "".join(f"{before}    {line}\n" for line in lines) + f"{before}}}\n"
