const { sep } = require('node:path');
const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const PACKAGES = `${sep}node_modules${sep}`;

/**
 * Loads packages with the `require` of Node: once a worker, where Jest loads all two thousand files of Nest, TypeORM and the
 * others again for every suite (2 to 3 s of a processor each); on Node 20 Jest alone cannot load NestJS 12 at all, which is
 * published as ES modules. Our own modules are loaded again for each suite.
 */
class SuiteRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    // In the realm of the worker, where SuiteEnvironment is. Of a script that it knows, the engine keeps what it has compiled.
    const head = `(function (${executor.injectedModuleParameters.join(', ')}) {`;
    executor.compile = (source, filename) =>
      new Script(`${head}${source}\n})`, { filename, columnOffset: -head.length }).runInThisContext();
  }

  requireModule(from, moduleName, options, isRequireActual) {
    const path = this.pathInPackage(from, moduleName, options);
    if (path === undefined) return super.requireModule(from, moduleName, options, isRequireActual);
    return path in require.cache ? require(path) : this._environment.keepGlobalsOf(() => require(path));
  }

  requireInternalModule(from, to) {
    const module = super.requireInternalModule(from, to);
    return to === 'node:async_hooks' ? { ...module, AsyncLocalStorage: RunningTest } : module;
  }

  pathInPackage(from, moduleName, options) {
    if (moduleName === undefined || options?.isInternalModule || this._resolution.isCoreModule(moduleName)) return;
    const path = this._resolution.resolveCjs(from, moduleName);
    return path.includes(PACKAGES) ? path : undefined;
  }
}

/**
 * Which test or hook runs, for Jest, in place of an `AsyncLocalStorage`: those of a suite run one after the other. While a
 * storage is in use, Node tells it of every promise, and a timer that a package starts again and again keeps what each suite had in it.
 */
class RunningTest {
  getStore() {
    return this.running;
  }

  async run(context, work) {
    const before = this.running;
    this.running = context;
    try {
      return await work();
    } finally {
      this.running = before;
    }
  }
}

module.exports = { __esModule: true, default: SuiteRuntime };
