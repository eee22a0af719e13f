import { ask } from '@evenkeel/platform/testing/service';
import { Accounts } from './accounts.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

it('is ready with its database', async () => {
  const { status, body } = await ask(`${accounts.running.internalUrl}/health/ready`);
  expect([status, body]).toEqual([200, { status: 'ready', checks: { database: true } }]);
});

it('answers what it does not know', async () => {
  const { status, body } = await accounts.send('/nothing');
  expect([status, body.error]).toEqual([404, 'not_found']);
});
