import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';

interface SuiteEnvironment {
  teardown(): Promise<void>;
}
type EnvironmentClass = new (config: object, context: object) => SuiteEnvironment;
const Environment = jest.requireActual<EnvironmentClass>('../../jest/suite-environment.js');

const projectConfig = { testEnvironmentOptions: { globalsCleanup: 'off' }, globals: {}, fakeTimers: {} };
const aSuite = (): SuiteEnvironment => new Environment({ projectConfig, globalConfig: {} }, {});
const globals = globalThis as { left?: string };

describe('a suite', () => {
  it('has the classes of Node, so that what packages throw is an Error', () => {
    expect.assertions(1);
    try {
      readFileSync('/nowhere');
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  });

  it('puts nothing of its tests into timers, which packages keep and start again', () => {
    const timer = setTimeout(() => undefined);
    clearTimeout(timer);
    expect(Object.getOwnPropertySymbols(timer).map(({ description }) => description)).not.toContain('kResourceStore');
  });

  it('leaves no global, no variable and no listener behind', async () => {
    process.env.KEPT = 'before';
    const kept = jest.fn();
    process.on('SIGUSR2', kept);
    const { fetch } = globalThis;
    const suite = aSuite();
    globals.left = 'something';
    globalThis.fetch = jest.fn();
    process.env.KEPT = 'after';
    process.env.LEFT = 'something';
    process.on('SIGUSR2', jest.fn());
    await suite.teardown();

    expect([globals.left, globalThis.fetch]).toEqual([undefined, fetch]);
    expect([process.env.KEPT, process.env.LEFT]).toEqual(['before', undefined]);
    expect(process.listeners('SIGUSR2')).toEqual([kept]);
  });

  it('leaves no store enabled that would get every promise of later suites; used again, it is as it was', async () => {
    const store = new AsyncLocalStorage<string>();
    const suite = aSuite();
    await store.run('of the suite', async () => {
      expect(store.getStore()).toBe('of the suite');
      await suite.teardown();
      expect(store.getStore()).toBeUndefined();
    });
    expect(store.run('of the next', () => store.getStore())).toBe('of the next');
  });
});
