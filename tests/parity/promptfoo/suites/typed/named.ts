interface Result { pass: boolean; score: number; reason: string }

export const graded = (output: string): Result => ({ pass: true, score: 0.5 as number, reason: output satisfies string });
export function word(): string { return 'Hi Ann a!'; }
export const fails = (): never => { throw new Error('as asked'); };
