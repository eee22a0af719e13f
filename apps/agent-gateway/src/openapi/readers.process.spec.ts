import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ownerOf, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { fetchedPackages } from '@evenkeel/services';
import { aGateway } from '../gateway.fixture';

// Each reader is a process of its own, and starts slowly.
jest.setTimeout(60_000);

const run = promisify(execFile);

interface Found<Value> {
  isErr(): boolean;
  readonly value: Value;
  readonly error: Error;
}

type Warnings = { code: string }[];

interface Route {
  path: string;
  method: string;
  price?: string;
  pricingMode?: string;
  protocols?: string[];
  authMode?: string;
}

interface Advisory {
  method: string;
  paymentOptions?: object[];
}

/** Members of `@agentcash/discovery` that are used here. */
interface Agentcash {
  getOpenAPI(url: string): Promise<Found<{ guidance?: string }>>;
  checkL2ForOpenAPI(document: object): { routes: Route[]; contactEmail?: string };
  checkL4ForOpenAPI(document: object): object;
  getProbe(url: string): Promise<Found<object>>;
  getL3(
    document: object,
    probes: object,
    path: string,
    method: string,
  ): { inputSchema?: object; outputSchema?: object };
  checkEndpointSchema(wish: { url: string; probe: boolean }): Promise<{ found: boolean; advisories: Advisory[] }>;
  getWarningsForL2(found: object): Warnings;
  getWarningsForL3(advisory: Advisory): Warnings;
  getWarningsForL4(found: object): Warnings;
  getWarningsForOpenAPI(document: object): Warnings;
  getWarningsForFavicon(url: string): Promise<Found<Warnings>>;
  validatePaymentRequiredDetailed(offer: object): { issues: Warnings };
}

const gateway = aGateway({ settings: { CONTACT_EMAIL: 'hello@api.example' } });
let folder: string;
let file: string;
/** Folder of the fetched packages. */
let readers: string;
let agentcash: Agentcash;
beforeAll(async () => {
  readers = await fetchedPackages('tools/buyers/readers');
  agentcash = createRequire(join(readers, 'package.json'))('@agentcash/discovery') as Agentcash;
  folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  file = join(folder, 'openapi.json');
  writeFileSync(file, (await gateway.send('/openapi.json')).text);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** The findings of a linter; it ends with an error when it has some. */
async function findings<Finding>(name: string, ...args: string[]): Promise<Finding> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const packageFolder = join(readers, 'node_modules', name);
  const manifest = readFileSync(join(packageFolder, 'package.json'), 'utf8');
  const [program] = Object.values((JSON.parse(manifest) as { bin: Record<string, string> }).bin);
  const line = [join(packageFolder, program!), ...args];
  const { stdout } = await run(process.execPath, line, { cwd: folder, env }).catch(
    (error: { stdout: string }) => error,
  );
  return JSON.parse(stdout) as Finding;
}

it('Redocly and Spectral say by their rules that GET of a paid path never succeeds, and nothing more', async () => {
  const rules = ['--extends', 'recommended', '--format', 'json'];
  const { problems } = await findings<{ problems: { ruleId: string }[] }>('@redocly/cli', 'lint', file, ...rules);
  expect(problems.map(({ ruleId }) => ruleId)).toEqual(PAID_ENDPOINTS.map(() => 'operation-2xx-response'));
  writeFileSync(join(folder, 'rules.json'), '{"extends": ["spectral:oas"]}');
  const options = ['-r', 'rules.json', '-f', 'json', '-q'];
  const complaints = await findings<Warnings>('@stoplight/spectral-cli', 'lint', ...options, file);
  expect(complaints.map(({ code }) => code)).toEqual(PAID_ENDPOINTS.map(() => 'operation-success-response'));
});

describe('the listing reader that most agents use', () => {
  function valueOf<Value>(found: Found<Value>): Value {
    if (found.isErr()) throw found.error;
    return found.value;
  }
  const source = async () => valueOf(await agentcash.getOpenAPI(gateway.running.url));
  const codes = (...warnings: Warnings[]) => warnings.flat().map(({ code }) => code);
  const priceOf = (priceMicros: number) => `${(priceMicros / 1_000_000).toFixed(2)} USD`;

  it('finds price, protocol and mode of every paid route', async () => {
    const { routes, contactEmail } = agentcash.checkL2ForOpenAPI(await source());
    expect(contactEmail).toBe('hello@api.example');
    const facts = { method: 'POST', pricingMode: 'fixed', protocols: ['x402'] };
    expect(routes.filter(({ authMode }) => authMode === 'paid')).toMatchObject(
      PAID_ENDPOINTS.map(({ path, priceMicros }) => ({ path, price: priceOf(priceMicros), ...facts })),
    );
    // It knows no bearer tokens: what people use has no mode for it.
    const open = routes.filter(({ path }) => !['accounts', 'billing'].includes(ownerOf(path)));
    expect(open.filter(({ authMode }) => authMode === undefined)).toEqual([]);
  });

  it.each(PAID_ENDPOINTS)('finds input, output and a way to pay at $path', async ({ path, priceMicros }) => {
    const url = gateway.running.url + path;
    const details = agentcash.getL3(await source(), valueOf(await agentcash.getProbe(url)), path, 'POST');
    const outputSchema = expect.anything();
    expect(details).toMatchObject({ authMode: 'paid', estimatedPrice: priceOf(priceMicros), outputSchema });
    const member = path.includes('habits') ? 'completion_rate' : 'success_rate';
    expect(JSON.stringify(details.inputSchema)).toContain(member);
    const { found, advisories } = await agentcash.checkEndpointSchema({ url, probe: true });
    const post = advisories.find(({ method }) => method === 'POST')!;
    const option = { protocol: 'x402', version: 2, network: 'eip155:8453', amount: String(priceMicros) };
    expect([found, post.paymentOptions]).toMatchObject([true, [option]]);
    const { headers } = await gateway.send(path, { method: 'POST' });
    const offer = JSON.parse(Buffer.from(headers.get('payment-required')!, 'base64').toString()) as object;
    const { issues } = agentcash.validatePaymentRequiredDetailed(offer);
    expect(codes(agentcash.getWarningsForL3(post), issues)).toEqual([]);
  });

  it('has no warning but, at most, that there are many routes', async () => {
    const document = await source();
    const warnings = codes(
      agentcash.getWarningsForOpenAPI(document),
      agentcash.getWarningsForL2(agentcash.checkL2ForOpenAPI(document)),
      agentcash.getWarningsForL4(agentcash.checkL4ForOpenAPI(document)),
      valueOf(await agentcash.getWarningsForFavicon(gateway.running.url)),
    );
    expect(['L2_ROUTE_COUNT_HIGH', 'L2_AUTH_MODE_MISSING']).toEqual(expect.arrayContaining(warnings));
    expect(document.guidance!.length).toBeLessThanOrEqual(4_000);
  });
});
