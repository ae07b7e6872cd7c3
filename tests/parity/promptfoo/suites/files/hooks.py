"""Hooks around rows: they change values, and add named scores."""


def beforeAll(context, about):  # noqa: N802  # the name of the hook
    assert about == {"hookName": "beforeAll"}, about
    assert {"prompts", "providers", "tests", "defaultTest", "extensions"} <= context["suite"].keys()
    return context


def beforeEach(context, about):  # noqa: N802  # the name of the hook
    test = context["test"]
    if test["vars"].get("who"):
        test["vars"]["who"] = f"{test['vars']['who']} and {test['metadata'].get('friend', 'nobody')}"
    test["vars"]["added"] = f"{about['hookName']} {len(test['assert'])}"
    return {"test": test}


def afterEach(context, about):  # noqa: N802  # the name of the hook
    result = context["result"]
    if "fails" in result["vars"].get("who", ""):
        raise ValueError("as asked")
    scores = {
        "length": len((result.get("response") or {}).get("output") or ""),
        "passed": float(result["success"]),
        "text": "x",
        "none": None,
    }
    scores["before"] = result["namedScores"].get("greeted", -1)
    if "override" in result["vars"].get("who", ""):
        scores["greeted"] = 0.25
    return {"result": {"namedScores": scores, "score": 0.1, "success": False}}


def afterAll(context, about):  # noqa: N802  # the name of the hook
    assert {"results", "suite", "prompts"} <= context.keys()


def every(hook, context):
    assert hook in ("beforeAll", "beforeEach", "afterEach", "afterAll")
    if hook == "beforeEach":
        context["test"]["vars"]["added"] += " every"
        return context
    if hook == "afterEach":
        return {"result": {"namedScores": {"every": len(context["result"]["namedScores"])}}}
    return None
