/**
 * How much input a test tries, or in how many windows it looks: what still finds what it was made for, or with TEST_SIZE=full as
 * much as the documents promise.
 */
globalThis.sized = (usual, full) => (process.env.TEST_SIZE === 'full' ? full : usual);
