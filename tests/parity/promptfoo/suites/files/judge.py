"""A judge that says what the key in its prompt asks for: `key-good`, `key-low` and so on. The last key counts: steps come first."""

import re
import sys

REPLIES = {
    "good": '{"reason": "fine", "pass": true, "score": 0.9}',
    "bad": '{"reason": "poor", "pass": false, "score": 0.2}',
    "low": 'Well: {"reason": "so so", "pass": true, "score": 0.4} That is it.',
    "words": '{"reason": "fine", "pass": "Yes", "score": "0.75"}',
    "no": '{"reason": "poor", "pass": "no"}',
    "bare": '{"reason": "no verdict", "score": 0.3}',
    "empty": "{}",
    "null": '{"pass": null, "score": null, "reason": "none"}',
    "blank": '{"pass": true, "score": "", "reason": "r"}',
    "high": '{"reason": "much", "pass": true, "score": 3}',
    "nothing": '{"reason": "", "pass": true, "score": 0}',
    "A": '{"category": "A", "reason": "subset"}', "B": '{"category": "b", "reason": "superset"}', "C": "(C) the same",
    "D": '{"category": "D", "reason": "they disagree"}', "E": "Thinking about it, (E) is right",
    "yes": "It does.\nY", "nay": "It does not.\nN", "maybe": "MAYBEY", "late": "Y because it does",
    "eight": '{"score": 8, "reason": "good"}', "three": '{"score": "3", "reason": "weak"}', "seven": 'So: {"score": 7, "reason": "enough"}',
    "relevant": '{"verdict": "yes"}', "irrelevant": 'So: {"verdict": "no", "reason": "off the point"}', "question": "aaaa bb",
    "summary": '{"reason": "what promptfoo asks for where turns are not relevant"}', "first": "0", "second": "The best is 1 (not 0)", "third": "2.",
}  # fmt: skip

prompt = sys.argv[-3]
key = (re.findall(r"key-(\w+)", prompt) or ["summary"])[0]
if "steps" in prompt and "maxScore" not in prompt and "score" not in prompt.replace("maxScore", ""):
    print('{"steps": ["Look", "Decide"]}')
else:
    print(REPLIES[key])
