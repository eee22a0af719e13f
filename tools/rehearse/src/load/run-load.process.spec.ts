import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '@evenkeel/platform/command-line';
import { LOAD, runLoad } from './run-load';
import { runSoak, SOAK } from './soak/run-soak';

let server: Server;
let url: string;
let answer: RequestListener;

beforeEach(async () => {
  answer = (_request, response) => response.end('{}');
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const env = { DATA_DIR: '/nowhere' };

async function load(line: string, signal = new AbortController().signal) {
  let [out, err] = ['', ''];
  const streams = { out: (part: string) => void (out += part), err: (part: string) => void (err += part) };
  const code = await runCommand(LOAD, line.split(' '), streams, (wanted, safe) => runLoad(wanted, env, safe, signal));
  return { code, out, err };
}

const few = (kind: string) => `--url ${url} --only ${kind} --scale 0.02 --seconds 1 --warm-up 0`;

// How fast a busy machine is, no test says: whether the floors were met, it must say truly.
it('counts what a server answers, and ends with 0 when that is enough', async () => {
  let answered = 0;
  answer = (_request, response) => {
    answered++;
    response.end('{}');
  };
  const { code, out, err } = await load(few('discovery'));
  const [, reached, floor] = /^discovery +40 +(\S+) +\d+\.\d +\d+\.\d +0 +(met|missed)$/m.exec(out)!;
  expect(Number(reached)).toBeGreaterThan(0);
  expect(Number(reached)).toBeLessThan(answered); // the first one asks whether anybody answers
  expect([code, out.includes('All floors are met.\n'), /^MISSED /m.test(out)]).toEqual(
    floor === 'met' ? [0, true, false] : [1, false, true],
  );
  expect(err).toMatch(/1 of 1 s {2}discovery \d+\/s {2}failed 0\n$/);
});

it.each([
  ['', true],
  [' --together', false],
])('sends each kind alone, or all together:%s', async (option, isInTurn) => {
  const methods: string[] = [];
  answer = (request, response) => {
    if (request.url !== '/v1/capabilities') methods.push(request.method!);
    response.writeHead(request.method === 'POST' ? 402 : 200).end('{}');
  };
  const { out } = await load(`${few('discovery')} --only challenge${option}`);
  expect(out).toMatch(/^discovery +40 .* 0 +(met|missed)\nchallenge +30 .* 0 +(met|missed)$/m);
  const firstPost = methods.indexOf('POST');
  expect(firstPost).toBeGreaterThanOrEqual(0);
  expect(!methods.slice(firstPost).includes('GET')).toBe(isInTurn);
});

it('names a server that answers with an error', async () => {
  answer = (_request, response) => response.writeHead(500).end('{"error":"internal_error"}');
  const { code, out } = await load(few('discovery'));
  expect(code).toBe(1);
  expect(out).toMatch(/^FAILED {2}discovery: \d+ times: GET \S+: 500 in place of 200: \{"error":"internal_error"\}$/m);
  expect(out).toMatch(/^MISSED {2}discovery: 0 a second in place of 40$/m);
  expect(out).toMatch(/^MISSED {2}discovery: \d+ failed$/m);
});

it('names a server that answers late, also to those who only had to wait for their turn', async () => {
  let turn = Promise.resolve();
  answer = (request, response) => {
    if (request.url === '/v1/capabilities') return response.end('{}');
    turn = turn.then(() => sleep(50)).then(() => void response.writeHead(402).end('{}'));
    return undefined;
  };
  const { code, out } = await load(few('challenge'));
  expect(code).toBe(1);
  const [, ms] = /^MISSED {2}challenge: one in a hundred took (\d+) ms or more in place of 100$/m.exec(out)!;
  // 30 come within a second, each takes 50 ms of the server alone: the last waits for the work of half a second.
  expect(Number(ms)).toBeGreaterThan(400);
});

it('shows what came until it is stopped', async () => {
  const stop = new AbortController();
  answer = (_request, response) => {
    setTimeout(() => stop.abort(), 100);
    response.end('{}');
  };
  const { code, out } = await load(few('discovery').replace('--seconds 1', '--seconds 600'), stop.signal);
  expect([code, out]).toEqual([1, expect.stringContaining('Stopped before its end.\n')]);
  expect(out).toMatch(/^discovery +40 /m);
});

it('says that nobody answers', async () => {
  const line = few('discovery');
  server.close();
  const { code, err } = await load(line);
  const sentence = `Nothing answers at ${url} (connect ECONNREFUSED ${url.slice(7)}). Start it with "npm run cluster", or name another with --url.\n`;
  expect([code, err]).toEqual([1, sentence]);
});

it.each([
  ['--fast', /^Unknown option '--fast'\nSee npm run load -- --help\n$/],
  ['--only paid', /^--only paid: there are discovery, challenge, credit, login, webhook\.\nSee/],
  ['--seconds 86400', /^--seconds must be a number from 1 to 600\nSee/],
  ['--url ftp://127.0.0.1', /^--url must be http:\/\/ or https:\/\/ with a host and nothing after it\nSee/],
  ['--url https://api.example.com', /^api\.example\.com is not this machine/],
  ['--only webhook', /^No cluster is known at this address, and webhook needs STRIPE_API_BASE/],
])('refuses %s in a sentence', async (line, sentence) => {
  expect(await load(line)).toEqual({ code: 2, out: '', err: expect.stringMatching(sentence) });
});

describe('a soak', () => {
  const PAGE = (oldest: number) =>
    `process_resident_memory_bytes 104857600\nprocess_cpu_seconds_total 1\nevenkeel_outbox_oldest_seconds ${oldest}\n`;

  /** Stopped when the first requests have been answered. */
  async function soak(...more: string[]) {
    const stop = new AbortController();
    const listener = answer;
    answer = (request, response) => {
      if (request.url === '/v1/capabilities') setTimeout(() => stop.abort(), 300);
      listener(request, response);
    };
    let [out, err] = ['', ''];
    const streams = { out: (part: string) => void (out += part), err: (part: string) => void (err += part) };
    const work = (wanted: Parameters<typeof runSoak>[0]) => runSoak(wanted, env, streams, stop.signal);
    const args = ['--url', url, '--only', 'discovery', '--scale', '0.02', ...more];
    return { code: await runCommand(SOAK, args, streams, work), out, err };
  }

  it('against an address that shows no metrics judges requests alone, and says so', async () => {
    const { code, out } = await soak();
    expect(out).toContain('No process was watched: nothing is known of memory and lag. --metrics names some.\n');
    expect(out).not.toMatch(/WRONG|minutes are the least/);
    expect([code, out]).toEqual([1, expect.stringContaining('Stopped before its end.\n')]);
  });

  it('watches the processes that are named', async () => {
    answer = (request, response) => response.end(request.url === '/metrics' ? PAGE(7) : '{}');
    const { out } = await soak('--metrics', `${url}/`);
    expect(out).toMatch(/^It was too short to say how memory grows/m);
    expect(out).toContain(`WRONG  ${url.slice('http://'.length)}: an event waited 7.0 s to be published\n`);
  });

  it('says before it begins that a process shows no metrics', async () => {
    const { code, err } = await soak('--metrics', url);
    const sentence = `${url.slice('http://'.length)} does not show its metrics at ${url}: there is no process_resident_memory_bytes on the page\n`;
    expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
  });

  it.each([
    [['--metrics', 'localhost:9090'], /^--metrics must be http:\/\/ or https:\/\//],
    [['--metrics', 'https://metrics.example.com'], /^metrics\.example\.com is not this machine/],
  ])('refuses %p in a sentence', async (more, sentence) => {
    expect(await soak(...more)).toEqual({ code: 2, out: '', err: expect.stringMatching(sentence) });
  });
});
