import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { openBrowser } from '@evenkeel/services/browser';
import type { Browser } from 'playwright-core';
import { aGateway } from '../gateway.fixture';

jest.setTimeout(60_000);

const gateway = aGateway();
let browser: Browser;
beforeAll(async () => void (browser = await openBrowser()));
afterAll(() => browser.close());

it('the reference shows every paid operation, asks no other address, and breaks no rule of its policy', async () => {
  const page = await browser.newPage();
  const [requested, complaints]: string[][] = [[], []];
  page.on('request', (request) => requested!.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && complaints!.push(message.text()));
  page.on('pageerror', (error) => complaints!.push(error.message));
  await page.goto(`${gateway.running.url}/docs`);
  for (const { path } of PAID_ENDPOINTS) await page.getByText(path, { exact: true }).first().waitFor();
  expect(complaints).toEqual([]);
  expect(requested!.length).toBeGreaterThan(3);
  expect(requested!.filter((url) => !url.startsWith(gateway.running.url) && !url.startsWith('data:'))).toEqual([]);
});
