"""The LETOR format, line by line in plain Python."""

import math
import re

NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
FEATURE = re.compile(rb"([0-9]+):(.*)", re.DOTALL)
DOCUMENT_ID = re.compile(rb"\s*docid\s*=\s*(\S*)")


def number(token):
    if not NUMBER.fullmatch(token) or not math.isfinite(float(token)):
        raise ValueError(f"not a finite number: {token!r}")
    return float(token)


def parse_letor(content, max_feature=2**31 - 1):
    """Return lists of grades, query ids, document ids and {feature: value}; ValueError with the line if malformed."""
    grades, queries, documents, features = [], [], [], []
    for line_number, line in enumerate(content.split(b"\n"), 1):
        try:
            body, _, comment = line.partition(b"#")
            if not body.strip():
                continue
            grade, query, *pairs = *body.split(), b""
            by_id = {}
            for pair in pairs[:-1] if pairs else []:
                feature, value = FEATURE.fullmatch(pair).groups()
                if not 1 <= int(feature) <= max_feature or int(feature) in by_id:
                    raise ValueError("id out of range or repeated")
                by_id[int(feature)] = number(value)
            if number(grade) < 0 or not re.fullmatch(rb"qid:.+", query, re.DOTALL):
                raise ValueError("negative grade or no query")
            name = query[4:].decode()
            if name in queries and name != queries[-1]:
                raise ValueError("split query")
            document = DOCUMENT_ID.match(comment)
            grades.append(number(grade))
            queries.append(name)
            documents.append(document[1] if document else b"")
            features.append(by_id)
        except (ValueError, AttributeError) as error:
            raise ValueError(line_number) from error
    return grades, queries, documents, features
