import { fieldFile, LOOP_HABITS, loopDatabase, loopFacts } from '@evenkeel/habit-files/testing';
import { audit } from '@evenkeel/ops/audit';
import { Accounts, type Person } from '../accounts.fixture';
import { fileTransfer } from './transfer.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());
afterEach(async () => expect(await audit(accounts.database.dataSource)).toEqual([]));

const { imported, exported, rowsOf } = fileTransfer(() => accounts);

const FORMATS = ['json', 'csv', 'loop'];

it.each([
  ['loop-names.zip', 3, 38],
  ['loop-selected.zip', 1, 14],
  ['loop-folder.zip', 1, 14],
  ['loop-backup.db.zip', 1, 14],
  ['loop-atmost.db', 1, 14],
  ['loop-weekly.db', 3, 43],
  ['loop-onechar.db', 1, 14],
  ['loop-magic-dd.zip', 1, 1],
  ['beaver.json', 2, 3],
  ['beaver-wrapped.json', 2, 3],
  ['dashes.csv', 5, 7],
])('%s brings %i habits with %i logs, once', async (name, habits, logs) => {
  const person = await accounts.person({ timezone: 'Europe/Madrid' });
  await accounts.grantPremium(person.id);
  expect(await imported(person, fieldFile(name))).toMatchObject({
    habits: { created: habits },
    logs: { created: logs },
  });
  expect(await imported(person, fieldFile(name))).toMatchObject({
    habits: { created: 0, matched: habits },
    logs: { created: 0, duplicate: logs },
  });
  expect(await rowsOf(person)).toEqual({ habits, logs });
});

const KINDS = ['loop-names.zip', 'loop-atmost.db', 'loop-weekly.db', 'beaver.json', 'dashes.csv'];

it.each(KINDS)('%s goes on into new accounts of both plans and out again as the same bytes', async (name) => {
  for (const format of FORMATS) {
    const [one, other] = [await accounts.person({ timezone: 'Asia/Tokyo' }), await accounts.person()];
    await accounts.grantPremium(one.id);
    await imported(one, fieldFile(name));
    const bytes = await exported(one, format);
    expect(await imported(other, bytes)).toMatchObject({ rejects: [] });
    expect((await exported(other, format)).equals(bytes)).toBe(true);
  }
});

it('nine habits of a backup go into a free account and back as they were, and the report says why some are archived', async () => {
  const person = await accounts.person({ timezone: 'Europe/Madrid' });
  const backup = await loopDatabase(25, 'UPDATE Habits SET color = id, position = 100 - id');
  const dry = await imported(person, backup, '?dry_run=true');
  expect(dry.habits).toEqual({ created: 9, matched: 0, skipped: 0, archived: 6 });
  expect(dry.notes.slice(-2)).toEqual([
    'Habits that arrive archived, as they are in the file: 1.',
    'Habits that arrive archived, as the plan has 3 active ones: 5. In exports they stay active.',
  ]);
  expect(await imported(person, backup)).toEqual({ ...dry, dry_run: false });
  const { body } = await accounts.ask('GET', '/v1/habits?status=all', { token: person.token });
  const statuses = (body.habits as { status: string }[]).map(({ status }) => status);
  expect(statuses.filter((status) => status === 'ACTIVE')).toHaveLength(3);
  const back = await loopFacts(await exported(person, 'loop'));
  const expected = LOOP_HABITS.map(({ id, name, num, den, archived = 0, text }) => ({
    name,
    archived,
    freq_num: num,
    freq_den: den,
    color: id,
    question: text === undefined ? '' : 'Did you walk?',
    description: text ?? '',
  }));
  expect(back).toEqual(expected.reverse());
});

it('a habit that its person archived after it had come back is archived in files', async () => {
  const person = await accounts.person();
  const csv = `habit,date,value\n${[1, 2, 3, 4].map((n) => `Habit ${n},2026-01-0${n},1`).join('\n')}\n`;
  await imported(person, csv);
  const { token } = person;
  const fourth = await habitNamed(person, 'Habit 4');
  const archivedInFile = async () => {
    const { habits } = JSON.parse((await exported(person, 'json')).toString()) as { habits: { archived: boolean }[] };
    return habits.map(({ archived }) => archived);
  };
  expect(await archivedInFile()).toEqual([false, false, false, false]);
  await accounts.grantPremium(person.id);
  for (const [step, archived] of [
    ['unarchive', false],
    ['archive', true],
  ] as const) {
    accounts.clock.advanceMs(1_000);
    expect((await accounts.ask('POST', `/v1/habits/${fourth}/${step}`, { token })).status).toBe(200);
    expect(await archivedInFile()).toEqual([false, false, false, archived]);
  }
});

async function habitNamed({ token }: Person, name: string): Promise<string> {
  const { body } = await accounts.ask('GET', '/v1/habits?status=all', { token });
  return (body.habits as { id: string; name: string }[]).find((habit) => habit.name === name)!.id;
}

describe('logs that POST refuses are rejects with the reason,', () => {
  const row = (habit: string, day: string) => `${habit},${day},1\n`;

  it('where their habit is archived', async () => {
    const person = await accounts.person();
    const before = `habit,date,value\n${row('Run', '2026-01-05')}`;
    await imported(person, before);
    const id = await habitNamed(person, 'Run');
    expect((await accounts.ask('POST', `/v1/habits/${id}/archive`, { token: person.token })).status).toBe(200);
    expect(await imported(person, before + row('Run', '2026-01-06'))).toMatchObject({
      logs: { created: 0, duplicate: 1, rejected: 1 },
      rejects: [{ row: 'Run, 2026-01-06', reason: 'the habit is archived here, and takes no logs' }],
    });
    expect(await rowsOf(person)).toEqual({ habits: 1, logs: 1 });
  });

  it('where their habit is over the cap of the plan', async () => {
    const person = await accounts.person();
    await accounts.grantPremium(person.id);
    const names = [1, 2, 3, 4].map((n) => `Habit ${n}`);
    const before = ['habit,date,value\n', ...names.map((name) => row(name, '2026-01-05'))].join('');
    await imported(person, before);
    await accounts.grantPremium(person.id, new Date('2026-01-30T12:00:00Z'));
    const later = before + names.map((name) => row(name, '2026-01-06')).join('');
    const report = await imported(person, later);
    expect(report.logs).toEqual({ created: 3, duplicate: 4, rejected: 1 });
    expect(report.rejects).toEqual([
      {
        row: expect.stringMatching(/^Habit \d, 2026-01-06$/),
        reason: 'the habit is over the cap of the plan, and takes no logs',
      },
    ]);
    const refused = await habitNamed(person, report.rejects[0]!.row.split(',')[0]!);
    const posted = await accounts.ask('POST', `/v1/habits/${refused}/logs`, {
      token: person.token,
      body: { occurredAt: '2026-01-06T08:00:00Z', status: 'COMPLETED' },
    });
    expect(posted.status).toBe(402);
  });
});

it.each(FORMATS)('our own export of a log of now at +14:00 comes back as %s without a zone', async (format) => {
  const [one, other] = [await accounts.person(), await accounts.person()];
  const { body } = await accounts.ask('POST', '/v1/habits', { token: one.token, body: { name: 'Run' } });
  const ahead = new Date(accounts.clock.now().getTime() + 14 * 3_600_000).toISOString().replace('Z', '+14:00');
  const log = await accounts.ask('POST', `/v1/habits/${String(body.id)}/logs`, {
    token: one.token,
    body: { occurredAt: ahead, status: 'COMPLETED' },
  });
  expect(log.status).toBe(201);
  const bytes = await exported(one, format);
  expect(await imported(other, bytes)).toMatchObject({ logs: { created: 1, rejected: 0 }, rejects: [] });
  expect((await exported(other, format)).equals(bytes)).toBe(true);
});
