"""Makes tests."""


def generate_tests():
    print("this is no test")
    return [
        {"description": "by the usual name", "vars": {"q": "usual"}, "assert": [{"type": "contains", "value": "usual"}]}
    ]


def named(config=None):
    return [{"vars": {"q": f"named {config}"}, "assert": [{"type": "equals", "value": "named None"}]}]


def several():
    for_all = [{"type": "javascript", "value": "output.length > 3"}]
    return [
        {"vars": {"q": ["x", "long enough"]}, "assert": for_all},
        {
            "description": "templates",
            "vars": {"q": "{{a}} ü \u2028", "a": "b"},
            "assert": [{"type": "contains", "value": "{{a}}"}],
            "threshold": 0.5,
        },
        {
            "description": "options",
            "vars": {"q": "file://files/name.txt"},
            "options": {"suffix": "!"},
            "assert": for_all,
        },
    ]


def configured(config):
    words, more = config["words"], config["more"]
    return [
        {"description": word, "vars": {"q": word, "more": more}, "assert": [{"type": "contains", "value": "one"}]}
        for word in words
    ]
