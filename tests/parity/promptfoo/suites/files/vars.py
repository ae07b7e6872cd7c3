def get_transform(vars, context):  # noqa: A002  # promptfoo names it so
    return {"name": vars["name"][::-1]}


def twice(vars, context):  # noqa: A002  # as above
    return {**vars, "name": vars["name"] * 2}
