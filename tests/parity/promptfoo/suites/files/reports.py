import json


def call_api(prompt, options, context):
    return {"output": "reported", **json.loads(prompt.removeprefix("tell "))}


def prompt_config(prompt, options, context):
    return {"output": json.dumps([prompt, context["prompt"].get("config") or {}])}
