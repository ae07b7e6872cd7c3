"""Says which Python runs it."""

import os


def call_api(prompt, options, context):
    return {"output": f"{os.environ.get('PARITY_PYTHON')} {prompt} {options['config'].get('greeting')}"}


def get_transform(output, context):
    return str(os.environ.get("PARITY_PYTHON"))
