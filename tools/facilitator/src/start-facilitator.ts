import type { Chain } from '@evenkeel/contracts';
import { type Clock, SystemClock } from '@evenkeel/kernel';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { control, type ControlCommand } from './control';
import { Facilitator } from './facilitator';
import { answerRpc } from './json-rpc';
import { CallLog, type Ledger } from './ledger';
import { ModeSwitch, type Reply } from './modes';
import { TokenChain } from './token-chain';

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
  const server = jsonServer();
  const disconnect = () => void setImmediate(() => server.server.closeAllConnections());
  const follow = (command: unknown) => control(command, { facilitator, modes, disconnect });
  const ledger = (nonce?: string) => calls.read(chain, nonce);

  for (const target of ['verify', 'settle'] as const) {
    server.post<{ Body: JsonBody }>(`/${target}`, async ({ body }, reply) => {
      const call = facilitator.receive(target, body?.json);
      calls.note(call, body?.text ?? '');
      return send(await modes.runPayment(facilitator, call), reply);
    });
  }
  server.get('/supported', () => facilitator.supported().body);
  server.post<{ Body: JsonBody }>('/rpc', async ({ body }, reply) =>
    send(await modes.runRpc(() => ({ status: 200, body: answerRpc(chain, body?.json) })), reply),
  );
  if (options.control) {
    server.post<{ Body: JsonBody }>('/control', ({ body }) => {
      follow(body.json);
      return { done: true };
    });
    server.get<{ Querystring: { nonce?: string } }>('/ledger', ({ query }) => ledger(query.nonce));
  }
  const { port: opened } = new URL(await server.listen({ port, host }));
  const url = `http://${host}:${opened}`;
  return { url, rpcUrl: `${url}/rpc`, control: follow, ledger, close: () => server.close() };
}

/** A body as it came, and as JSON; absent when none was sent. */
type JsonBody = { text: string; json: unknown };

function jsonServer(): FastifyInstance {
  const server = fastify({
    bodyLimit: 131_072,
    // Above the idle time of the callers' pools, so that no call meets a connection that is being closed.
    keepAliveTimeout: 65_000,
    forceCloseConnections: true,
  });
  server.removeAllContentTypeParsers();
  const parse = server.getDefaultJsonParser('ignore', 'ignore');
  server.addContentTypeParser<string>('*', { parseAs: 'string' }, (request, text, done) =>
    parse(request, text, (error, json: unknown) => done(error, { text, json })),
  );
  server.addHook('onError', async (_request, _reply, error) => {
    if ((error.statusCode ?? 500) >= 500) console.error(error);
  });
  return server;
}

function send(answer: Reply, reply: FastifyReply): FastifyReply {
  if (typeof answer === 'string') {
    reply.hijack();
    if (answer === 'reset') reply.raw.socket?.resetAndDestroy();
    return reply;
  }
  if ('text' in answer) return reply.type('application/json').send(answer.text);
  return reply.code(answer.status).send(answer.body);
}
