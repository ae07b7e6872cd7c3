"""Why a program or a request is not in a plan."""

from collections.abc import Iterable, Sequence

from rubric_core.evaluation.model.holes import fits, has_hole
from rubric_core.evaluation.model.plan_entries import ANY_HOST, Send, Start

__all__ = ["send_refusal", "start_refusal"]


def start_refusal(planned: Sequence[Start], wanted: Start) -> str:
    """Why a program is not planned, in the order in which people find it: program, code, arguments, directory, variables."""
    name = wanted.argv[0] if wanted.argv else ""
    left: Sequence[Start] = [each for each in planned if fits([each.says], [wanted.says])]
    if not left:
        return "this code was not in the question" if wanted.says else f"{name} was not in the question"
    left = [each for each in left if fits(each.argv, wanted.argv, in_shell=each.in_shell)]
    if not left:
        is_known = any(each.argv and each.argv[0] == name for each in planned)
        return f"the arguments of {name} were not in the question" if is_known else f"{name} was not in the question"
    left = [each for each in left if fits([each.program], [wanted.program])]
    if not left:
        if not wanted.program:
            return f"{name} does not exist"
        if not any(each.program for each in planned if each.argv and each.argv[0] == name):
            return f"{name} did not exist when the question was asked"
        return f"{name} is another file than in the question ({wanted.program})"
    left = [each for each in left if has_hole(each.program) or each.real == wanted.real]
    if not left:
        return f"{name} leads to another file than in the question ({wanted.real})"
    left = [each for each in left if fits([each.cwd], [wanted.cwd])]
    if not left:
        return f"its directory {wanted.cwd} was not in the question"
    return "" if any(_same_variables(each, wanted) for each in left) else _variable_refusal(left[0], wanted)


def _same_variables(planned: Start, wanted: Start) -> bool:
    names = [[name for name, _ in each.environment] for each in (planned, wanted)]
    values = [[value for _, value in each.environment] for each in (planned, wanted)]
    # A value of several lines is still one word here.
    return names[0] == names[1] and all(fits([p], [w]) for p, w in zip(*values, strict=True))


def _variable_refusal(planned: Start, wanted: Start) -> str:
    known, given = dict(planned.environment), dict(wanted.environment)
    for name, value in given.items():
        if name not in known:
            return f"its variable {name} was not in the question"
        if not fits([known[name]], [value]):
            return f"its variable {name} has another value than in the question"
    missing = next(name for name in known if name not in given)
    return f"its variable {missing} is missing, unlike in the question"


def send_refusal(planned: Iterable[Send], wanted: Send) -> str:
    left = [each for each in planned if each.origin in (wanted.origin, ANY_HOST)]
    if not left:
        return f"{wanted.origin} was not in the question"
    path = wanted.path.partition("?")[0]
    near = [each for each in left if each.origin == ANY_HOST or fits([each.path.partition("?")[0]], [path])]
    if not near:
        return f"{wanted.origin}{path} was not in the question"
    left = [each for each in left if each.origin == ANY_HOST or fits([each.path], [wanted.path])]
    if not left:  # its query may hold anything
        return f"the query of {wanted.origin}{path} was not in the question"
    left = [each for each in left if fits([each.method], [wanted.method])]
    if not left:
        return f"{wanted.method} {wanted.origin}{path} was not in the question"
    known = {name for each in left for name in each.variables}
    new = next((name for name in wanted.variables if name not in known), "")
    return f"{new} for {wanted.origin} was not in the question" if new else ""
