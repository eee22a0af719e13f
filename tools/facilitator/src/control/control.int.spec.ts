import { aBody, aPayment, aSigned } from '../payment.fixture';
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

describe('control and ledger', () => {
  it('ok ends every mode, or the one at a target', async () => {
    const payment = await aPayment();
    await set({ mode: '500' });
    await set({ mode: 'ok', on: 'verify' });
    expect((await facilitator.verify(payment)).status).toBe(200);
    expect((await facilitator.settle(payment)).status).toBe(500);
    await set({ mode: 'ok' });
    expect((await facilitator.settle(payment)).status).toBe(200);
  });

  it('proves one verify, one settle, and the same bytes', async () => {
    const signed = await aSigned();
    const { nonce } = signed.authorization;
    await facilitator.verify(aBody(signed));
    await facilitator.settle(aBody(signed));
    await facilitator.verify(await aPayment());
    const { body } = await facilitator.get(`/ledger?nonce=${nonce}`);
    expect(body).toMatchObject({
      calls: { supported: 0, verify: 2, settle: 1, rpc: 0 },
      payments: [{ nonce, verify: 1, settle: 1, bodies: 1, settleBodies: 1 }],
      settlements: [{ nonce, value: '50000' }],
    });
    await facilitator.settle(aBody(signed, { requirements: { maxTimeoutSeconds: 60 } }));
    expect(facilitator.running.ledger(nonce).payments).toMatchObject([{ settle: 2, bodies: 2, settleBodies: 2 }]);
  });

  it.each([
    [{ mode: 'sleepy' }, 'mode must be one of: ok, '],
    [{ mode: 'constructor' }, 'mode must be one of: ok, '],
    [{ mode: 'refused', on: 'rpc' }, 'refused can be on: verify, settle'],
    [{ mode: 'ok', on: 'nowhere' }, 'ok can be on: supported, verify, settle, rpc'],
    [{ mode: 'slow', ms: -1 }, 'ms is missing or has another form'],
    [{ mode: '500', status: 1000 }, 'status is missing or has another form'],
    [{ mode: 'hang', count: 0 }, 'count is missing or has another form'],
    [{ action: 'cancel', payer: '0x1' }, 'payer is missing or has another form'],
    [{ action: 'versions', versions: [] }, 'versions must be [1], [2] or [1, 2]'],
    [{ action: 'explode' }, 'action must be one of: cancel, submit'],
    [[], 'a command is a JSON object'],
  ])('refuses %j', async (command, message) => {
    expect(await facilitator.post('/control', command)).toEqual({
      status: 400,
      body: { error: 'bad_command', message: expect.stringContaining(message) },
    });
  });
});
