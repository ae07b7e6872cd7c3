module.exports = (named, context) => ({pass: (named.a || 0) > 0.4 && context.componentResults.length === 2, score: named.a || 0, reason: `at ${context.threshold}`});
module.exports.high = () => ({pass: true, score: 5, reason: ''});
module.exports.named = () => ({pass: true, score: 0.42, reason: 'r', namedScores: {z: 1}});
