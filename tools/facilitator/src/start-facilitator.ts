import type { Chain } from '@evenkeel/contracts';
import { type Clock, SystemClock } from '@evenkeel/kernel';
import { TokenChain } from './chain/token-chain';
import { control, type ControlCommand } from './control/control';
import { CallLog, type Ledger } from './control/ledger';
import { ModeSwitch } from './control/mode-switch';
import { FacilitatorServer } from './http/server';
import { Facilitator } from './payments/facilitator';
import { answerRpc } from './rpc/json-rpc';

interface FacilitatorOptions {
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

  const server = new FacilitatorServer();
  for (const target of ['verify', 'settle'] as const) {
    server.route('POST', `/${target}`, ({ text, body }) => {
      const received = facilitator.receive(target, body);
      calls.notePayment(received, text);
      return modes.runPayment(facilitator, received);
    });
  }
  server.route('GET', '/supported', () => {
    calls.note('supported');
    return modes.run('supported', () => facilitator.supported());
  });
  server.route('POST', '/rpc', ({ body }) => {
    calls.note('rpc');
    return modes.run('rpc', () => ({ status: 200, body: answerRpc(chain, body) as object }));
  });
  if (options.control) {
    server.route('POST', '/control', ({ body }) => {
      follow(body);
      return { status: 200, body: { done: true } };
    });
    server.route('GET', '/ledger', ({ query }) => ({ status: 200, body: ledger(query['nonce']) }));
  }
  const url = await server.open(host, port);
  return { url, rpcUrl: `${url}/rpc`, control: follow, ledger, close: () => server.close() };
}
