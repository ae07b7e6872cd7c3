import datetime as dt


class Odd:
    def __str__(self):
        return "True"


VALUES = {
    "date": dt.date(2020, 1, 1),
    "complex": 1 + 2j,
    "set": {1},
    "object": Odd(),
    "nan": float("nan"),
    "infinite": float("inf"),
    "bytes": b"a",
    "deep": {"d": dt.date(2020, 1, 1)},
    "tuple": (1, 2),
    "keys": {1: 2},
}


def call_api(prompt, options, context):
    return {"output": VALUES[prompt]}


def graded(output, context):
    return VALUES[context["vars"]["v"]]


def judged(output, context):
    return {"pass": True, "score": VALUES[context["vars"]["v"]], "reason": "as written"}


def changed(output, context):
    return VALUES[context["vars"]["v"]]
