/**
 * How much of random input a test tries: what still finds what it was made for, or with TEST_SIZE=full
 * (`npm run test:full`) as much as the documents promise.
 */
globalThis.sized = (usual, full) => (process.env.TEST_SIZE === 'full' ? full : usual);
