module.exports = async () => ({ output: 'inner {{w}}' });
