export default (output: string): string => 'Hi Ann a!';
