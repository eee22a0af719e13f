import { clientOptions } from '@evenkeel/platform/persistence';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';

const PASSWORDS = ['password', 'currentPassword', 'newPassword'];
/** Words of somebody's own. */
const OWN_WORDS = ['note', 'displayName', 'description'];
/** Shorter ones are ordinary words, which stand elsewhere too. */
const LEAST_CHARACTERS = 12;
/** Of everybody whom a fixture makes up. */
const MADE_UP = 'a long password of ';
/** Refresh tokens, those of mails, and access tokens. */
const TOKEN = 'hr[rvp]_[A-Za-z0-9_-]{43}|eyJ[A-Za-z0-9_-]+[.]eyJ[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+';
const ADDRESS = '[A-Za-z0-9._+-]+@example[.](com|org|net)';
/** Tables in which somebody's own words are kept, and no others. */
const OF_PEOPLE = /^(users|habits|habit_logs.*|mails|mail_tokens|reset_requests|idempotency_keys|insights)$/;

/** The secrets that a suite gives the service (passwords, notes), and the lines that the service writes. */
export class GivenSecrets {
  private readonly passwords = new Set<string>([MADE_UP]);
  private readonly notes = new Set<string>();
  private readonly lines: string[] = [];
  readonly output = { write: (line: string) => void this.lines.push(line) };

  /** @param body of a request */
  tell(body: unknown): void {
    if (typeof body !== 'object' || body === null) return;
    for (const [name, value] of Object.entries(body)) {
      if (typeof value !== 'string') this.tell(value);
      else if (value.length < LEAST_CHARACTERS || new Set(value).size < 4) continue;
      else if (PASSWORDS.includes(name) && !value.startsWith(MADE_UP)) this.passwords.add(value);
      else if (OWN_WORDS.includes(name)) this.notes.add(value);
    }
  }

  /**
   * Passwords and tokens in any table, notes and addresses in one that is not for people's own words, and all of them in
   * lines of the log; nothing when all is well.
   */
  async found(dataSource: DataSource): Promise<string[]> {
    const tables = await dataSource.query<{ name: string }[]>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    const secret = [TOKEN, ...[...this.passwords].map(escaped)].join('|');
    const everything = [secret, ADDRESS, ...[...this.notes].map(escaped)].join('|');
    const searches = tables.map(({ name }) => {
      const pattern = OF_PEOPLE.test(name) ? '$1' : '$2';
      return `(SELECT '${name}' || ': ' || substring(t::text FROM ${pattern}) AS found FROM "${name}" t WHERE t::text ~ ${pattern} LIMIT 1)`;
    });
    // After a thousand sequences it takes longer than a statement of the service may.
    const client = new Client(clientOptions(dataSource.options));
    await client.connect();
    const text = searches.join(' UNION ALL ');
    const { rows } = await client
      .query<{ found: string }>(text, [`(${secret})`, `(${everything})`])
      .finally(() => client.end());
    const said = new RegExp(everything).exec(this.lines.join(''));
    return [...rows.map(({ found }) => found), ...(said ? [`log: ${said[0]}`] : [])];
  }
}

/** For patterns of PostgreSQL and of JavaScript. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
