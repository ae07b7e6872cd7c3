module.exports = { default: (output) => output.length === 5, other: () => 0.5 };
