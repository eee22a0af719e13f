import { randomBytes } from 'node:crypto';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { Accounts } from '../accounts.fixture';
import { HungServer, MailServer } from './mail-server.fixture';
import { SendMails } from './send-mails';

/** For so long a mail belongs to the process that took it. */
const TAKEN_MS = 20_000;
const [OLD_KEY, NEW_KEY] = ['old', 'new'].map((kid) => `${kid}:${randomBytes(32).toString('base64')}`);

let mails: MailServer;
let port: number;
beforeAll(async () => {
  mails = await MailServer.start();
  port = Number(new URL(mails.url).port);
});
const accounts = Accounts.forSuite(() => ({ SMTP_URL: mails.url, REFRESH_TOKEN_KEYS: OLD_KEY }));
afterAll(() => mails.stop());
beforeEach(() => {
  mails.refusal = undefined;
  mails.received.length = 0;
});
afterEach(() => accounts.sql('DELETE FROM mails'));

interface Waiting {
  attempts: number;
  send_at: Date;
}

const waiting = () => accounts.sql<Waiting>('SELECT attempts, send_at FROM mails ORDER BY id');
/** Whether a process is sending it. */
const isTaken = ({ send_at: at }: Waiting) => at.getTime() === accounts.clock.now().getTime() + TAKEN_MS;
/** Until all mails were tried so often, and belong to no process any more. */
const tried = (times: number) =>
  eventually(
    async () => {
      const rows = await waiting();
      return rows.length > 0 && rows.every((mail) => mail.attempts === times && !isTaken(mail));
    },
    { withinMs: 20_000 },
  );
const allSent = () => eventually(async () => expect(await waiting()).toEqual([]));
/** Another process of the service, a second later, once the server takes mails again. */
const beside = (keys: string | undefined, work: (other: Accounts) => Promise<unknown>) =>
  accounts.beside({ SMTP_URL: mails.url, REFRESH_TOKEN_KEYS: keys }, async (other) => {
    mails.refusal = undefined;
    other.clock.set(new Date(accounts.clock.now().getTime() + 1_000));
    await work(other);
  });
const senderOf = ({ app }: Accounts) => app.get(SendMails, { strict: false });

it('sends what a killed server did not take, once it is there again, and leaves nothing of it', async () => {
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
  await eventually(async () => (await waiting()).some((mail) => mail.attempts === 1 && !isTaken(mail)));
  await hung.stop();
  mails = await MailServer.start(port);
  // The pause after a try that the hung server has cut off begins before time goes on.
  await eventually(async () => !(await waiting()).some(isTaken));
  accounts.clock.advanceMs(TAKEN_MS + 1);
  await mails.next(email, 1);
  await allSent();
  const subjects = mails.to(email).map(({ headers }) => headers['subject']);
  expect(subjects.sort()).toEqual(['Choose a new password', 'Confirm your email address']);
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
    await accounts.sql('UPDATE mails SET send_at = $1', accounts.clock.now());
  }
});

it('is given up after 48 hours', async () => {
  mails.refusal = 451;
  await accounts.person();
  await tried(1);
  for (const [ms, left] of [
    [48 * 3_600_000 - 1, 1],
    [1, 0],
  ] as const) {
    accounts.clock.advanceMs(ms);
    await senderOf(accounts).eraseOld();
    expect(await waiting()).toHaveLength(left);
  }
});

it('is sent by one of several processes', async () => {
  mails.refusal = 451;
  const people = await Promise.all(Array.from({ length: 12 }, () => accounts.person()));
  await tried(1);
  await beside(OLD_KEY, async (second) => {
    accounts.clock.advanceMs(1_000);
    const senders = [accounts, second].map(senderOf);
    await Promise.all(senders.flatMap((sender) => [sender.execute(), sender.execute(), sender.execute()]));
    await allSent();
    expect(mails.received.map(({ to }) => to).sort()).toEqual(people.map(({ email }) => email).sort());
  });
});

it('has a link that works whichever keys were added while it waited, and is not sent when its key is gone', async () => {
  for (const keys of [`${NEW_KEY},${OLD_KEY}`, NEW_KEY]) {
    mails.refusal = 451;
    const { email } = await accounts.person();
    await tried(1);
    await beside(keys, async (rotated) => {
      await allSent();
      const [mail] = mails.to(email);
      const body = { token: mail?.token };
      const status = mail ? (await rotated.ask('POST', '/v1/auth/email/verify', { body })).status : 'not sent';
      expect(status).toBe(keys === NEW_KEY ? 'not sent' : 200);
    });
  }
});

it('goes to nobody who is deleted', async () => {
  mails.refusal = 451;
  const { id } = await accounts.person();
  await tried(1);
  mails.refusal = undefined;
  const forgotten = 'email = NULL, email_key = NULL, password_hash = NULL';
  await accounts.sql(`UPDATE users SET deleted_at = $2, ${forgotten} WHERE id = $1`, id, accounts.clock.now());
  const other = await accounts.person();
  accounts.clock.advanceMs(600_000);
  await mails.next(other.email);
  expect(mails.received).toHaveLength(1);
});
