def whole(output, context):
    return 6 / 2


def data(output, context):
    return {"a": 3.0, "b": [1e21, 1e-7, 2.5]}
