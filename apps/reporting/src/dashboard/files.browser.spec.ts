import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import { operatorBrowser, type OperatorTab, TOKEN } from './operator-browser.fixture';

/** Answers as the test says, a piece at a time. */
class SlowService {
  readonly asked: string[] = [];
  private readonly answers: ServerResponse[] = [];

  answer({ headers, url }: IncomingMessage, response: ServerResponse): void {
    this.asked.push(`${String(headers['x-admin-token'])} ${url}`);
    response.writeHead(200, { 'content-type': 'text/csv' });
    response.flushHeaders();
    this.answers.push(response);
  }

  send(piece: string): void {
    this.answers.at(-1)!.write(piece);
  }

  end(): void {
    this.answers.at(-1)!.end();
  }

  breakOff(): void {
    this.answers.at(-1)!.destroy();
  }

  /** Firefox closes its half of the connection, Chromium all of it. */
  get isRead(): boolean {
    const { closed, req } = this.answers.at(-1)!;
    return !closed && !req.socket.readableEnded;
  }

  close(): void {
    for (const answer of this.answers) answer.destroy();
  }
}

const PAYMENTS = 'evenkeel-payments-2026-01-04-2026-01-31.csv';
const HEAD = 'id,verified_at\r\n';
const ROWS = Array.from({ length: 900 }, (_, index) => `row ${index},2026-01-31T14:02:07.412Z\r\n`).join('');

let service: SlowService;
const operator = operatorBrowser({ files: (request, response) => service.answer(request, response) });
let tab: OperatorTab;
beforeEach(() => (service = new SlowService()));
afterEach(() => service.close());

/** A tab whose files come from there. */
async function open(hash = '#days=28'): Promise<void> {
  tab = await operator.openNumbers({ hash });
  await tab.page.route('**/*.csv?*', (route) => route.continue());
}

const press = async () => {
  await button(/^CSV: All payments/).click();
  await eventually(() => expect(service.asked.length).toBeGreaterThan(0));
};
const files = () => tab.page.locator('#payment-files');
const button = (name: RegExp) => files().getByRole('button', { name });
const said = async () => (await files().innerText()).replace(/\s+/g, ' ');
const saying = (pattern: RegExp) => eventually(async () => expect(await said()).toMatch(pattern));

/** A place on the disk that the browser can write to, as the operator would choose one. */
async function chooseByHand(): Promise<void> {
  await tab.page.evaluate(() => {
    const chosen: string[] = [];
    const showSaveFilePicker = async ({ suggestedName }: { suggestedName: string }) => {
      chosen.push(suggestedName);
      return (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
    };
    Object.assign(window, { showSaveFilePicker, chosen });
  });
}

const onDisk = (name: string) =>
  tab.page.evaluate(async (fileName) => {
    const handle = await (await navigator.storage.getDirectory()).getFileHandle(fileName);
    return (await handle.getFile()).text();
  }, name);

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
  ['#days=28', /^CSV: All payments, /, 'payments.csv?days=28', PAYMENTS],
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
])('brings every byte of %s %s', async (hash, name, path, fileName) => {
  await open(hash);
  await button(name).click();
  await eventually(() => expect(service.asked).toEqual([`${TOKEN} /v1/admin/revenue/${path}`]));
  service.send(HEAD + ROWS.slice(0, 1_000));
  service.send(ROWS.slice(1_000));
  service.end();
  await saying(/Saved 900 rows, 0\.0 MB/);
  await eventually(() => expect(tab.saved).toEqual({ [fileName]: HEAD + ROWS }));
});

it('is written to the disk while it comes, shows how far it is, and takes as long as it needs', async () => {
  await open();
  await chooseByHand();
  await press();
  await saying(/0 rows, 0\.0 MB Stop/);
  service.send(HEAD + ROWS.slice(0, ROWS.length / 2));
  // Longer than the head of an answer may take.
  await tab.passMs(12_000);
  await saying(/4\d\d rows, 0\.0 MB Stop/);
  const bar = files().getByRole('progressbar');
  expect(Number(await bar.getAttribute('value'))).toBeGreaterThan(0.05);
  expect(await accessibilityFaults(tab.page, '#payment-files')).toEqual([]);
  await tab.picture('saving');
  service.send(ROWS.slice(ROWS.length / 2));
  service.end();
  await saying(/Saved 900 rows/);
  expect(await tab.page.evaluate(() => (window as unknown as { chosen: string[] }).chosen)).toEqual([PAYMENTS]);
  expect(await onDisk(PAYMENTS)).toBe(HEAD + ROWS);
});

it('can be stopped, which ends the request and leaves no half of a file', async () => {
  await open();
  await chooseByHand();
  await press();
  service.send(HEAD + ROWS);
  await saying(/rows, 0\.0 MB Stop/);
  await files().getByRole('button', { name: /^Stop/ }).click();
  await saying(/Stopped, nothing was saved/);
  await eventually(() => expect(service.isRead).toBe(false));
  expect(await onDisk(PAYMENTS)).toBe('');
  expect(await button(/^CSV: All payments/).isVisible()).toBe(true);
});

it('is not asked for when the operator does not choose a place after all', async () => {
  await open();
  await tab.page.evaluate(() => {
    const showSaveFilePicker = () => Promise.reject(new DOMException('The user aborted a request.', 'AbortError'));
    Object.assign(window, { showSaveFilePicker });
  });
  await button(/^CSV: All payments/).click();
  await tab.passMs(1_000);
  expect(service.asked).toEqual([]);
  expect(await button(/^CSV: All payments/).isVisible()).toBe(true);
});

it('says when the connection breaks or the service refuses, and can be tried again', async () => {
  await open();
  await press();
  service.send(HEAD + ROWS);
  await saying(/Stop/);
  service.breakOff();
  await saying(/Not saved: the network does not answer\./);
  expect(await accessibilityFaults(tab.page, '#payment-files')).toEqual([]);
  expect(tab.saved).toEqual({});
  await tab.page.unroute('**/*.csv?*');
  tab.refusal = { status: 429 };
  await button(/^CSV: All payments/).click();
  await saying(/Not saved: too many requests from this address\./);
  tab.refusal = undefined;
  await button(/^CSV: All payments/).click();
  await eventually(() => expect(tab.saved).toEqual({ [PAYMENTS]: 'id,amount_usd\r\n' }));
});
