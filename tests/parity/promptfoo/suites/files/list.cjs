module.exports = [{ description: 'listed', vars: { q: 'list' }, assert: [{ type: 'starts-with', value: 'list' }] }];
