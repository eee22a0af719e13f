module.exports = { preset: '../../jest.preset.js', displayName: 'agent-gateway' };
