def get_var(name, prompt, other_vars):
    return {"output": f" python {name}\n"}
