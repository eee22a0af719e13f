import { takeServer } from './test-server';

/** Also runs when suites have failed. */
export default async function globalTeardown(): Promise<void> {
  await takeServer()?.stop();
}
