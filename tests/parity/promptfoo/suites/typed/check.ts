import { limit } from './shared';

export default (output: string): boolean => output.length < limit;
