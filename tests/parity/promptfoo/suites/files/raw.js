module.exports = ({ vars, config }) => `Code from a file for ${vars.who}: ${config && config.tone}`;
