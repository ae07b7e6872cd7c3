module.exports = () => ({ output: [1, 2] });
