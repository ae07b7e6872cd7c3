import json
import sys

prompt, options, context = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
variables = {name: value for name, value in context["vars"].items() if name != "__evalId"}
written = context["prompt"]
if "=>" in written["raw"]:  # made by a function
    written = written["config"]
print(json.dumps([prompt, options["config"], variables, written, context["test"]["metadata"], context["repeatIndex"]]))
