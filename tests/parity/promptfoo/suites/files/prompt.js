module.exports = async ({ vars, provider, config }) =>
  `tone ${JSON.stringify(vars.who)} ${provider.id} ${JSON.stringify(config)} {{ who }}`;
