import { hash } from '@node-rs/argon2';
import { Client } from 'pg';
import { type Cells, copyRows } from '../copy-table';
import {
  ENTITLEMENT_COLUMNS,
  HABIT_COLUMNS,
  LOG_COLUMNS,
  MadePerson,
  type PeopleOptions,
  USER_COLUMNS,
} from './made-people';

const TABLES = ['users', 'entitlements', 'habits', 'habit_logs'] as const;
/** As accounts has them. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface SeededPerson {
  id: string;
  email: string;
  /** The oldest of their habits. */
  habitId: string;
}

/**
 * Adds people to a database of accounts, behind those that were added before.
 * @throws Error with a sentence when the database is not one of accounts
 */
export async function seedPeople(url: string, options: PeopleOptions): Promise<SeededPerson[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const first = 1 + (await seededBefore(client));
    // Made again for each table: so memory holds one person at a time.
    function* people(): Generator<MadePerson> {
      for (let number = first; number < first + options.people; number++) yield new MadePerson(number, options);
    }
    function* rows(cellsOf: (person: MadePerson) => Iterable<Cells>): Generator<Cells> {
      for (const person of people()) yield* cellsOf(person);
    }
    const passwordHash = await hash(options.password.normalize('NFKC'), ARGON2);
    await copyRows(
      url,
      'users',
      USER_COLUMNS,
      rows((person) => [person.userCells(passwordHash)]),
    );
    await copyRows(
      url,
      'entitlements',
      ENTITLEMENT_COLUMNS,
      rows((person) => [person.entitlementCells()]),
    );
    await copyRows(
      url,
      'habits',
      HABIT_COLUMNS,
      rows((person) => person.habitCells()),
    );
    await copyRows(
      url,
      'habit_logs',
      LOG_COLUMNS,
      rows((person) => person.logCells()),
    );
    for (const table of TABLES) await client.query(`VACUUM (ANALYZE) ${table}`);
    return [...people()].map(({ id, email, habits }) => ({ id, email, habitId: habits[0]!.id }));
  } finally {
    await client.end();
  }
}

/** @returns how many there are already */
async function seededBefore(client: Client): Promise<number> {
  const { rows: missing } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL',
    [TABLES],
  );
  if (missing.length > 0) {
    throw new Error(`The database lacks ${missing[0]!.name}: run the migrations of accounts first.`);
  }
  const { rows } = await client.query<{ last: number }>(
    `SELECT coalesce(max(substring(email_key FROM '^seed-([0-9]{1,9})@example\\.com$')::integer), 0) AS last FROM users`,
  );
  return rows[0]!.last;
}
