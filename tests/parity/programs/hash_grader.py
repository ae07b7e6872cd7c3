"""A grader that scores by a hash of the answer: what programs of suites are replaced by where only their names are known."""

import hashlib
import json
import sys

payload = json.load(sys.stdin)
number = int(hashlib.sha256(str(payload.get("output")).encode()).hexdigest()[:8], 16)
print(json.dumps({"score": number % 21 / 20, "assertions": []}))
