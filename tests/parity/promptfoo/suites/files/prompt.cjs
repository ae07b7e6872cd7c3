module.exports.named = (context) => [{ role: 'user', content: `${context.config.tone} tone {{who}}` }];
module.exports.nested = (context) => ({ prompt: `tone ${context.vars.who}` });
module.exports.settings = () => ({ prompt: 'report-settings {{who}}', config: { temperature: 0.6 } });
