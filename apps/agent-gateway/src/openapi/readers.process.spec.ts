import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ownerOf, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { fetchedPackages } from '@evenkeel/services';
import { startGateway, type Gateway } from '../gateway.fixture';

// Each reader is a process of its own, and starts slowly.
jest.setTimeout(60_000);

const run = promisify(execFile);

interface Result<Value> {
  isErr(): boolean;
  readonly value: Value;
  readonly error: Error;
}

interface Warning {
  code: string;
}

interface OpenApiSource {
  guidance?: string;
}

interface Route {
  path: string;
  method: string;
  price?: string;
  pricingMode?: string;
  protocols?: string[];
  authMode?: string;
}

/** Members of `@agentcash/discovery` that are used here. */
interface Agentcash {
  getOpenAPI(url: string): Promise<Result<OpenApiSource | null>>;
  isOpenApiParseFailure(document: OpenApiSource): boolean;
  checkL2ForOpenAPI(document: OpenApiSource): { routes: Route[]; contactEmail?: string };
  checkL4ForOpenAPI(document: OpenApiSource): object;
  getProbe(url: string): Promise<Result<object>>;
  getL3(document: OpenApiSource, probes: object, path: string, method: string): Schemas | undefined;
  checkEndpointSchema(wish: {
    url: string;
    probe: boolean;
  }): Promise<{ found: true; advisories: Advisory[] } | { found: false; cause: string }>;
  getWarningsForL2(found: object): Warning[];
  getWarningsForL3(advisory: Advisory): Warning[];
  getWarningsForL4(found: object): Warning[];
  getWarningsForOpenAPI(document: OpenApiSource): Warning[];
  getWarningsForFavicon(url: string): Promise<Result<Warning[]>>;
  validatePaymentRequiredDetailed(offer: object): { issues: Warning[] };
}

interface Schemas {
  inputSchema?: object;
  outputSchema?: object;
}

interface Advisory {
  method: string;
  paymentOptions?: object[];
}

let gateway: Gateway;
let folder: string;
let file: string;
/** Folder of the fetched packages. */
let readers: string;
let agentcash: Agentcash;
beforeAll(async () => {
  readers = await fetchedPackages('tools/buyers/readers');
  agentcash = createRequire(join(readers, 'package.json'))('@agentcash/discovery') as Agentcash;
  gateway = await startGateway({ settings: { CONTACT_EMAIL: 'hello@api.example' } });
  folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  file = join(folder, 'openapi.json');
  writeFileSync(file, (await gateway.send('/openapi.json')).text);
}, 300_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.close();
});

/** The program of a package, as npx would find it. */
function program(name: string, packages = join(require.resolve('jest/package.json'), '../..')): string {
  const manifest = join(packages, name, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: string | Record<string, string> };
  return join(dirname(manifest), typeof bin === 'string' ? bin : Object.values(bin)[0]!);
}

/** The findings of a linter; it ends with an error when it has some. */
async function findings(name: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await run(process.execPath, [program(name, join(readers, 'node_modules')), ...args], {
    cwd: folder,
    env,
  }).catch((error: { stdout: string }) => error);
  return stdout;
}

const redocly = async (document: string) => {
  const report = await findings('@redocly/cli', 'lint', document, '--extends', 'recommended', '--format', 'json');
  return (JSON.parse(report) as { problems: { ruleId: string }[] }).problems.map(({ ruleId }) => ruleId);
};
const spectral = async (document: string) => {
  writeFileSync(join(folder, 'rules.json'), '{"extends": ["spectral:oas"]}');
  const report = await findings('@stoplight/spectral-cli', 'lint', '-r', 'rules.json', '-f', 'json', '-q', document);
  return (JSON.parse(report) as { code: string }[]).map(({ code }) => code);
};

it.each([
  ['Redocly', redocly, 'operation-2xx-response', ['operation-summary', 'security-defined']],
  ['Spectral', spectral, 'operation-success-response', ['operation-tags']],
] as const)(
  '%s says by its recommended rules that GET never succeeds, and would say more',
  async (_, lint, never, said) => {
    // GET of a paid path answers 402, always.
    expect(await lint(file)).toEqual(PAID_ENDPOINTS.map(() => never));
    const document = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, { post: object }> };
    const {
      summary: _s,
      tags: _t,
      security: _security,
      ...worse
    } = document.paths[PAID_ENDPOINTS[0]!.path]!.post as Record<string, unknown>;
    const other = join(folder, 'worse.json');
    document.paths[PAID_ENDPOINTS[0]!.path]!.post = worse;
    writeFileSync(other, JSON.stringify(document));
    expect(await lint(other)).toEqual(expect.arrayContaining([...said]));
  },
);

it('openapi-typescript makes types of it that compile', async () => {
  const types = join(folder, 'openapi.ts');
  await run(process.execPath, [program('openapi-typescript'), file, '-o', types]);
  const use = join(folder, 'use.ts');
  writeFileSync(
    use,
    `import type { operations, components } from './openapi';
     type Answer<O extends keyof operations> = operations[O]['responses'] extends { 200: { content: { 'application/json': infer A } } } ? A : never;
     export const summary = (answer: Answer<'analyzeHabits'>): number => answer.aggregate_summary.habit_count;
     export const plan = (answer: Answer<'planHabits'>): string | undefined => answer.plan[0]?.habit;
     export const price = (offer: components['schemas']['PaymentRequired']): string => offer.price.usd_exact;
     // @ts-expect-error a result has no such member
     export const wrong = (answer: Answer<'analyzeHabits'>) => answer.nothing;
    `,
  );
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--module',
    'node20',
  ];
  await run(process.execPath, [require.resolve('typescript/bin/tsc'), ...options, use]);
});

describe('the listing reader that most agents use', () => {
  const source = async (): Promise<OpenApiSource> => {
    const found = await agentcash.getOpenAPI(gateway.running.url);
    if (found.isErr()) throw found.error;
    const document = found.value;
    if (document === null || agentcash.isOpenApiParseFailure(document)) throw new Error('not understood');
    return document;
  };
  const codes = (warnings: { code: string }[]) => warnings.map(({ code }) => code);

  it('finds price, protocol and mode of every paid route', async () => {
    const { routes, contactEmail } = agentcash.checkL2ForOpenAPI(await source());
    expect(contactEmail).toBe('hello@api.example');
    const paid = routes.filter(({ authMode }) => authMode === 'paid');
    const facts = paid.map(({ path, method, price, pricingMode, protocols }) => ({
      path,
      method,
      price,
      pricingMode,
      protocols,
    }));
    expect(facts).toEqual(
      PAID_ENDPOINTS.map(({ path, priceMicros }) => ({
        path,
        method: 'POST',
        price: `${(priceMicros / 1_000_000).toFixed(2)} USD`,
        pricingMode: 'fixed',
        protocols: ['x402'],
      })),
    );
    // It knows no bearer tokens: what people use has no mode for it.
    for (const { path, authMode } of routes) {
      if (!['accounts', 'billing'].includes(ownerOf(path))) expect(authMode).toBeDefined();
    }
  });

  it.each(PAID_ENDPOINTS)('finds input, output and a way to pay at $path', async ({ path, priceMicros }) => {
    const url = gateway.running.url + path;
    const document = await source();
    const probes = await agentcash.getProbe(url);
    if (probes.isErr()) throw probes.error;
    const details = agentcash.getL3(document, probes.value, path, 'POST');
    expect(details).toMatchObject({ authMode: 'paid', estimatedPrice: `${(priceMicros / 1_000_000).toFixed(2)} USD` });
    expect(JSON.stringify(details!.inputSchema)).toContain(
      path.includes('habits') ? 'completion_rate' : 'success_rate',
    );
    expect(details!.outputSchema).toBeDefined();
    const checked = await agentcash.checkEndpointSchema({ url, probe: true });
    if (!checked.found) throw new Error(checked.cause);
    const post = checked.advisories.find(({ method }) => method === 'POST')!;
    expect(post.paymentOptions).toEqual([
      expect.objectContaining({ protocol: 'x402', version: 2, network: 'eip155:8453', amount: String(priceMicros) }),
    ]);
    expect(codes(agentcash.getWarningsForL3(post))).toEqual([]);
    const { headers } = await gateway.send(path, { method: 'POST' });
    const offer = JSON.parse(Buffer.from(headers.get('payment-required')!, 'base64').toString()) as object;
    expect(codes(agentcash.validatePaymentRequiredDetailed(offer).issues)).toEqual([]);
  });

  it('has no warning but, at most, that there are many routes', async () => {
    const document = await source();
    const favicon = await agentcash.getWarningsForFavicon(gateway.running.url);
    const warnings = [
      ...agentcash.getWarningsForOpenAPI(document),
      ...agentcash.getWarningsForL2(agentcash.checkL2ForOpenAPI(document)),
      ...agentcash.getWarningsForL4(agentcash.checkL4ForOpenAPI(document)),
      ...favicon.value,
    ];
    const expected = ['L2_ROUTE_COUNT_HIGH', 'L2_AUTH_MODE_MISSING'];
    expect(codes(warnings).filter((code) => !expected.includes(code))).toEqual([]);
    expect(document.guidance!.length).toBeLessThanOrEqual(4_000);
  });
});
