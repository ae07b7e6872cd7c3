module.exports = (output, context) => output.length === 5;
module.exports.short = (output) => ({pass: output.length < 3, score: 0.2, reason: 'too long'});
module.exports.word = () => 'hell';
module.exports.words = () => ['he', 'lo'];
module.exports.truth = () => true;
