module.exports = (output) => output.toUpperCase();
module.exports.first = (output, context) => `${output.split(' ')[0]} ${context.vars.q.length}`;
