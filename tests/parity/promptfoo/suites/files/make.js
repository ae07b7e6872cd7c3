module.exports = async (config) => [
  { description: `default ${config && config.word}`, vars: { q: `default ${config && config.word}` }, assert: [{ type: 'contains', value: 'told' }] },
];
module.exports.named = (config = { word: 'none' }) => [{ vars: { q: config.word }, assert: [{ type: 'equals', value: 'none' }] }];
