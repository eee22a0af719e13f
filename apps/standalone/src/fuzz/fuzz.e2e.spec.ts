import { randomInt } from 'node:crypto';
import { openApiParts, type OpenApiDocument } from '@evenkeel/contracts';
import { mergeParts } from '@evenkeel/platform/openapi';
import fc from 'fast-check';
import { Pool } from 'undici';
import { LocalRun } from '../e2e/local-run.fixture';
import { faultsOf } from './answer-faults.fixture';
import { Callers } from './callers.fixture';
import { ReadDocument, type DocumentedOperation } from './documented-operation.fixture';
import { requestsOf, type FuzzedRequest } from './fuzzed-request.fixture';

/** `FUZZ_SEED=… npx jest --selectProjects standalone --testPathPatterns fuzz` repeats a run, `FUZZ_RUNS` sets its size. */
const SEED = Number(process.env.FUZZ_SEED) || randomInt(2 ** 31);
const RUNS = Number(process.env.FUZZ_RUNS) || sized(6, 200);
const AT_ONCE = 4;
const LIMIT_MS = 60_000;
/** Each reads or writes whole files, in a process of its own. */
const SLOW = new Set(['POST /v1/habits/import', 'GET /v1/habits/export']);
/** `FUZZ_URL` and `FUZZ_ADMIN_TOKEN` name a product that runs elsewhere, with limits that are out of the way. */
const { FUZZ_URL, FUZZ_ADMIN_TOKEN: ADMIN_TOKEN = 'the word that operators know' } = process.env;

let local: LocalRun | undefined;
let url: string;
let pool: Pool;
let callers: Callers;
let served: ReadDocument;

beforeAll(async () => {
  if (FUZZ_URL === undefined) {
    local = new LocalRun({ ADMIN_TOKEN, RATE_LIMIT_SCALE: '1000000', ARGON2_MEMORY_KIB: '8', ARGON2_PASSES: '1' });
  }
  url = FUZZ_URL ?? (await local!.url());
  pool = new Pool(url, { connections: AT_ONCE });
  callers = new Callers(url, ADMIN_TOKEN, local && upgrade);
  served = new ReadDocument((await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument);
  await callers.buy();
}, 90_000);

afterAll(async () => {
  await pool?.close();
  await local?.close();
}, 60_000);

/** As billing announces it. */
function upgrade(userId: string): Promise<unknown> {
  return local!.ask(
    'accounts',
    `INSERT INTO entitlements (user_id, version, access_until, ever_premium, changed_at)
     VALUES ('${userId}', 1, 'infinity', true, now())`,
  );
}

/** The undocumented parts of the answer to a request. */
async function complaint(operation: DocumentedOperation, request: FuzzedRequest): Promise<object | undefined> {
  const path = callers.pathOf(operation, request);
  // A header is sent once: that of the request replaces ours.
  const signed = await callers.headersFor(operation, request);
  const names = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
  const added = Object.entries(signed).filter(([name]) => !names.has(name));
  const headers = { ...request.headers, ...Object.fromEntries(added) };
  const response = await pool.request({
    method: operation.method.toUpperCase(),
    path,
    headers,
    body: request.body,
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const text = await response.body.text();
  const status = response.statusCode;
  const type = String(response.headers['content-type'] ?? '').split(';')[0]!;
  await callers.heard(status, headers);
  const faults = faultsOf(operation, { status, type, text }, request.fits);
  if (faults.length === 0) return undefined;
  return { faults, path, body: request.body?.slice(0, 600), headers: request.headers, answer: text.slice(0, 400) };
}

/** Several at a time; the first of each kind of fault. */
async function complaints(operation: DocumentedOperation, runs: number): Promise<object[]> {
  const waiting = fc.sample(requestsOf(operation), { seed: SEED, numRuns: runs }).values();
  const found: object[] = [];
  const work = async () => {
    for (const request of waiting) found.push(...[(await complaint(operation, request)) ?? []].flat());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

const titles = mergeParts([...openApiParts().values()]);
const operations = new ReadDocument({ ...titles, openapi: '3.1.0', info: { title: '', version: '' } }).operations;

describe(`requests of seed ${SEED} get the answers of the document`, () => {
  it.each(operations.map(({ title }) => title))(
    '%s',
    async (title) => {
      const operation = served.operations.find((one) => one.title === title)!;
      if (operation.schemes.includes('bearerAuth')) await callers.begin();
      const runs = SLOW.has(title) ? Math.ceil(RUNS / 4) : RUNS;
      expect((await complaints(operation, runs)).slice(0, 3)).toEqual([]);
    },
    300_000,
  );
});
