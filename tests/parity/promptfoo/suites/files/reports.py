import json


def call_api(prompt, options, context):
    return {"output": "reported", **json.loads(prompt.removeprefix("tell "))}
