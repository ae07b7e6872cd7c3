def get_score(named, context):
    return {"pass": sum(each["score"] for each in context["componentResults"]) > 0, "score": 0.25, "reason": "r"}


def broken(named, context):
    raise ValueError("as asked")


def nothing(named, context):
    return 5
