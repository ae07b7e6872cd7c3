import json

MEMBERS = ("id", "label", "config", "delay", "transform", "url", "webhookUrl", "modelName")


def ordered(value):
    if isinstance(value, list):
        return [ordered(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: ordered(each) for name, each in sorted(value.items()) if name not in ("latencyMs", "http", "assert")}


def get_assert(output, context):
    provider = {name: context["provider"][name] for name in MEMBERS if name in context["provider"]}
    text = json.dumps(ordered({"output": output, **context, "provider": provider}))
    total = 0
    for each in text:
        total = (total * 31 + ord(each)) % 1000003
    return {"pass": True, "score": total / 1000003, "reason": text}
