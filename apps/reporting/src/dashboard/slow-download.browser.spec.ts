import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform, type TransformCallback } from 'node:stream';
import { eventually } from '@evenkeel/platform/testing';
import { BROWSERS, launchBrowser, type BrowserName } from '@evenkeel/services/browser';
import type { Browser, Page } from 'playwright-core';
import { manyPayments } from '../revenue/payments/many-payments.fixture';
import { Reporting, TOKEN } from '../revenue/reporting.fixture';
import { aPayment, publishedOf } from '../revenue/story.fixture';

const ROWS = sized(8_000, 400_000);
const BYTES_PER_SECOND = sized(400_000, 1_000_000);
const DONE = { withinMs: sized(120_000, 900_000) };

jest.setTimeout(sized(240_000, 1_800_000));

let reporting: Reporting;
let line: SlowLine;
/** As it should be on the disk of the operator. */
let file: string;
beforeAll(async () => {
  reporting = await Reporting.start();
  // Without any payment in its sums the page explains how to make one.
  await reporting.publish(...publishedOf([aPayment({ verifiedAt: new Date('2025-12-01T00:00:00.000Z') })]));
  file = await manyPayments(reporting.database.dataSource, ROWS);
  line = await SlowLine.to(reporting.running.url);
});
afterAll(async () => {
  line?.close();
  await reporting?.close();
});

/** Lets through so many bytes a second of what the service sends. */
class Throttle extends Transform {
  private dueMs = performance.now();

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.dueMs = Math.max(this.dueMs, performance.now()) + (chunk.length / BYTES_PER_SECOND) * 1_000;
    setTimeout(() => done(null, chunk), this.dueMs - performance.now());
  }
}

/** A slow line to a service on this machine. */
class SlowLine {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(address: string): Promise<SlowLine> {
    const { hostname, port } = new URL(address);
    const server = createServer((caller) => {
      const service = connect(Number(port), hostname);
      const throttle = new Throttle({ highWaterMark: 16_384 });
      service.pipe(throttle).pipe(caller).pipe(service);
      const ends = [service, throttle, caller];
      for (const end of ends)
        end.once('close', () => ends.forEach((other) => other.destroy())).on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SlowLine(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  close(): void {
    this.server.close();
  }
}

/** Exports that hold a connection. */
async function exportsInDatabase(): Promise<number> {
  const rows = await reporting.database.dataSource.query<object[]>(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND (query LIKE 'FETCH %' OR query LIKE 'DECLARE %') AND state <> 'idle'`,
  );
  return rows.length;
}

describe.each(BROWSERS)('in %s, the payments over a slow line', (name: BrowserName) => {
  let folder: string;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-downloads-'));
    browser = await launchBrowser(name, folder);
    page = await browser.newPage();
    // A dialog asks where to put a file, and nobody answers it here: Chromium gets a file of its own, written in the same way.
    await page.addInitScript(() => {
      if (!('showSaveFilePicker' in window)) return;
      const choose = async ({ suggestedName }: { suggestedName: string }) =>
        (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
      Object.assign(window, { showSaveFilePicker: choose });
    });
    await page.goto(`${line.url}/dashboard`);
    await page.getByLabel('Operator token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('.chip').first().waitFor();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const save = () => page.getByRole('button', { name: /^CSV: All payments/ }).click();

  /** The page remembers each text: who asks from outside may come too rarely on a busy machine. */
  const watchProgress = () =>
    page.evaluate(() => {
      const told: string[] = Object.assign(window, { told: [] as string[] }).told;
      new MutationObserver(() => {
        const text = document.querySelector<HTMLElement>('.saving')?.innerText;
        if (text !== undefined) told.push(text);
      }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    });
  const progressTold = () => page.evaluate(() => (window as unknown as { told: string[] }).told);

  /** The content of a file of the browser, or of its folder of downloads. */
  async function saved(): Promise<string> {
    if (name === 'firefox') return readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8');
    return page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      for await (const [, handle] of root as unknown as AsyncIterable<[string, FileSystemFileHandle]>) {
        return (await handle.getFile()).text();
      }
      return '';
    });
  }

  it('can be stopped, and then nobody reads on', async () => {
    await save();
    const progress = page.getByRole('progressbar', { name: /^All payments/ });
    await progress.waitFor();
    await eventually(async () => expect(await exportsInDatabase()).toBe(1), DONE);
    await page.getByRole('button', { name: /^Stop/ }).click();
    await page.getByText('Stopped, nothing was saved').waitFor();
    await eventually(async () => expect(await exportsInDatabase()).toBe(0), DONE);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('come whole, byte by byte, and tell how far they are', async () => {
    await watchProgress();
    await save();
    await eventually(async () => expect(await page.getByText(/^Saved/).count()).toBe(1), DONE);
    const counts = (await progressTold()).flatMap((text) => /([\d\s\u202f]+) rows/.exec(text)?.[1] ?? []);
    expect(new Set(counts).size).toBeGreaterThan(2);
    const text = await eventually(async () => {
      const content = await saved();
      expect(content.length).toBe(file.length);
      return content;
    }, DONE);
    expect(text === file).toBe(true);
  });
});
