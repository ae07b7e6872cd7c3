module.exports = (vars) => ({ name: `from a file ${vars.name}` });
module.exports.other = (vars, context) => ({ name: `other ${vars.name} ${typeof context.uuid}` });
