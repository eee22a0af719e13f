import type { OpenApiDocument } from '@evenkeel/contracts';
import { freePort } from '@evenkeel/services/free-port';
import { LocalRun } from './local-run.fixture';
import { Program } from './program.fixture';

// Each command is a program that starts first.
jest.setTimeout(60_000);

let local: LocalRun;
let url: string;

beforeAll(async () => {
  local = new LocalRun();
  url = await local.url();
}, 90_000);

afterAll(() => local?.close(), 60_000);

async function offerCheck(...args: string[]): Promise<{ code: number | null; output: string }> {
  const program = Program.script('offer:check', {}, args);
  return { code: (await program.exit).code, output: program.output };
}

it('npm run offer:check finds that a local run agrees with itself', async () => {
  expect(await offerCheck(url)).toEqual({
    code: 0,
    output: expect.stringMatching(/^\d+ statements in \d+ documents agree\.\noffer digest [0-9a-f]{64}\n$/),
  });
});

it('npm run offer:check says what is wrong', async () => {
  expect(await offerCheck(`http://127.0.0.1:${await freePort()}`)).toEqual({
    code: 2,
    output: expect.stringMatching(/could not be read: .*ECONNREFUSED/),
  });
  expect(await offerCheck(url, '--public-url', 'https://shop.example')).toMatchObject({ code: 1 });
});

/** Which method of a path is asked. */
const ORDER = ['get', 'post', 'patch', 'delete'];

it('one port answers every path of the one OpenAPI document', async () => {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(['/agent/v1/habits/analyze', '/v1/admin/revenue/summary', '/dashboard', '/mcp']),
  );
  for (const [path, operations] of Object.entries(document.paths)) {
    const [method, operation] = Object.entries(operations).sort(
      ([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other),
    )[0]!;
    const { status } = await fetch(url + path.replace('{nonce}', '0x1'), { method: method.toUpperCase() });
    const documented = Object.keys(operation.responses).map(Number);
    expect([path, status === 404, documented.includes(status)]).toEqual([path, false, true]);
  }
});
