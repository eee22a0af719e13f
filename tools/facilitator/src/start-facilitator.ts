import type { Chain } from '@evenkeel/contracts';
import { type Clock, SystemClock } from '@evenkeel/kernel';
import { getAddress } from 'viem';
import { TokenChain } from './chain/token-chain';
import { CallLog } from './control/call-log';
import { ChainTime } from './control/chain-time';
import { control, type Controlled } from './control/control';
import { BadCommand, type ControlCommand } from './control/control-command';
import { type Ledger, readLedger } from './control/ledger';
import { ModeSwitch } from './control/mode-switch';
import { Listener } from './http/listener';
import { type HttpCall, HttpRefusal, readJson, reply, type Reply, type Routes, serve } from './http/serve';
import { Facilitator } from './payments/facilitator';
import { type Asset, PaymentCall } from './payments/payment-call';
import { answerRpc } from './rpc/json-rpc';

interface Routed extends Controlled {
  calls: CallLog;
  /** Whether the two test addresses are there. */
  open: boolean;
}

export interface FacilitatorOptions {
  /** Default: 127.0.0.1. */
  host?: string;
  /** 0 takes a free one. */
  port: number;
  /** One of `CHAINS`. */
  chain: Chain;
  /** Default: the stablecoin of the chain. */
  asset?: Asset;
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
  const { address, name, version } = options.asset ?? options.chain.usdc;
  const asset = { address: getAddress(address), name, version };
  const time = new ChainTime(clock);
  const { chainId } = options.chain;
  const chain = new TokenChain({ chainId, asset: asset.address, domain: { name, version }, clock: time, blockMs });
  const facilitator = new Facilitator(chain, { chain: options.chain, asset });
  const modes = new ModeSwitch();
  const calls = new CallLog();
  const controlled: Controlled = { chain, facilitator, modes, time, goDown: (ms) => void listener.goDown(ms) };
  const listener = new Listener(serve(routes({ ...controlled, calls, open: options.control ?? false })), host, port);

  const url = await listener.open();
  return {
    url,
    rpcUrl: `${url}/rpc`,
    control: (command) => control(command, controlled),
    ledger: (nonce) => readLedger(chain, calls, nonce),
    close: () => listener.close(),
  };
}

/** The routes with their handlers. */
function routes(routed: Routed): Routes {
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
