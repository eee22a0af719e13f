import type { Chain } from '@evenkeel/contracts';
import { type Clock, SystemClock } from '@evenkeel/kernel';
import { TokenChain } from './chain/token-chain';
import { control, type ControlCommand } from './control/control';
import { CallLog, type Ledger } from './control/ledger';
import { BadCommand, ModeSwitch } from './control/mode-switch';
import { FacilitatorServer, type HttpCall, HttpRefusal, readJson, reply, type Routes } from './http/server';
import { Facilitator, type PaymentCall } from './payments/facilitator';
import { answerRpc } from './rpc/json-rpc';

export interface FacilitatorOptions {
  /** Default: 127.0.0.1. */
  host?: string;
  /** 0 takes a free one. */
  port: number;
  /** One of `CHAINS`; it settles in its stablecoin. */
  chain: Chain;
  /** Opens `POST /control` and `GET /ledger`, for tests. */
  control?: boolean;
  clock?: Clock;
  /** Time between blocks; 2,000 as on Base. */
  blockMs?: number;
}

const BLOCK_MS = 2_000;

export interface RunningFacilitator {
  url: string;
  /** JSON-RPC of its chain. */
  rpcUrl: string;
  /** Executes a command of `POST /control`. */
  control(command: ControlCommand): void;
  /** The answer of `GET /ledger`. */
  ledger(nonce?: string): Ledger;
  close(): Promise<void>;
}

/**
 * Starts the development facilitator: real signature checks, money and nonces in memory only.
 * @throws Error when the port is taken
 */
export async function startFacilitator(options: FacilitatorOptions): Promise<RunningFacilitator> {
  const { port, host = '127.0.0.1', clock = new SystemClock(), blockMs = BLOCK_MS } = options;
  const chain = new TokenChain(options.chain, clock, blockMs);
  const facilitator = new Facilitator(chain);
  const modes = new ModeSwitch();
  const calls = new CallLog();
  const follow = (command: unknown) => control(command, { facilitator, modes, goDown: (ms) => void server.goDown(ms) });
  const ledger = (nonce?: string) => calls.read(chain, nonce);

  const payment =
    (target: PaymentCall['target']) =>
    async ({ body }: HttpCall) => {
      const received = facilitator.receive(target, readJson(body));
      calls.notePayment(received, body);
      return modes.runPayment(facilitator, received);
    };
  const routes: Routes = new Map();
  routes.set('GET /supported', () => {
    calls.note('supported');
    return modes.run('supported', async () => facilitator.supported());
  });
  routes.set('POST /verify', payment('verify'));
  routes.set('POST /settle', payment('settle'));
  routes.set('POST /rpc', async ({ body }) => {
    calls.note('rpc');
    const request = readJson(body);
    return modes.run('rpc', async () => ({ status: 200, body: answerRpc(chain, request) as object }));
  });
  if (options.control) {
    routes.set('POST /control', async ({ body }) => {
      try {
        follow(readJson(body));
      } catch (error) {
        throw error instanceof BadCommand ? new HttpRefusal(400, 'bad_command', error.message) : error;
      }
      return reply({ status: 200, body: { done: true } });
    });
    routes.set('GET /ledger', async ({ query }) =>
      reply({ status: 200, body: ledger(query.get('nonce') ?? undefined) }),
    );
  }
  const server = new FacilitatorServer(routes, host, port);
  const url = await server.open();
  return { url, rpcUrl: `${url}/rpc`, control: follow, ledger, close: () => server.close() };
}
