export default (output) => output === 'hello'; export const other = () => true;
