export default (): object[] => [{ description: 'made', vars: { name: 'Eve' }, assert: [{ type: 'contains', value: 'Eve' }] }];
