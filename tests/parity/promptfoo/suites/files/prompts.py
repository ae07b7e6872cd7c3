"""Prompts by functions, and printed by the file."""

import json
import sys


def chat(context):
    return [
        {"role": "user", "content": "Hi {{who}}, " + str(context["vars"]["who"]) + " of " + context["provider"]["id"]}
    ]


def text(context):
    return f"tone {context['config']['tone']} {context['provider'].get('label')} {{{{who}}}} {sorted(name for name in context['vars'] if name[:2] != '__')}"


def mapping(context):
    return {"who": context["vars"]["who"], "tone": "{{who}}"}


def wrapped(context):
    return {"prompt": ["{{who}}", {"tone": 1}]}


def nothing(context):
    return None


def number(context):
    return 7


def settings(context):
    return {"prompt": "report-settings {{who}}", "config": {"temperature": 0.9}}


def limited(context):
    return {"prompt": [{"role": "user", "content": "report-settings {{who}}"}], "config": {"max_tokens": 7}}


def fails(context):
    raise ValueError("no prompt")


if __name__ == "__main__":
    told = json.loads(sys.argv[1])
    print("tone", json.dumps(told["vars"]["who"]), sorted(told))
    print()
    print("  {{who}}")
    print()
