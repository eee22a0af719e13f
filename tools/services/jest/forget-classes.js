const { getMetadataStorage } = require('class-validator');
const { defaultMetadataStorage: transformations } = require('class-transformer/cjs/storage.js');

/** Exists before the first suite, so that no suite takes it along: class-validator-jsonschema holds on to it. */
const validations = getMetadataStorage();

/**
 * Three packages remember every class that was decorated. Those of a suite end with it, and would stay in memory with all
 * that they can reach.
 */
exports.forgetClasses = () => {
  transformations.clear();
  validations.validationMetadatas.clear();
  validations.constraintMetadatas.clear();
  // TypeORM makes itself a new one.
  delete globalThis.typeormMetadataArgsStorage;
};
