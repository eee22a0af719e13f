import { BadCommand } from './control/bad-command';
import type { CallLog } from './control/call-log';
import { control, type Controlled } from './control/control';
import { readLedger } from './control/ledger';
import { HttpRefusal } from './http/http-refusal';
import { readJson } from './http/read-body';
import { reply, type Reply } from './http/reply';
import type { HttpCall, Routes } from './http/serve';
import { PaymentCall } from './payments/payment-call';
import { answerRpc } from './rpc/json-rpc';

export interface Routed extends Controlled {
  calls: CallLog;
  /** Whether the two test addresses are there. */
  open: boolean;
}

/** What is answered where. */
export function routes(routed: Routed): Routes {
  const { chain, facilitator, modes, calls } = routed;
  const payment =
    (target: 'verify' | 'settle') =>
    async ({ body }: HttpCall) => {
      const received = facilitator.receive(readJson(body));
      calls.notePayment(target, received, body);
      return modes.runPayment(new PaymentCall(facilitator, chain, target, received));
    };

  return {
    '/supported': {
      GET: async () => {
        calls.note('supported');
        return modes.run('supported', { answer: async () => facilitator.supported() });
      },
    },
    '/verify': { POST: payment('verify') },
    '/settle': { POST: payment('settle') },
    '/rpc': {
      POST: async ({ body }) => {
        calls.note('rpc');
        const request = readJson(body);
        return modes.run('rpc', { answer: async () => ({ status: 200, body: answerRpc(chain, request) }) });
      },
    },
    ...(routed.open ? testRoutes(routed) : {}),
  };
}

function testRoutes(routed: Routed): Routes {
  return {
    '/control': { POST: async ({ body }) => command(readJson(body), routed) },
    '/ledger': {
      GET: async ({ query }) => {
        const ledger = readLedger(routed.chain, routed.calls, query.get('nonce') ?? undefined);
        return reply({ status: 200, body: ledger });
      },
    },
  };
}

function command(body: unknown, routed: Routed): Reply {
  try {
    control(body, routed);
    return reply({ status: 200, body: { done: true } });
  } catch (error) {
    if (error instanceof BadCommand) throw new HttpRefusal(400, 'bad_command', error.message);
    throw error;
  }
}
