import { ask } from '@evenkeel/platform/testing/service';
import { Billing } from './billing.fixture';

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start();
});
afterAll(() => billing.close());

it('is ready with its database', async () => {
  const { status, body } = await ask(`${billing.running.internalUrl}/health/ready`);
  expect([status, body]).toEqual([200, { status: 'ready', checks: { database: true } }]);
});

it('answers what it does not know', async () => {
  const { status, body } = await billing.send('/nothing');
  expect([status, body.error]).toEqual([404, 'not_found']);
});
