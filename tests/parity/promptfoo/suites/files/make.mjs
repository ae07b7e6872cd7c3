export default () => [{ description: 'from a module', vars: { q: 'module' }, assert: [{ type: 'contains', value: 'module' }] }];
