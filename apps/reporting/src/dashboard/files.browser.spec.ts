import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import { TOKEN } from '../revenue/reporting.fixture';
import { operatorBrowser, type OperatorTab, REVENUE } from './operator-browser.fixture';

const FILE = 'evenkeel-payments-2026-01-14-2026-02-10.csv';
const HEAD = 'id,verified_at\r\n';
const ROWS = Array.from({ length: 900 }, (_, index) => `row ${index},2026-01-31T14:02:07.412Z\r\n`).join('');

const operator = operatorBrowser();
let tab: OperatorTab;
/** The page comes through a server that passes everything on but files: those it answers a piece at a time, as a test says. */
let answer: ServerResponse | undefined;
let asked: string[];
let answersFiles: boolean;
const server = createServer((request, response) => {
  const { headers, url = '' } = request;
  if (!answersFiles || !url.includes('.csv?')) return passOn(request, response);
  asked.push(`${String(headers['x-admin-token'])} ${url}`);
  response.writeHead(200, { 'content-type': 'text/csv' }).flushHeaders();
  answer = response;
});

function passOn(request: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = '' } = request;
  const passed = send(new URL(url, operator.reporting.running.url), { method, headers }, (answered) => {
    response.writeHead(answered.statusCode!, answered.headers);
    answered.pipe(response);
  });
  request.pipe(passed);
}

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
beforeEach(() => ([asked, answer, answersFiles] = [[], undefined, true]));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const files = () => tab.page.locator('#payment-files');
const button = (name: RegExp) => files().getByRole('button', { name });
const saying = (pattern: RegExp) =>
  eventually(async () => expect((await files().innerText()).replace(/\s+/g, ' ')).toMatch(pattern));

async function press(name = /^CSV: All payments/): Promise<ServerResponse> {
  await button(name).click();
  await eventually(() => expect(answer).toBeDefined());
  return answer!;
}

async function open(hash = '#days=28'): Promise<void> {
  const { port } = server.address() as AddressInfo;
  tab = await operator.openNumbers({ hash, origin: `http://127.0.0.1:${port}` });
  await tab.page.route('**/*.csv?*', (route) => route.continue());
}

it('names its days and rows before it is pressed', async () => {
  await open('#month=2026-01&basis=settlement&status=settled');
  const names = await files()
    .getByRole('button')
    .evaluateAll((all) => all.map((one) => one.ariaLabel));
  expect(names).toEqual([
    expect.stringMatching(/^CSV: Settled payments, 1 Jan to 31 Jan 2026, by settlement, about [\d,]+ rows$/),
    'CSV: Call credits, 1 Jan to 31 Jan 2026',
  ]);
});

it.each([
  [
    '#month=2025-12&basis=settlement&status=settlement_failed',
    /^CSV: Failed payments, /,
    'payments.csv?month=2025-12&basis=settlement&status=settlement_failed',
    'evenkeel-payments-2025-12-01-2025-12-31.csv',
  ],
  [
    '#month=2025-12&basis=settlement',
    /^CSV: Call credits, /,
    'credits.csv?month=2025-12',
    'evenkeel-credits-2025-12-01-2025-12-31.csv',
  ],
])('brings every byte of %s %s, shows how far it is, and takes as long as it needs', async (hash, name, path, file) => {
  await open(hash);
  const response = await press(name);
  expect(asked).toEqual([`${TOKEN} ${REVENUE}/${path}`]);
  await saying(/0 rows, 0\.0 MB Stop/);
  response.write(HEAD + ROWS.slice(0, ROWS.length / 2));
  // Longer than the head of an answer may take.
  await tab.passMs(12_000);
  await saying(/4\d\d rows, 0\.0 MB Stop/);
  expect(await accessibilityFaults(tab.page, '#payment-files')).toEqual([]);
  await tab.picture('saving');
  response.end(ROWS.slice(ROWS.length / 2));
  await saying(/Saved 900 rows, 0\.0 MB/);
  await eventually(() => expect(tab.saved).toEqual({ [file]: HEAD + ROWS }));
});

it('can be stopped, which ends the request and leaves no half of a file', async () => {
  await open();
  const response = await press();
  response.write(HEAD + ROWS);
  await saying(/rows, 0\.0 MB Stop/);
  await button(/^Stop/).click();
  await saying(/Stopped, nothing was saved/);
  // Firefox closes its half of the connection, Chromium all of it.
  await eventually(() => expect(response.closed || response.req.socket.readableEnded).toBe(true));
  expect(tab.saved).toEqual({});
  expect(await button(/^CSV: All payments/).isVisible()).toBe(true);
});

it('says when the connection breaks or the service refuses, and can be tried again', async () => {
  await open();
  const response = await press();
  response.write(HEAD + ROWS);
  await saying(/Stop/);
  response.destroy();
  await saying(/Not saved: the network does not answer\./);
  expect(await accessibilityFaults(tab.page, '#payment-files')).toEqual([]);
  expect(tab.saved).toEqual({});
  await tab.page.unroute('**/*.csv?*');
  answersFiles = false;
  tab.refusal = { status: 429 };
  await button(/^CSV: All payments/).click();
  await saying(/Not saved: too many requests from this address\./);
  tab.refusal = undefined;
  await button(/^CSV: All payments/).click();
  await eventually(() => expect(tab.saved[FILE]).toMatch(/^id,verified_at,endpoint,.*\r\n/));
});

it.each([
  ['customers', 'customers', 'Customers'],
  ['subscriptions', 'invoices', 'Invoices'],
])('offers no file of other days than its section shows, however late that is: %s', async (section, file, title) => {
  answersFiles = false;
  await open('#month=2026-01');
  const saving = tab.page.getByRole('button', { name: `CSV: ${title}` });
  expect(await saving.getAttribute('aria-label')).toBe(`CSV: ${title}, 1 Jan to 31 Jan 2026`);
  const late = `**${REVENUE}/${section}?*`;
  await tab.page.route(late, (route) => route.fulfill({ status: 503 }));
  await tab.page.getByRole('link', { name: 'This month' }).click();
  await tab.place(`${section}-notice`).getByText('Not refreshed').waitFor();
  expect(await saving.count()).toBe(0);

  await tab.page.unroute(late);
  await tab.page.route(`**${REVENUE}/summary?*`, (route) => route.fulfill({ status: 503 }));
  await tab.page.getByRole('link', { name: 'Last month' }).click();
  await tab.place('figures-notice').getByText('Not refreshed').waitFor();
  await saving.click();
  await eventually(() => expect(Object.keys(tab.saved)).toEqual([`evenkeel-${file}-2026-01-01-2026-01-31.csv`]));
});
