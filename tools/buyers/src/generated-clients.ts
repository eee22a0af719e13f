import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Command, type OperatorLog as Log, runInstaller } from '@evenkeel/services';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { PYTHON, pythonPackages, ROOT } from './python-packages';

/**
 * Generates and compiles.
 * @param cwd a folder with the document as `openapi.json` and a copy of the folder in `clients`
 * @returns how the program is started
 * @throws CannotStartService with what generator or compiler said
 */
type Make = (cwd: string, env: NodeJS.ProcessEnv, log: Log) => Promise<Command>;

/** A client that somebody else's generator makes of the OpenAPI document, and a program of ours that calls with it. */
interface GeneratedClient {
  /** Its folder in `clients`. */
  name: string;
  generator: string;
  make: Make;
}

const GO = 'Go 1.25 or newer, or leave go out';
const JAVA = 'Java 17 or newer with Maven, or leave java out';
const PATH = '/agent/v1/habits/recommend';

const typescript: Make = async (cwd, env, log) => {
  const packages = join(ROOT, 'node_modules');
  symlinkSync(packages, join(cwd, 'node_modules'));
  const run = (what: string, ...args: string[]) =>
    runInstaller(what, 'Node 20.19 or newer', { program: process.execPath, args, cwd, env }, log);
  // A member with a default may be left out of a request.
  const output = ['--default-non-nullable=false', '--output', 'openapi.ts'];
  await run('openapi-typescript generates', join(packages, 'openapi-typescript/bin/cli.js'), 'openapi.json', ...output);
  const options = ['--ignoreConfig', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
  await run('tsc compiles', join(packages, 'typescript/bin/tsc'), ...options, '--types', 'node', 'buy.mts', 'sync.mts');
  return { program: process.execPath, args: ['buy.mjs'], cwd, env };
};

const python: Make = async (cwd, env, log) => {
  const found = { ...env, PYTHONPATH: await pythonPackages('tools/buyers/clients/python', env, log) };
  const run = (what: string, args: string) =>
    runInstaller(what, PYTHON, { program: 'python3', args: args.split(' '), cwd, env: found }, log);
  const into = '--meta none --output-path evenkeel_client --config config.yaml';
  await run('openapi-python-client generates', `-m openapi_python_client generate --path openapi.json ${into}`);
  await run('Python compiles', '-m compileall -q evenkeel_client');
  return { program: 'python3', args: ['buy.py'], cwd, env: found };
};

const go: Make = async (cwd, env, log) => {
  mkdirSync(join(cwd, 'evenkeel'));
  const run = (what: string, ...args: string[]) => runInstaller(what, GO, { program: 'go', args, cwd, env }, log);
  await run('oapi-codegen generates', 'tool', 'oapi-codegen', '--config', 'config.yaml', 'openapi.json');
  await run('Go compiles', 'build', '-o', 'buy', '.');
  return { program: join(cwd, 'buy'), args: [], env };
};

const java: Make = async (cwd, env, log) => {
  const command = { program: 'mvn', args: ['--batch-mode', '--quiet', 'compile'], cwd, env };
  await runInstaller('openapi-generator generates, and Java compiles', JAVA, command, log);
  return { ...command, args: ['--batch-mode', '--quiet', 'exec:java'] };
};

export const CLIENTS: readonly GeneratedClient[] = [
  { name: 'typescript', generator: 'openapi-typescript', make: typescript },
  { name: 'python', generator: 'openapi-python-client', make: python },
  { name: 'go', generator: 'oapi-codegen', make: go },
  { name: 'java', generator: 'openapi-generator', make: java },
];

/** Makes a client of the document of a running service, in a folder of its own, which exists as long as the work. */
export async function withClient<Result>(
  { name, make }: GeneratedClient,
  seller: string,
  env: NodeJS.ProcessEnv,
  log: Log,
  work: (program: Command) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), `evenkeel-${name}-`));
  try {
    cpSync(join(__dirname, '../clients', name), folder, { recursive: true });
    writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${seller}/openapi.json`)).text());
    return await work(await make(folder, env, log));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Lets a generated client make a paid call: a wallet with play money signs the offer, the client sends the payment.
 * @returns what it says it has bought
 * @throws Error when it fails, or says something else than is true
 */
export function generateAndBuy(client: GeneratedClient, seller: string, env: NodeJS.ProcessEnv, log: Log) {
  return withClient(client, seller, env, log, async ({ program, args, cwd, env: own }) => {
    const scheme = new ExactEvmScheme(privateKeyToAccount(generatePrivateKey()));
    const wallet = new x402HTTPClient(new x402Client().register('eip155:*', scheme));
    const asked = await fetch(seller + PATH, { method: 'POST' });
    const offer = wallet.getPaymentRequiredResponse((name) => asked.headers.get(name));
    const payment = await wallet.createPaymentPayload(offer);
    const { nonce } = (payment.payload as { authorization: { nonce: string } }).authorization;
    const { 'PAYMENT-SIGNATURE': header } = wallet.encodePaymentSignatureHeader(payment);

    const given = { ...own, SELLER: seller, PAYMENT: header, NONCE: nonce };
    const { stdout } = await promisify(execFile)(program, args, { cwd, env: given });
    // Some Mavens reset the colours of a terminal around it, even where there is none.
    const said = JSON.parse(stdout.match(/\{.*\}/g)?.at(-1) ?? '{}') as Record<string, unknown>;
    const status = (await (await fetch(`${seller}/agent/v1/payments/${nonce}`)).json()) as Record<string, unknown>;
    const truth = { price: '0.030000', habits: 1, charged: true, transaction: status['transaction'] };
    const isTrue = Object.entries(truth).every(([name, value]) => said[name] === value);
    if (status['charged'] !== true || typeof said['action'] !== 'string' || !isTrue) {
      throw new Error(`It said ${stdout.trim()}, where ${JSON.stringify(truth)} is true.`);
    }
    return said['action'];
  });
}
