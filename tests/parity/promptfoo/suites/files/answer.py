import json
import sys

*words, prompt, options, context = sys.argv[1:]
print(f"{'|'.join(words)} {prompt} {json.loads(context)['vars']['name']} {type(json.loads(options)).__name__}  ")
