module.exports = {
  preset: '../../jest.preset.js',
  displayName: 'scoring',
  // A global costs half a microsecond in Jest's sandbox, and the properties look up millions of them.
  sandboxInjectedGlobals: [
    'Math',
    'Number',
    'Infinity',
    'JSON',
    'Object',
    'Array',
    'String',
    'Symbol',
    'Set',
    'Map',
  ].concat(['BigInt', 'Uint8Array', 'Uint32Array', 'Float64Array', 'Date', 'Error']),
};
