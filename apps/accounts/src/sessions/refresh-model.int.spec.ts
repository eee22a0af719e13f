import { randomBytes } from 'node:crypto';
import { newEs256Key } from '@evenkeel/platform/config';
import fc from 'fast-check';
import { Accounts, type Person } from '../accounts.fixture';

const DAY_MS = 86_400_000;
const SLIDES_MS = 30 * DAY_MS;
const LASTS_MS = 90 * DAY_MS;

/** The answer to a client, with tokens by their position in the family. */
type Answer = { token: number } | { error: 'invalid_refresh_token' | 'refresh_token_reused' };

/** A model of a family of refresh tokens: its newest token is the one not yet used. */
class FamilyModel {
  private constructor(
    readonly newest: number,
    readonly isOver: boolean,
    private readonly expiresMs: number,
    private readonly begunMs: number,
  ) {}

  static begin(nowMs: number): FamilyModel {
    return new FamilyModel(0, false, nowMs + SLIDES_MS, nowMs);
  }

  isLive(nowMs: number): boolean {
    return !this.isOver && nowMs < this.expiresMs;
  }

  end(): FamilyModel {
    return new FamilyModel(this.newest, true, this.expiresMs, this.begunMs);
  }

  /** @param token the place of what is presented */
  refresh(token: number, nowMs: number): { answer: Answer; after: FamilyModel } {
    if (!this.isLive(nowMs)) return { answer: { error: 'invalid_refresh_token' }, after: this };
    if (token < this.newest - 1) return { answer: { error: 'refresh_token_reused' }, after: this.end() };
    if (token < this.newest) return { answer: { token: this.newest }, after: this };
    const expiresMs = Math.min(nowMs + SLIDES_MS, this.begunMs + LASTS_MS);
    return {
      answer: { token: token + 1 },
      after: new FamilyModel(token + 1, false, expiresMs, this.begunMs),
    };
  }
}

const SEQUENCES = sized(25, 1_000);
const BOTH = [0, 1] as const;

jest.setTimeout(60_000 + SEQUENCES * 1_000);

/** Two replicas of the service, one for each client. */
let replicas: [Accounts, Accounts];
beforeAll(async () => {
  const keys = { JWT_KEYS: newEs256Key('test'), REFRESH_TOKEN_KEYS: `test:${randomBytes(32).toString('base64')}` };
  const first = await Accounts.start(keys);
  replicas = [first, await Accounts.start({ ...keys, DATABASE_URL: first.database.url })];
});
afterAll(async () => {
  for (const replica of replicas.toReversed()) await replica.close();
});

/** One session that two clients share, as two windows of an app do, or a person and a thief. */
class Family {
  model: FamilyModel;
  private readonly tokens: string[];
  private accessToken: string;
  private readonly held: [number, number] = [0, 0];

  private constructor(private readonly person: Person) {
    this.model = FamilyModel.begin(this.nowMs);
    this.tokens = [person.refreshToken];
    this.accessToken = person.token;
  }

  static async begin(): Promise<Family> {
    return new Family(await replicas[0].person());
  }

  get nowMs(): number {
    return replicas[0].clock.now().getTime();
  }

  pass(durationMs: number): void {
    for (const { clock } of replicas) clock.advanceMs(durationMs);
  }

  /** @param arrives whether the client gets the answer */
  async refresh(client: 0 | 1, arrives: boolean): Promise<void> {
    const { answer, after } = this.model.refresh(this.held[client], this.nowMs);
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
      for (const client of order as (0 | 1)[]) {
        const { answer, after } = model.refresh(this.held[client], this.nowMs);
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
  goBack(client: 0 | 1, by: number): void {
    this.held[client] = Math.max(0, this.held[client] - by);
  }

  async logout(): Promise<void> {
    const body = { refreshToken: this.tokens.at(-1) };
    expect((await replicas[1].ask('POST', '/v1/auth/logout', { body })).status).toBe(204);
    // A session whose time is over has nothing left to end.
    if (this.model.isLive(this.nowMs)) this.model = this.model.end();
  }

  /** The last access token is valid exactly as long as the session lives and its own time has not passed. */
  async look(): Promise<void> {
    const [, claims] = this.accessToken.split('.');
    const { exp } = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as { exp: number };
    const counts = this.model.isLive(this.nowMs) && this.nowMs < (exp + 30) * 1_000;
    const { status } = await replicas[1].ask('GET', '/v1/auth/me', { token: this.accessToken });
    expect(status).toBe(counts ? 200 : 401);
  }

  async end(): Promise<void> {
    const rows = await replicas[0].database.dataSource.query<{ live: number }[]>(
      `SELECT count(*) FILTER (WHERE t.used_at IS NULL AND t.revoked_at IS NULL)::integer AS live, count(*)::integer AS tokens
       FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE s.user_id = $1`,
      [this.person.id],
    );
    expect(rows).toEqual([{ live: this.model.isOver ? 0 : 1, tokens: this.model.newest + 1 }]);
  }

  private async ask(client: 0 | 1): Promise<Answer> {
    const body = { refreshToken: this.tokens[this.held[client]] };
    const reply = await replicas[client].ask('POST', '/v1/auth/refresh', { body });
    if (reply.status !== 200) return { error: reply.body.error } as Answer;
    const { refreshToken, accessToken } = reply.body as { refreshToken: string; accessToken: string };
    this.accessToken = accessToken;
    if (!this.tokens.includes(refreshToken)) this.tokens.push(refreshToken);
    return { token: this.tokens.indexOf(refreshToken) };
  }
}

type Step = (family: Family) => unknown;
const client = fc.constantFrom(...BOTH);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: client.map((one) => (family: Family) => family.refresh(one, true)) },
  { weight: 2, arbitrary: client.map((one) => (family: Family) => family.refresh(one, false)) },
  { weight: 3, arbitrary: fc.constant((family: Family) => family.refreshTogether()) },
  {
    weight: 1,
    arbitrary: fc.tuple(client, fc.integer({ min: 1, max: 3 })).map(
      ([one, by]) =>
        (family: Family) =>
          family.goBack(one, by),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(1_000, 11_000, 1_000_000, DAY_MS, 20 * DAY_MS)
      .map((ms) => (family: Family) => family.pass(ms)),
  },
  { weight: 2, arbitrary: fc.constant((family: Family) => family.look()) },
  { weight: 1, arbitrary: fc.constant((family: Family) => family.logout()) },
);

it(`answers two clients as the model says, through ${SEQUENCES} sequences`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const family = await Family.begin();
      for (const take of steps) await take(family);
      await family.look();
      await family.end();
    }),
    { numRuns: SEQUENCES },
  );
});
