import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import type { StripeApi } from './stripe-api';

/** A call within a transaction makes everybody wait who needs one of its locks: in tests it fails. */
export function refuseCallsInTransactions({ manager }: DataSource, provider: StripeApi): void {
  const open = new AsyncLocalStorage<true>();
  const transaction = manager.transaction.bind(manager) as (...args: unknown[]) => Promise<unknown>;
  manager.transaction = (...args: unknown[]) => open.run(true, () => transaction(...args));
  const call = provider.call.bind(provider);
  provider.call = (...args) => {
    if (open.getStore()) return Promise.reject(new Error('the provider is called inside a transaction'));
    return call(...args);
  };
}
