module.exports = ({ vars }) => `made ${Object.keys(vars)} ${vars.__evalStepId} ${vars.__repeatIndex} for {{q}}`;
