import { fieldFile, LOOP_HABITS, loopDatabase, loopFacts } from '@evenkeel/habit-files/testing';
import { Accounts } from '../accounts.fixture';
import { HabitsOf } from '../habits/habits.fixture';
import { fileTransfer } from './transfer.fixture';

const accounts = Accounts.forSuite({}, { audited: true });

const { imported, exported, rowsOf } = fileTransfer(() => accounts);

const FORMATS = ['json', 'csv', 'loop'];
const fileOf = (names: readonly string[], day = '2026-01-05') =>
  `habit,date,value\n${names.map((name) => `${name},${day},1\n`).join('')}`;
const FOUR = [1, 2, 3, 4].map((n) => `Habit ${n}`);

async function somebody() {
  const person = await accounts.person();
  const of = new HabitsOf(accounts, person);
  const idOf = async (name: string) => (await of.list('?status=all')).find((habit) => habit.name === name)!.id;
  return { person, of, idOf };
}

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
  const [first, again] = [await imported(person, fieldFile(name)), await imported(person, fieldFile(name))];
  expect(first).toMatchObject({ habits: { created: habits }, logs: { created: logs } });
  expect(again).toMatchObject({ habits: { created: 0, matched: habits }, logs: { created: 0, duplicate: logs } });
  expect(await rowsOf(person)).toEqual({ habits, logs });
});

it('nine habits of a backup go into a free account and back as they were, and the report says why some are archived', async () => {
  const { person, of } = await somebody();
  const backup = await loopDatabase(25, 'UPDATE Habits SET color = id, position = 100 - id');
  const report = await imported(person, backup);
  expect(report.habits).toEqual({ created: 9, matched: 0, skipped: 0, archived: 6 });
  expect(report.notes.slice(-2)).toEqual([
    'Habits that arrive archived, as they are in the file: 1.',
    'Habits that arrive archived, as the plan has 3 active ones: 5. In exports they stay active.',
  ]);
  expect(await of.list()).toHaveLength(3);
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

it('a week whose numbers just reach the target of a backup is kept: no rounding takes it away', async () => {
  const { person, of } = await somebody();
  const at = (day: number) => Date.UTC(2026, 0, day);
  const pages = `UPDATE Habits SET freq_den = 7, target_value = 100 WHERE id = 7; DELETE FROM Habits WHERE id <> 7;
    DELETE FROM Repetitions; INSERT INTO Repetitions (habit, timestamp, value)
    VALUES (7, ${at(6)}, 11165), (7, ${at(9)}, 88835), (7, ${at(13)}, 11165), (7, ${at(16)}, 88834)`;
  await imported(person, await loopDatabase(25, pages));
  const [{ id } = { id: '' }] = await of.list();
  const { body } = await of.ask('GET', `/${id}/stats?from=2026-01-05&to=2026-01-18`);
  expect(body.weeks).toMatchObject([{ state: 'kept' }, { state: 'missed' }]);
});

it('a habit that its person archived after it had come back is archived in files', async () => {
  const { person, of, idOf } = await somebody();
  await imported(person, fileOf(FOUR));
  const fourth = await idOf('Habit 4');
  const archivedInFile = async () => {
    const { habits } = JSON.parse((await exported(person, 'json')).toString()) as { habits: { archived: boolean }[] };
    return habits.map(({ archived }) => archived);
  };
  await accounts.grantPremium(person.id);
  expect(await archivedInFile()).toEqual([false, false, false, false]);
  for (const step of ['unarchive', 'archive']) {
    accounts.clock.advanceMs(1_000);
    await of.ask('POST', `/${fourth}/${step}`);
    expect(await archivedInFile()).toEqual([false, false, false, step === 'archive']);
  }
});

it('logs of a habit that is archived, or over the cap of the plan, are rejects with the reason', async () => {
  const { person, of, idOf } = await somebody();
  await accounts.grantPremium(person.id);
  await imported(person, fileOf([...FOUR, 'Run']));
  await of.ask('POST', `/${await idOf('Run')}/archive`);
  await accounts.grantPremium(person.id, new Date('2026-01-30T12:00:00Z'));
  const { logs, rejects } = await imported(person, fileOf([...FOUR, 'Run'], '2026-01-06'));
  expect([logs, rejects]).toEqual([
    { created: 3, duplicate: 0, rejected: 2 },
    [
      {
        row: expect.stringMatching(/^Habit \d, 2026-01-06$/),
        reason: 'the habit is over the cap of the plan, and takes no logs',
      },
      { row: 'Run, 2026-01-06', reason: 'the habit is archived here, and takes no logs' },
    ],
  ]);
  expect((await of.log(await idOf(rejects[0]!.row.split(',')[0]!))).status).toBe(402);
});

it.each(FORMATS)('our own export of a log of now at +14:00 comes back as %s without a zone', async (format) => {
  const [{ person, of }, other] = [await somebody(), await accounts.person()];
  const ahead = new Date(accounts.clock.now().getTime() + 14 * 3_600_000).toISOString().replace('Z', '+14:00');
  expect((await of.log((await of.habit()).id, { occurredAt: ahead })).status).toBe(201);
  const bytes = await exported(person, format);
  expect(await imported(other, bytes)).toMatchObject({ logs: { created: 1, rejected: 0 }, rejects: [] });
  expect((await exported(other, format)).equals(bytes)).toBe(true);
});
