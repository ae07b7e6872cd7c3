export default (output: string): boolean => output.;
