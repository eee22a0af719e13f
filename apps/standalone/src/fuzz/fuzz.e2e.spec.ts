import { randomInt } from 'node:crypto';
import { openApiParts, type OpenApiDocument } from '@evenkeel/contracts';
import fc from 'fast-check';
import { Pool } from 'undici';
import { LocalRun } from '../e2e/local-run.fixture';
import { ADMIN_TOKEN } from '../e2e/programs.fixture';
import { faultsOf } from './answer-faults.fixture';
import { Callers } from './callers.fixture';
import { ReadDocument, type DocumentedOperation } from './documented-operation.fixture';
import { requestsOf, type FuzzedRequest } from './fuzzed-request.fixture';

jest.setTimeout(300_000);

/** `FUZZ_SEED=… npx jest apps/standalone/src/fuzz` repeats a run, `FUZZ_RUNS` sets its size. */
const SEED = Number(process.env.FUZZ_SEED) || randomInt(2 ** 31);
const RUNS = Number(process.env.FUZZ_RUNS) || sized(6, 200);
const AT_ONCE = 4;
const LIMIT_MS = 60_000;
/** Each reads or writes whole files, in a process of its own. */
const SLOW = new Set(['POST /v1/habits/import', 'GET /v1/habits/export']);

let local: LocalRun;
let pool: Pool;
let callers: Callers;
let served: ReadDocument;
beforeAll(async () => {
  local = new LocalRun({ ADMIN_TOKEN, RATE_LIMIT_SCALE: '1000000', ARGON2_MEMORY_KIB: '8', ARGON2_PASSES: '1' });
  const url = await local.url();
  pool = new Pool(url, { connections: AT_ONCE });
  callers = new Callers(url, upgrade);
  served = new ReadDocument((await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument);
  await callers.buy();
});
afterAll(async () => {
  await pool?.close();
  await local?.close();
});

/** As billing announces it. */
function upgrade(userId: string): Promise<unknown> {
  return local.ask(
    'accounts',
    `INSERT INTO entitlements (user_id, version, access_until, ever_premium, changed_at)
     VALUES ('${userId}', 1, 'infinity', true, now())`,
  );
}

/** The undocumented parts of the answer to a request. */
async function complaint(operation: DocumentedOperation, request: FuzzedRequest): Promise<object[]> {
  const path = callers.pathOf(operation, request);
  // A header is sent once: that of the request replaces ours.
  const signed = await callers.headersFor(operation, request);
  const names = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
  const added = Object.entries(signed).filter(([name]) => !names.has(name));
  const headers = { ...request.headers, ...Object.fromEntries(added) };
  const method = operation.method.toUpperCase();
  const signal = AbortSignal.timeout(LIMIT_MS);
  const response = await pool.request({ method, path, headers, body: request.body, signal });
  const text = await response.body.text();
  const status = response.statusCode;
  const type = String(response.headers['content-type'] ?? '').split(';')[0]!;
  await callers.answered(status, headers);
  const faults = faultsOf(operation, { status, type, text }, request.fits);
  if (faults.length === 0) return [];
  return [{ faults, path, body: request.body?.slice(0, 600), headers: request.headers, answer: text.slice(0, 400) }];
}

/** Several at a time. */
async function complaints(operation: DocumentedOperation, runs: number): Promise<object[]> {
  const waiting = fc.sample(requestsOf(operation), { seed: SEED, numRuns: runs }).values();
  const found: object[] = [];
  const work = async () => {
    for (const request of waiting) found.push(...(await complaint(operation, request)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

const operations = [...openApiParts().values()].flatMap((part) => new ReadDocument(part).operations);
const titles = operations.map(({ title }) => title);

it.each(titles)(`requests of seed ${SEED} to %s get the answers of the document`, async (title) => {
  const operation = served.operations.find((one) => one.title === title)!;
  if (operation.schemes.includes('bearerAuth')) await callers.begin();
  const runs = SLOW.has(title) ? Math.ceil(RUNS / 4) : RUNS;
  expect((await complaints(operation, runs)).slice(0, 3)).toEqual([]);
});
