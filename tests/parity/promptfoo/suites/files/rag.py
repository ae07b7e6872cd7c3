"""A judge of contexts: says what stands between `say-` and `-end` in the first variable of its prompt that has both."""

import re
import sys

prompt = sys.argv[-3]
steps = "verdict" not in prompt.lower()
found = re.findall(r"say-(.*?)-end", prompt, re.DOTALL)
said = found[0] if steps or len(found) < 2 else found[-1]
print(said.replace("_", " ").replace("+", "\n"))
