import { missingLogs, namesInFiles, readHabitFile, type FileLog, type HabitToWrite } from '@evenkeel/habit-files';
import { matchHabits } from './account-habits';

const LAST_DAY = '2026-11-21';

function knownOf<Habit extends HabitToWrite>(habits: readonly Habit[]) {
  const names = namesInFiles(habits);
  return habits.map((habit) => ({ ...habit, inFiles: names.get(habit)! }));
}

describe('habits', () => {
  const habit = (name: string, sourceId: string | null = null, start = '2026-01-05'): HabitToWrite => ({
    sourceId,
    name,
    description: null,
    category: null,
    start,
    createdOn: null,
    archived: false,
    logs: [],
    cadence: 'DAILY',
    targetPerWeek: 7,
    targetDaysMask: 127,
    question: null,
    interval: null,
    order: null,
    color: null,
  });
  const fileOf = async (text: string) => readHabitFile(Buffer.from(text), { lastDay: LAST_DAY });
  const csv = (...names: string[]) =>
    fileOf(`habit,date,value\n${names.map((name) => `${name},2026-01-05,1\n`).join('')}`);
  const json = (...habits: object[]) => fileOf(JSON.stringify({ habits }));

  /** Which of the habits of the account each of the file is, by its place. */
  async function matched(file: Awaited<ReturnType<typeof fileOf>>, habits: readonly HabitToWrite[]) {
    const known = knownOf(habits);
    const matches = matchHabits(file, known);
    return file.habits.map((one) => known.indexOf(matches.get(one)!));
  }

  it('of one name are distinguished, and none is taken twice', async () => {
    const twins = [habit('Run'), habit('Run', null, '2026-01-06')];
    expect(await matched(await json({ name: 'Run' }, { name: 'Run' }, { name: 'Run' }), twins)).toEqual([0, 1, -1]);
    expect(await matched(await csv('Run (2)', 'Run', 'Run (3)'), twins)).toEqual([1, 0, -1]);
  });

  it('that came from a file are found under another name', async () => {
    expect(await matched(await csv('Run'), [habit('Jog', '1:Run'), habit('Run')])).toEqual([0]);
    expect(await matched(await csv('Jog', 'Run (2)'), [habit('Jog', '1:Run'), habit('Run')])).toEqual([0, 1]);
  });

  it('with an id that says more than a name are not those of another file', async () => {
    const file = await json({ sourceId: 'a', name: 'Run' });
    expect(await matched(file, [habit('Run', 'b')])).toEqual([-1]);
    expect(await matched(file, [habit('Run')])).toEqual([0]);
  });
});

describe('logs', () => {
  const aLog = (sourceId: string, localDate: string, occurredAt: string | null): FileLog => ({
    sourceId,
    localDate,
    occurredAt,
    status: 'COMPLETED',
    completionRate: 1,
    contextTags: [],
    note: null,
    durationMinutes: null,
    moodScore: null,
    energyScore: null,
    stressScore: null,
  });
  const byHand = (occurredAt: string) => ({ sourceId: null, localDate: occurredAt.slice(0, 10), occurredAt });
  const missing = (logs: FileLog[], known: Parameters<typeof missingLogs>[1]) =>
    missingLogs(logs, known, '1:Run').map(({ sourceId }) => sourceId);
  const [FIRST, SECOND] = ['1:Run/2026-01-05', '1:Run/2026-01-05/2'];

  it('of days alone are there when the day has as many', () => {
    const day = [FIRST, SECOND].map((id) => aLog(id, '2026-01-05', null));
    expect(missing(day, [byHand('2026-01-05T07:00:00.000Z')])).toEqual([SECOND]);
    expect(missing(day, [{ ...byHand('2026-01-05T07:00:00.000Z'), sourceId: 'x' }])).toEqual([SECOND]);
    expect(missing(day, [byHand('2026-01-06T07:00:00.000Z')])).toEqual([FIRST, SECOND]);
  });

  it('made by hand are found by their instants, and the one that was deleted comes back', () => {
    const file = [
      aLog(FIRST, '2026-01-05', '2026-01-05T07:00:00.000Z'),
      aLog(SECOND, '2026-01-05', '2026-01-05T19:00:00.000Z'),
    ];
    expect(missing(file, [byHand('2026-01-05T19:00:00.000Z')])).toEqual([FIRST]);
  });

  it('made by hand whose instant was corrected are found by the ids of exports', () => {
    const file = [aLog(FIRST, '2026-01-05', '2026-01-05T07:00:00.000Z')];
    expect(missing(file, [byHand('2026-01-05T08:30:00.000Z')])).toEqual([]);
    expect(missing(file, [{ ...byHand('2026-01-05T08:30:00.000Z'), sourceId: 'x' }])).toEqual([FIRST]);
  });

  it('of a source are found on another day', () => {
    const moved = { sourceId: FIRST, localDate: '2026-01-07', occurredAt: '2026-01-07T12:00:00.000Z' };
    for (const occurredAt of [null, '2026-01-05T12:00:00.000Z']) {
      expect(missing([aLog(FIRST, '2026-01-05', occurredAt)], [moved])).toEqual([]);
    }
    expect(missing([aLog('1:Run/2026-01-07', '2026-01-07', null)], [moved])).toEqual([]);
  });
});
