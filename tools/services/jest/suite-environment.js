const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');
const { getMetadataStorage } = require('class-validator');
const { defaultMetadataStorage: transformations } = require('class-transformer/cjs/storage.js');

/** Exists before the first suite, so that no suite takes it along: class-validator-jsonschema holds on to it. */
const validations = getMetadataStorage();

/**
 * A suite runs in the realm of its worker, not in one of its own: only so can it share packages with other suites, as
 * an `Error` or an `Array` of another realm would be none here. What a suite leaves behind goes at its end:
 * globals, the environment, listeners of the process, stores of asynchronous contexts.
 */
class SuiteEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const { projectConfig } = config;
    this.global = globalThis;
    this.moduleMocker = new this.moduleMocker.constructor(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: projectConfig, global: globalThis });
    this.globalsBefore = new Map(Reflect.ownKeys(globalThis).map((key) => [key, descriptorOf(key)]));
    this.variablesBefore = { ...process.env };
    this.exitBefore = process.exit;
    this.listenersBefore = new Map(process.eventNames().map((event) => [event, process.rawListeners(event)]));
    this.stores = new Set();
    this.runBefore = AsyncLocalStorage.prototype.run;
    AsyncLocalStorage.prototype.run = rememberingIn(this.stores, this.runBefore);
  }

  /** A package is loaded once a worker, so what it makes global stays. */
  keepGlobalsOf(load) {
    const before = new Set(Reflect.ownKeys(globalThis));
    const loaded = load();
    for (const key of Reflect.ownKeys(globalThis)) {
      if (!before.has(key)) this.globalsBefore.set(key, descriptorOf(key));
    }
    return loaded;
  }

  async teardown() {
    await super.teardown();
    this.restoreGlobals();
    this.restoreProcess();
    this.disableStores();
    forgetClasses();
  }

  restoreGlobals() {
    for (const key of Reflect.ownKeys(globalThis)) {
      if (!this.globalsBefore.has(key)) Reflect.deleteProperty(globalThis, key);
    }
    for (const [key, descriptor] of this.globalsBefore) {
      if (descriptor.configurable) Object.defineProperty(globalThis, key, descriptor);
    }
  }

  restoreProcess() {
    process.exit = this.exitBefore;
    for (const name of Object.keys(process.env)) {
      if (!(name in this.variablesBefore)) delete process.env[name];
    }
    Object.assign(process.env, this.variablesBefore);
    for (const event of process.eventNames()) {
      const before = this.listenersBefore.get(event) ?? [];
      const ofTheSuite = process.rawListeners(event).filter((listener) => !before.includes(listener));
      for (const listener of ofTheSuite) process.removeListener(event, listener);
    }
  }

  disableStores() {
    AsyncLocalStorage.prototype.run = this.runBefore;
    for (const store of this.stores) store.disable();
  }
}

/** Every enabled store gets every promise, and Jest leaves one a suite. One that is used again is enabled again. */
function rememberingIn(stores, run) {
  return function (...args) {
    stores.add(this);
    return run.apply(this, args);
  };
}

/**
 * Three packages remember every class that was decorated. Those of a suite end with it, and would stay in memory with all
 * that they can reach.
 */
function forgetClasses() {
  transformations.clear();
  validations.validationMetadatas.clear();
  validations.constraintMetadatas.clear();
  // TypeORM makes itself a new one.
  delete globalThis.typeormMetadataArgsStorage;
}

function descriptorOf(key) {
  return Object.getOwnPropertyDescriptor(globalThis, key);
}

module.exports = SuiteEnvironment;
