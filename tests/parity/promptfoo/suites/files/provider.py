import json


def call_api(prompt, options, context):
    config = options.get("config", {})
    if config.get("fails"):
        return {"error": "as asked"}
    if config.get("raises"):
        raise ValueError("as asked")
    if config.get("nothing"):
        return "text"
    if config.get("data"):
        return {"output": {"said": prompt, "vars": sorted(n for n in context["vars"] if n[:2] != "__")}}
    said = f"{prompt}|{json.dumps(config, sort_keys=True)}|{context['vars'].get('name')}"
    return {
        "output": said,
        "tokenUsage": {"total": 3, "prompt": 1, "completion": 2},
        "cost": 0.25,
        "finishReason": "stop",
    }


async def other(prompt, options, context):
    print("words on standard output")
    return {"output": f"other {prompt}"}
