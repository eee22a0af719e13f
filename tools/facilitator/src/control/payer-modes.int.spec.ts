import { aPayment } from '../payment.fixture';
import { FacilitatorAtNoon } from '../running-facilitator.fixture';
import type { ControlCommand } from './control-command';

let facilitator: FacilitatorAtNoon;
beforeEach(async () => {
  facilitator = await FacilitatorAtNoon.start();
});
afterEach(() => facilitator.running.close());

async function set(command: ControlCommand): Promise<void> {
  expect(await facilitator.post('/control', command)).toEqual({ status: 200, body: { done: true } });
}

it('a mode of one payer leaves all others alone, and a mode for all applies beside it', async () => {
  const [hostile, honest] = [await aPayment(), await aPayment()];
  const payer = hostile.paymentPayload.payload.authorization.from;
  await set({ mode: 'invalid', reason: 'unexpected_verify_error', payer });
  await set({ mode: 'reset', on: 'settle' });
  expect((await facilitator.verify(hostile)).body.invalidReason).toBe('unexpected_verify_error');
  expect((await facilitator.verify(honest)).body.isValid).toBe(true);
  await expect(facilitator.settle(honest)).rejects.toThrow();
  await set({ mode: 'ok', payer });
  expect((await facilitator.verify(hostile)).body.isValid).toBe(true);
  await expect(facilitator.settle(hostile)).rejects.toThrow();
});
