import { once } from 'node:events';
import { connect } from 'node:net';
import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { aGateway } from '../gateway.fixture';
import { terms } from '../payments/payment.fixture';
import { PAYMENT_PLACE } from './llms-text';

const gateway = aGateway();
let text: string;
let ask: string;
let pay: string;
let endpoint: PaidEndpoint;
beforeAll(async () => {
  ({ text } = await gateway.send('/llms.txt'));
  [ask, pay] = [...text.matchAll(/```http\n([\s\S]*?)\n```/g)].map(([, message]) => message!) as [string, string];
  endpoint = PAID_ENDPOINTS.find(({ path }) => ask.startsWith(`POST ${path} HTTP/1.1\n`))!;
});

/** Sends what is in the text, as it is there. HTTP ends its lines in its own way, nothing else is changed. */
async function execute(message: string): Promise<{ status: number; head: string; body: Record<string, unknown> }> {
  const [head, body] = message.split('\n\n') as [string, string];
  const { hostname, port } = new URL(gateway.running.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`${head.replaceAll('\n', '\r\n')}\r\n\r\n${body}`);
  let answer = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    answer += String(chunk);
    const [start, rest] = answer.split('\r\n\r\n');
    const length = /content-length: (\d+)/i.exec(start!)?.[1];
    if (rest !== undefined && Buffer.byteLength(rest) >= Number(length)) break;
  }
  const [start, rest] = answer.split('\r\n\r\n') as [string, string];
  return { status: Number(start.split(' ')[1]), head: start, body: JSON.parse(rest) as Record<string, unknown> };
}

it('/llms.txt is a complete purchase: both requests work as written, with the payment filled in', async () => {
  expect(pay.split('\n').filter((line) => !line.startsWith('X-PAYMENT: '))).toEqual(ask.split('\n'));
  const offer = await execute(ask);
  const preflight = { valid: true };
  expect(offer).toMatchObject({ status: 402, body: { error: 'payment_required', extensions: { preflight } } });
  expect(offer.head).toMatch(/payment-required: /i);
  const payment = await gateway.aBuyer().sign({ endpoint });
  const paid = await execute(pay.replace(PAYMENT_PLACE, payment.header));
  expect([paid.status, paid.body]).toEqual([200, endpoint.exampleResult]);
  expect(paid.head).toMatch(/payment-response: /i);
  expect(gateway.callsAbout(payment.nonce)).toMatchObject({ settle: 1 });
});

it('has the prescribed form under 8 KB, every price, and links that answer', async () => {
  expect(text).toMatch(/^# Habit Reliability Analytics\n\n> \S/);
  expect(text).toMatch(/"value":"30000","validAfter":"0",[^]*Every member of authorization is a string/);
  expect(Buffer.byteLength(text.replaceAll(terms.baseUrl, `https://${'long.'.repeat(30)}example`))).toBeLessThan(8_192);
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(sections).toEqual(['Offer', 'Prices', 'How to pay', 'Rebate', 'Errors', 'Limits', 'Links']);
  for (const { path, priceMicros } of PAID_ENDPOINTS) {
    expect(text).toContain(`- POST ${path} ${(priceMicros / 1_000_000).toFixed(2)} USD. `);
  }
  const links = [...text.matchAll(/^- \[.+\]\((.+)\): .+$/gm)].map(([, address]) => address!);
  expect(links.length).toBeGreaterThan(5);
  for (const link of links) {
    expect([link, (await gateway.send(link.replace(terms.baseUrl, ''))).status]).toEqual([link, 200]);
  }
});
