module.exports = async (output) => 0.5;
