import { randomBytes } from 'node:crypto';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { Accounts } from '../accounts.fixture';
import { HungServer, MailServer } from './mail-server.fixture';
import { SendMails, WaitingMails } from './send-mails';

/** For so long a mail belongs to the process that took it. */
const TAKEN_MS = 20_000;

const [OLD_KEY, NEW_KEY] = ['old', 'new'].map((kid) => `${kid}:${randomBytes(32).toString('base64')}`);

let port: number;
let mails: MailServer;
let accounts: Accounts;
beforeAll(async () => {
  mails = await MailServer.start();
  port = Number(new URL(mails.url).port);
  accounts = await Accounts.start({ SMTP_URL: mails.url, REFRESH_TOKEN_KEYS: OLD_KEY });
});
beforeEach(() => {
  mails.refusal = undefined;
  mails.received.length = 0;
});
afterEach(() => rows('DELETE FROM mails'));
afterAll(async () => {
  await accounts.close();
  await mails.stop();
});

interface Waiting {
  attempts: number;
  send_at: Date;
}

const rows = <Row>(sql: string, ...values: unknown[]) => accounts.database.dataSource.query<Row[]>(sql, values);
const waiting = () => rows<Waiting>('SELECT attempts, send_at FROM mails ORDER BY id');
/** Whether a process is sending it. */
const isTaken = ({ send_at: at }: Waiting) => at.getTime() === accounts.clock.now().getTime() + TAKEN_MS;
/** How many mails were tried so often, and belong to no process any more. */
const free = async (times = 1) => (await waiting()).filter((mail) => mail.attempts === times && !isTaken(mail)).length;
const tried = (times: number) =>
  eventually(async () => (await waiting()).length > 0 && (await free(times)) === (await waiting()).length, {
    withinMs: 20_000,
  });
/** Another process of the service, over the same database. */
const beside = (keys?: string) =>
  Accounts.start({ SMTP_URL: mails.url, DATABASE_URL: accounts.database.url, REFRESH_TOKEN_KEYS: keys });
const allSent = () => eventually(async () => (await waiting()).length === 0, { withinMs: 10_000 });

it('leaves nothing of a mail that is sent', async () => {
  const { email } = await accounts.person();
  await mails.next(email);
  await allSent();
});

it('sends what a killed server did not take, once it is there again', async () => {
  await mails.stop();
  const people = [await accounts.person(), await accounts.person()];
  await tried(1);
  expect((await scrape(accounts.running.internalUrl)).value('evenkeel_mails_waiting', { service: 'test' })).toBe(2);
  mails = await MailServer.start(port);
  accounts.clock.advanceMs(1_000);
  for (const { email } of people) await mails.next(email);
  await allSent();
  expect(mails.received).toHaveLength(2);
});

it('answers as ever while a server hangs, and sends later', async () => {
  await mails.stop();
  const hung = await HungServer.start(port);
  const { email } = await accounts.person();
  await eventually(() => hung.sockets.length > 0);
  expect((await accounts.ask('POST', '/v1/auth/password/forgot', { body: { email } })).status).toBe(202);
  await eventually(async () => (await waiting()).length === 2);
  // Its time is over while the server still has its connection.
  await eventually(async () => (await free()) > 0, { withinMs: 15_000 });
  await hung.stop();
  mails = await MailServer.start(port);
  // The pause after a try that the hung server has cut off begins before time goes on.
  await eventually(async () => !(await waiting()).some(isTaken));
  accounts.clock.advanceMs(TAKEN_MS + 1);
  await mails.next(email, 1);
  await allSent();
  expect(
    mails
      .to(email)
      .map(({ headers }) => headers['subject'])
      .sort(),
  ).toEqual(['Choose a new password', 'Confirm your email address']);
});

it('waits twice as long after each try, ten minutes at most', async () => {
  mails.refusal = 451;
  await accounts.person();
  for (const [times, seconds] of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600].entries()) {
    await tried(times + 1);
    const [{ send_at: at }] = (await waiting()) as [Waiting];
    const pause = (at.getTime() - accounts.clock.now().getTime()) / 1_000;
    expect(pause).toBeGreaterThanOrEqual(seconds / 2);
    expect(pause).toBeLessThanOrEqual(seconds);
    // As if the pause was over, and no other time had passed.
    await rows('UPDATE mails SET send_at = $1', accounts.clock.now());
  }
});

it('is given up after 48 hours', async () => {
  mails.refusal = 451;
  await accounts.person();
  await tried(1);
  const written = accounts.app.get(WaitingMails, { strict: false });
  accounts.clock.advanceMs(48 * 3_600_000 - 1);
  await written.eraseOld();
  expect(await waiting()).toHaveLength(1);
  accounts.clock.advanceMs(1);
  await written.eraseOld();
  expect(await waiting()).toEqual([]);
});

it('is sent by one of several processes', async () => {
  mails.refusal = 451;
  const people = await Promise.all(Array.from({ length: 12 }, () => accounts.person()));
  await tried(1);
  mails.refusal = undefined;
  const second = await beside(OLD_KEY);
  try {
    accounts.clock.advanceMs(1_000);
    second.clock.set(accounts.clock.now());
    const senders = [accounts, second].map(({ app }) => app.get(SendMails, { strict: false }));
    await Promise.all(senders.flatMap((sender) => [sender.execute(), sender.execute(), sender.execute()]));
    await allSent();
    expect(mails.received.map(({ to }) => to).sort()).toEqual(people.map(({ email }) => email).sort());
  } finally {
    await second.close();
  }
});

it('has a link that works, whichever keys were added while it waited', async () => {
  mails.refusal = 451;
  const { email } = await accounts.person();
  await tried(1);
  const rotated = await beside(`${NEW_KEY},${OLD_KEY}`);
  try {
    mails.refusal = undefined;
    rotated.clock.set(new Date(accounts.clock.now().getTime() + 1_000));
    const { token } = await mails.next(email);
    expect(await rotated.ask('POST', '/v1/auth/email/verify', { body: { token } })).toMatchObject({ status: 200 });
  } finally {
    await rotated.close();
  }
});

it('is not sent when the key of its link is gone', async () => {
  mails.refusal = 451;
  const { email } = await accounts.person();
  await tried(1);
  const rotated = await beside(NEW_KEY);
  try {
    mails.refusal = undefined;
    rotated.clock.set(new Date(accounts.clock.now().getTime() + 1_000));
    await allSent();
    expect(mails.to(email)).toEqual([]);
  } finally {
    await rotated.close();
  }
});

it('writes nothing to somebody who is deleted', async () => {
  mails.refusal = 451;
  const { id } = await accounts.person();
  await tried(1);
  mails.refusal = undefined;
  await rows(
    'UPDATE users SET deleted_at = $2, email = NULL, email_key = NULL, password_hash = NULL WHERE id = $1',
    ...[id, accounts.clock.now()],
  );
  const other = await accounts.person();
  accounts.clock.advanceMs(600_000);
  await mails.next(other.email);
  expect(mails.received).toHaveLength(1);
});
