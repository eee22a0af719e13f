import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@evenkeel/platform/testing';
import { Traffic } from './traffic';

let server: Server;
let traffic: Traffic;
let status = 200;

beforeEach(async () => {
  server = createServer((_request, response) => response.writeHead(status).end('{}'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const secrets = { adminToken: 'word', stripeKey: 'sk', webhookSecret: 'whsec' };
  traffic = new Traffic({ url, stripeUrl: url, ...secrets });
});
afterEach(async () => {
  await traffic.close();
  server.close();
});

it('sends each kind at its rate, and times what is answered as expected', async () => {
  traffic.start({ discovery: 100, summary: 10 });
  await eventually(() => traffic.results.summary.times.length >= 3);
  await traffic.stop();
  const { discovery, summary } = traffic.results;
  expect([discovery.times.length, summary.times.length]).toEqual([discovery.sent, summary.sent]);
  expect(discovery.sent).toBeGreaterThanOrEqual(8 * summary.sent);
  expect(traffic.failures).toEqual([]);
});

it('has a sentence for each that was answered otherwise, or not at all', async () => {
  status = 503;
  traffic.start({ discovery: 100 });
  await eventually(() => traffic.failures.length > 0);
  expect(traffic.failures[0]).toMatch(/^discovery: \S+Z after \d+ ms: GET \/: 503 in place of 200: \{\}$/);
  server.closeAllConnections();
  server.close();
  await eventually(() => traffic.failures.some((text) => text.includes('ECONNREFUSED')));
});

it('leaves out what would only wait in our own memory', async () => {
  server.removeAllListeners('request').on('request', () => undefined);
  traffic.start({ discovery: 50_000 });
  await eventually(() => traffic.results.discovery.failed > 1_000);
  expect(traffic.failures[0]).toMatch(/not sent: 5000 requests wait for their answers already$/);
  expect(traffic.failures).toHaveLength(1_000);
  server.closeAllConnections();
  server.close();
});
