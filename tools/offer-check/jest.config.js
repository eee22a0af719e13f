module.exports = { preset: '../../jest.preset.js', displayName: 'offer-check' };
