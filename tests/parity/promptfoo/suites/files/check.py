def get_assert(output, context):
    return output == "hello" and context["vars"] is not None


def fails(output, context):
    raise ValueError("no")


def half(output, context):
    return 0.5


def word(output, context):
    return "hello"
