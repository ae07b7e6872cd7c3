"""Takes its time."""

import time


def call_api(prompt, options, context):
    time.sleep(5)
    return {"output": prompt}
