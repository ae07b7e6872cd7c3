import json


def known(prompt):
    """The prompt as it is written; only the settings of one that a function makes."""
    return prompt["config"] if "=>" in prompt["raw"] else prompt


def call_api(prompt, options, context):
    variables = {name: value for name, value in context["vars"].items() if name != "__evalId"}
    test = context["test"]
    told = [variables, list(context["vars"]), known(context["prompt"]), test["metadata"], test.get("threshold")]
    return {"output": json.dumps([prompt, told, context["repeatIndex"], "evaluationId" in context, options["config"]])}
