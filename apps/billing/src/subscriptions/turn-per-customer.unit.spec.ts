import { NotInTime } from '../provider/stripe-api';
import { TurnPerCustomer } from './turn-per-customer';

it('work whose caller has given it up is not begun, and is too late: a webhook then answers 503, never 500', async () => {
  const turns = new TurnPerCustomer();
  const begun: string[] = [];
  const take = (name: string, isGivenUp: boolean) =>
    turns.take(
      'cus_1',
      async () => begun.push(name),
      () => isGivenUp,
    );
  const [first, late, next] = await Promise.allSettled([take('first', false), take('late', true), take('next', false)]);
  expect([first.status, next.status, begun]).toEqual(['fulfilled', 'fulfilled', ['first', 'next']]);
  expect(late).toMatchObject({ reason: expect.any(NotInTime) });
});
