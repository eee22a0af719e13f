import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import type { TestDatabase } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import { Pool } from 'undici';
import { faultsOf, type PlainAnswer } from './documented-answer.fixture';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, type Gateway } from './gateway-programs.fixture';
import { MALFORMED } from './malformed-http.fixture';
import type { MalformedRequest } from './malformed-request.fixture';
import { stopPrograms } from './program.fixture';
import { rawAnswer, rawBytes } from './raw-bytes.fixture';

/** `MALFORMED_SEED=… npx jest --selectProjects standalone --testPathPatterns malformed` repeats a run. */
const SEED = Number(process.env.MALFORMED_SEED) || randomInt(2 ** 31);
const LIMIT_MS = 5_000;
const AT_ONCE = 8;
const RAW_CONNECTIONS = 120;

let database: TestDatabase;
let facilitator: FacilitatorProgram;
let gateway: Gateway;
let pool: Pool;
/** Answers by code, over all tests. */
const codes = new Map<string, number>();

beforeAll(async () => {
  [database, facilitator] = await Promise.all([gatewayDatabase(), FacilitatorProgram.start()]);
  gateway = await startGateway(gatewayEnv(database, facilitator));
  pool = new Pool(gateway.url, { connections: AT_ONCE });
}, 90_000);

afterAll(async () => {
  await pool?.close();
  await stopPrograms();
  await database?.drop();
}, 60_000);

async function answerTo({ method, path, headers, body, isChunked }: MalformedRequest): Promise<PlainAnswer> {
  const response = await pool.request({
    method,
    path,
    headers,
    body: isChunked ? Readable.from([body]) : body,
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers as PlainAnswer['headers'], text };
}

/** What is wrong with the answer, with the request that got it. */
async function complaint(request: MalformedRequest): Promise<object | undefined> {
  const answer = await answerTo(request).catch((error: Error) => error.message);
  if (typeof answer === 'string') return { request, failed: answer };
  const faults = faultsOf(request, answer);
  if (!request.allowed.includes(answer.status)) faults.push(`the status is not ${request.allowed.join(' or ')}`);
  const code = /"error":"(\w+)"/.exec(answer.text)?.[1] ?? '';
  codes.set(code, (codes.get(code) ?? 0) + 1);
  return faults.length > 0 ? { faults, request, answer } : undefined;
}

/** Several at a time, in order. */
async function complaints(requests: readonly MalformedRequest[]): Promise<object[]> {
  const waiting = requests.values();
  const found: object[] = [];
  const work = async () => {
    for (const request of waiting) found.push(...[(await complaint(request)) ?? []].flat());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

describe(`bad requests of seed ${SEED} get documented answers`, () => {
  it.each(MALFORMED)(
    '%s',
    async (_, requests, count) => {
      const found = await complaints(fc.sample(requests, { seed: SEED, numRuns: count }));
      expect(found.slice(0, 3)).toEqual([]);
    },
    60_000,
  );

  it('bytes that are no HTTP', async () => {
    const found: object[] = [];
    for (const sent of fc.sample(rawBytes, { seed: SEED, numRuns: RAW_CONNECTIONS })) {
      const answer = await rawAnswer(gateway.url, sent, LIMIT_MS);
      const faults = answer.text === '' ? [] : faultsOf({ method: '', path: '', headers: {}, allowed: [] }, answer);
      if (faults.length > 0) found.push({ sent: sent.toString('latin1').slice(0, 500), faults, answer });
    }
    expect(found.slice(0, 3)).toEqual([]);
  }, 60_000);
});

describe('afterwards', () => {
  it('the gateway is well', async () => {
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
    const wrong = gateway.program.output.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line));
    // On a busy machine a first connection may miss its deadline; a start logs that and tries again.
    expect(wrong.filter((line) => !line.includes('Unable to connect to the database. Retrying'))).toEqual([]);
  });

  it('nothing is in the ledger', async () => {
    const [counts] = await database.dataSource.query<object[]>(
      `SELECT (SELECT count(*)::integer FROM payments) AS payments, (SELECT count(*)::integer FROM calls) AS calls,
         (SELECT count(*)::integer FROM wallets) AS wallets, (SELECT count(*)::integer FROM outbox) AS events`,
    );
    expect(counts).toEqual({ payments: 0, calls: 0, wallets: 0, events: 0 });
  });

  it('the facilitator was asked about well-formed payments of valid requests alone, and never to settle', async () => {
    const { calls, settlements } = await facilitator.ledger();
    expect(codes.get('payment_rejected')).toBeGreaterThan(0);
    expect(calls).toMatchObject({ verify: codes.get('payment_rejected'), settle: 0 });
    expect(settlements).toEqual([]);
  });
});
