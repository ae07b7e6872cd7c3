module.exports = (output: string): string => output + '!';
