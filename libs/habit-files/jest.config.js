module.exports = { preset: '../../jest.preset.js', displayName: 'habit-files' };
