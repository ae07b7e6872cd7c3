module.exports = (name, prompt, vars) => ({ output: `value of ${name} with ${vars.w}` });
