module.exports = (hook, context) => {
  if (hook === 'beforeEach') context.test.vars.js = `${hook} ${Object.keys(context).join()}`;
  return hook === 'beforeEach' ? context : undefined;
};
module.exports.afterEach = async (context, about) => ({ result: { namedScores: { js: context.result.score, infinite: Infinity } } });
