import { randomBytes } from 'node:crypto';
import { newEs256Key } from '@evenkeel/platform/config';
import fc from 'fast-check';
import { Accounts } from '../accounts.fixture';

const DAY_MS = 86_400_000;
const SLIDES_MS = 30 * DAY_MS;
const LASTS_MS = 90 * DAY_MS;
const SEQUENCES = sized(25, 1_000);
const BOTH = [0, 1] as const;
type Client = (typeof BOTH)[number];

jest.setTimeout(60_000 + SEQUENCES * 1_000);

/** The answer to a client, with tokens by their position in the family. */
type Answer = { token: number } | { error: 'invalid_refresh_token' | 'refresh_token_reused' };

/** A model of a family of refresh tokens: its newest token is the one not yet used. */
interface Model {
  newest: number;
  isOver: boolean;
  expiresMs: number;
  begunMs: number;
}

const isLive = ({ isOver, expiresMs }: Model, nowMs: number) => !isOver && nowMs < expiresMs;

/** @param token the position of what is presented */
function refreshed(model: Model, token: number, nowMs: number): { answer: Answer; after: Model } {
  if (!isLive(model, nowMs)) return { answer: { error: 'invalid_refresh_token' }, after: model };
  if (token < model.newest - 1) return { answer: { error: 'refresh_token_reused' }, after: { ...model, isOver: true } };
  if (token < model.newest) return { answer: { token: model.newest }, after: model };
  const expiresMs = Math.min(nowMs + SLIDES_MS, model.begunMs + LASTS_MS);
  return { answer: { token: token + 1 }, after: { ...model, newest: token + 1, expiresMs } };
}

/** Two replicas of the service, one for each client. */
const keys = { JWT_KEYS: newEs256Key('test'), REFRESH_TOKEN_KEYS: `test:${randomBytes(32).toString('base64')}` };
afterAll(() => replicas[1].close());
const accounts = Accounts.forSuite(keys);
let replicas: readonly [Accounts, Accounts];
beforeAll(async () => {
  replicas = [accounts, await Accounts.start({ ...keys, DATABASE_URL: accounts.database.url })];
});

/** One session that two clients share, as two windows of an app do, or a person and a thief. */
class Family {
  private model: Model;
  private readonly tokens: string[];
  private accessToken: string;
  private readonly held: [number, number] = [0, 0];

  constructor(
    private readonly userId: string,
    first: { token: string; refreshToken: string },
  ) {
    const begunMs = this.nowMs;
    this.model = { newest: 0, isOver: false, expiresMs: begunMs + SLIDES_MS, begunMs };
    this.tokens = [first.refreshToken];
    this.accessToken = first.token;
  }

  private get nowMs(): number {
    return accounts.clock.now().getTime();
  }

  pass(durationMs: number): void {
    for (const { clock } of replicas) clock.advanceMs(durationMs);
  }

  /** @param arrives whether the client gets the answer */
  async refresh(client: Client, arrives: boolean): Promise<void> {
    const { answer, after } = refreshed(this.model, this.held[client], this.nowMs);
    expect(await this.ask(client)).toEqual(answer);
    this.model = after;
    if (arrives && 'token' in answer) this.held[client] = answer.token;
  }

  /** Either may be first. */
  async refreshTogether(): Promise<void> {
    const answers = await Promise.all(BOTH.map((client) => this.ask(client)));
    const orders = [BOTH, BOTH.toReversed()].map((order) => {
      const expected: Answer[] = [];
      let model = this.model;
      for (const client of order as Client[]) {
        const { answer, after } = refreshed(model, this.held[client], this.nowMs);
        expected[client] = answer;
        model = after;
      }
      return { expected, model };
    });
    const came = orders.find(({ expected }) => JSON.stringify(expected) === JSON.stringify(answers));
    expect(came ? answers : orders.map(({ expected }) => expected)).toEqual(answers);
    this.model = came!.model;
    for (const [client, answer] of answers.entries()) if ('token' in answer) this.held[client] = answer.token;
  }

  /** The client goes back to an older token: a backup, or what a thief has. */
  goBack(client: Client, by: number): void {
    this.held[client] = Math.max(0, this.held[client] - by);
  }

  async logout(): Promise<void> {
    const body = { refreshToken: this.tokens.at(-1) };
    expect((await replicas[1].ask('POST', '/v1/auth/logout', { body })).status).toBe(204);
    // A session whose time is over has nothing left to end.
    if (isLive(this.model, this.nowMs)) this.model = { ...this.model, isOver: true };
  }

  /** The last access token is valid exactly as long as the session lives and its own time has not passed. */
  async look(): Promise<void> {
    const { exp } = JSON.parse(Buffer.from(this.accessToken.split('.')[1]!, 'base64url').toString()) as { exp: number };
    const isValid = isLive(this.model, this.nowMs) && this.nowMs < (exp + 30) * 1_000;
    expect(await replicas[1].statusOf(this.accessToken)).toBe(isValid ? 200 : 401);
  }

  async end(): Promise<void> {
    const rows = await accounts.sql(
      `SELECT count(*) FILTER (WHERE t.used_at IS NULL AND t.revoked_at IS NULL)::integer AS live, count(*)::integer AS tokens
       FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE s.user_id = $1`,
      this.userId,
    );
    expect(rows).toEqual([{ live: this.model.isOver ? 0 : 1, tokens: this.model.newest + 1 }]);
  }

  private async ask(client: Client): Promise<Answer> {
    const body = { refreshToken: this.tokens[this.held[client]] };
    const reply = await replicas[client].ask('POST', '/v1/auth/refresh', { body });
    if (reply.status !== 200) return { error: reply.body.error } as Answer;
    const { refreshToken, accessToken } = reply.body as { refreshToken: string; accessToken: string };
    this.accessToken = accessToken;
    if (!this.tokens.includes(refreshToken)) this.tokens.push(refreshToken);
    return { token: this.tokens.indexOf(refreshToken) };
  }
}

const client = fc.constantFrom(...BOTH);
const duration = fc.constantFrom(1_000, 11_000, 1_000_000, DAY_MS, 20 * DAY_MS);
const back = fc.tuple(client, fc.integer({ min: 1, max: 3 }));
const step: fc.Arbitrary<(family: Family) => unknown> = fc.oneof(
  { weight: 6, arbitrary: client.map((one) => (family: Family) => family.refresh(one, true)) },
  { weight: 2, arbitrary: client.map((one) => (family: Family) => family.refresh(one, false)) },
  { weight: 3, arbitrary: fc.constant((family: Family) => family.refreshTogether()) },
  { weight: 1, arbitrary: back.map((by) => (family: Family) => family.goBack(...by)) },
  { weight: 3, arbitrary: duration.map((ms) => (family: Family) => family.pass(ms)) },
  { weight: 2, arbitrary: fc.constant((family: Family) => family.look()) },
  { weight: 1, arbitrary: fc.constant((family: Family) => family.logout()) },
);

it(`answers two clients as the model says, through ${SEQUENCES} sequences`, async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
    const person = await accounts.person();
    const family = new Family(person.id, person);
    for (const take of steps) await take(family);
    await family.look();
    await family.end();
  });
  await fc.assert(property, { numRuns: SEQUENCES });
});
