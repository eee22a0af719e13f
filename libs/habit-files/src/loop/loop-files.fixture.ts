import { strToU8, Zip, ZipDeflate, zipSync, type Zippable } from 'fflate';
import initSqlJs, { type SqlValue } from 'sql.js';

export const DAY_MS = 86_400_000;
export const FIRST_MS = Date.UTC(2026, 0, 5);

/** A habit of every kind that the tracker knows, with what is done of it: a value a day, undefined without an entry. */
export const LOOP_HABITS = [
  { id: 1, name: 'Walk', num: 1, den: 1, values: [2, 2, 0, 3, -1, 1, 2], text: 'round the lake' },
  { id: 2, name: 'Swim', num: 3, den: 7, values: [2, undefined, 2] },
  { id: 3, name: 'Call home', num: 1, den: 7, values: [2] },
  { id: 4, name: 'Stretch', num: 7, den: 7, values: [2, 2] },
  { id: 5, name: 'Water plants', num: 1, den: 10, values: [2] },
  { id: 6, name: 'Budget', num: 2, den: 30, values: [2] },
  { id: 7, name: 'Pages', num: 1, den: 1, type: 1, target: 20, unit: 'pages', values: [20_000, 5_000, 0, -1, 3] },
  { id: 8, name: 'Coffee', num: 1, den: 1, type: 1, targetType: 1, target: 2, values: [2_000, 4_000] },
  { id: 9, name: 'Old one', num: 1, den: 1, archived: 1, values: [2] },
];

/** A backup as version `version` wrote it; `extra` runs afterwards. */
export async function loopDatabase(version: number, extra = ''): Promise<Uint8Array> {
  const sql = await initSqlJs();
  const database = new sql.Database();
  const optional = [
    [16, 'type integer, target_type integer, target_value real, unit text'],
    [23, 'question text'],
    [24, 'uuid text'],
  ] as const;
  const added = optional.flatMap(([since, columns]) => (version >= since ? [`, ${columns}`] : []));
  database.run(
    `CREATE TABLE Habits (id integer primary key, name text, description text, freq_num integer, freq_den integer,
     archived integer, position integer, color integer, highlight integer, reminder_hour integer, reminder_min integer,
     reminder_days integer${added.join('')})`,
  );
  const value = version >= 10 ? ', value integer' : '';
  const notes = version >= 25 ? ', notes text' : '';
  const unique = version >= 22 ? ', unique (habit, timestamp)' : '';
  database.run(
    `CREATE TABLE Repetitions (id integer primary key, habit integer, timestamp integer${value}${notes}${unique})`,
  );
  database.run(`CREATE TABLE android_metadata (locale text); PRAGMA user_version = ${version}`);
  for (const habit of LOOP_HABITS) {
    const isNumber = habit.type === 1;
    if (isNumber && version < 16) continue;
    insert(database, 'Habits', {
      id: habit.id,
      name: habit.name,
      freq_num: habit.num,
      freq_den: habit.den,
      archived: habit.archived ?? 0,
      position: habit.id - 1,
      color: 8,
      highlight: 0,
      ...(habit.id === 1 && { reminder_hour: 8, reminder_min: 30, reminder_days: 127 }),
      ...(version >= 16 && {
        type: habit.type ?? 0,
        target_type: habit.targetType ?? 0,
        target_value: habit.target ?? 0,
        unit: habit.unit ?? '',
      }),
      ...(habit.text !== undefined && { description: habit.text }),
      ...(habit.text !== undefined && version >= 23 && { question: 'Did you walk?' }),
      ...(version >= 24 && { uuid: `00${habit.id}` }),
    });
    habit.values.forEach((given, day) => {
      if (given === undefined || (version < 10 && given !== 2)) return;
      const row = { habit: habit.id, timestamp: FIRST_MS + day * DAY_MS };
      insert(database, 'Repetitions', {
        ...row,
        ...(version >= 10 && { value: given }),
        ...(version >= 25 && habit.id === 1 && day === 0 && { notes: 'in the rain' }),
      });
    });
  }
  if (extra !== '') database.run(extra);
  const bytes = database.export();
  database.close();
  return bytes;
}

/** Of a day of a daily habit: done, missed and said so, filled in by the tracker, no entry. */
export type LoopMark = 'd' | 'm' | 'a' | '-';

const VALUES: Readonly<Record<LoopMark, number | undefined>> = { d: 2, m: 0, a: 1, '-': undefined };

/** SQL of a daily habit with these marks, from the first day on. */
export function markedHabit(name: string, marks: readonly LoopMark[]): string {
  const rows = marks.flatMap((mark, day) =>
    VALUES[mark] === undefined ? [] : [`(50, ${FIRST_MS + day * DAY_MS}, ${VALUES[mark]})`],
  );
  return `INSERT INTO Habits (id, name, freq_num, freq_den) VALUES (50, '${name}', 1, 1);
    INSERT INTO Repetitions (habit, timestamp, value) VALUES ${rows.join()}`;
}

/** The tracker's figures of a daily habit: its strength, its best streak, and the current one. */
export function asLoopCounts(marks: readonly LoopMark[]): { strength: number; best: number; current: number } {
  let [best, streak] = [0, 0];
  for (const mark of marks) {
    streak = mark === 'd' ? streak + 1 : 0;
    best = Math.max(best, streak);
  }
  return { strength: loopStrength(marks.map((mark) => (mark === 'd' ? 1 : 0))), best, current: streak };
}

/** @param values of the days of a daily habit, 0 to 1 */
function loopStrength(values: readonly number[]): number {
  const kept = 0.5 ** (Math.sqrt(1) / 13);
  return values.reduce((strength, value) => strength * kept + value * (1 - kept), 0);
}

function insert(database: { run: (sql: string, values: SqlValue[]) => unknown }, table: string, row: object): void {
  const places = Object.keys(row).map(() => '?');
  database.run(
    `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${places.join()})`,
    Object.values(row) as SqlValue[],
  );
}

const HABITS_HEAD =
  'Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,Unit,Target Type,Target Value,Archived?';

/** The CSV export of the same kinds of habits. */
export const LOOP_ZIP: Readonly<Record<string, string>> = {
  'Habits.csv': [
    HABITS_HEAD,
    '001,"Walk, far",YES_NO,Did you walk?,,1,1,#FF8F00,,,,false',
    '002,Pages,NUMERICAL,,,1,1,#FF8F00,pages,AT_LEAST,20.0,false',
    '003,Swim,YES_NO,,,3,7,#FF8F00,,,,true',
  ].join('\n'),
  'Checkmarks.csv': 'Date,Walk,Pages,Swim,\n',
  'Scores.csv': 'Date,Walk,Pages,Swim,\n',
  '001 Walk far/Checkmarks.csv':
    'Date,Value,Notes\n2026-01-09,UNKNOWN,\n2026-01-08,SKIP,"a\nnote"\n2026-01-07,NO,\n2026-01-06,YES_AUTO,\n2026-01-05,YES_MANUAL,\n',
  '001 Walk far/Scores.csv': 'Date,Score\n',
  '002 Pages/Checkmarks.csv': 'Date,Value,Notes\n2026-01-06,5000,\n2026-01-05,20000,\n',
  '003 Swim/Checkmarks.csv': '2026-01-07,2\n2026-01-06,0\n2026-01-05,1\n2026-01-04,2\n',
};

export function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const zippable: Zippable = {};
  for (const [path, file] of Object.entries(files)) zippable[path] = typeof file === 'string' ? strToU8(file) : file;
  return zipSync(zippable);
}

/** As Java writes it: the sizes come after the data. */
export function streamedZipOf(files: Readonly<Record<string, string>>): Uint8Array {
  const parts: Uint8Array[] = [];
  const zip = new Zip((error, data) => {
    if (error) throw error;
    parts.push(data);
  });
  for (const [path, text] of Object.entries(files)) {
    const file = new ZipDeflate(path);
    zip.add(file);
    file.push(strToU8(text), true);
  }
  zip.end();
  return Uint8Array.from(Buffer.concat(parts));
}

/** A habit as the tracker keeps it, with the values of its first days. */
export interface TrackedHabit {
  readonly name: string;
  readonly question: string;
  readonly description: string;
  readonly times: number;
  readonly days: number;
  readonly color: number;
  readonly archived: boolean;
  readonly number: { readonly atMost: boolean; readonly target: number; readonly unit: string } | null;
  readonly values: readonly { readonly value: number | undefined; readonly note: string }[];
}

const WORDS: Readonly<Record<number, string>> = { [-1]: 'UNKNOWN', 0: 'NO', 1: 'YES_AUTO', 2: 'YES_MANUAL', 3: 'SKIP' };
const COLOURS: Readonly<Record<number, string>> = { 3: '#FF8F00', 8: '#00897B', 19: '#9E9E9E' };

/** The same habits as a backup and as an export, each as the tracker writes it. */
export async function trackedFiles(
  habits: readonly TrackedHabit[],
): Promise<{ database: Uint8Array; zip: Uint8Array }> {
  const sql = await initSqlJs();
  const database = new sql.Database(await loopDatabase(25, 'DELETE FROM Repetitions; DELETE FROM Habits'));
  const files: Record<string, string> = {};
  const list = [HABITS_HEAD];
  habits.forEach(({ name, question, description, times, days, color, archived, number, values }, place) => {
    const [id, position] = [100 - place, String(place + 1).padStart(3, '0')];
    insert(database, 'Habits', {
      id,
      name,
      question,
      description,
      freq_num: times,
      freq_den: days,
      archived: archived ? 1 : 0,
      position: place,
      color,
      type: number ? 1 : 0,
      target_type: number?.atMost ? 1 : 0,
      highlight: 0,
      target_value: number?.target ?? 0,
      unit: number?.unit ?? '',
      uuid: String(id),
    });
    const measure = number && [number.unit, number.atMost ? 'AT_MOST' : 'AT_LEAST', number.target];
    list.push(
      [
        position,
        name,
        number ? 'NUMERICAL' : 'YES_NO',
        question,
        description,
        times,
        days,
        COLOURS[color],
        ...(measure ?? ['', '', '']),
        archived,
      ]
        .map(quoted)
        .join(),
    );
    const marks = ['Date,Value,Notes'];
    values.forEach(({ value, note }, day) => {
      if (value === undefined) return;
      insert(database, 'Repetitions', { habit: id, timestamp: FIRST_MS + day * DAY_MS, value, notes: note });
      const date = new Date(FIRST_MS + day * DAY_MS).toISOString().slice(0, 10);
      marks.splice(1, 0, [date, WORDS[value] ?? value, note].map(quoted).join());
    });
    const folder = `${position} ${name.replace(/[^ a-zA-Z0-9._-]+/g, '')}`.trim();
    files[`${folder}/Checkmarks.csv`] = `${marks.join('\n')}\n`;
    files[`${folder}/Scores.csv`] = 'Date,Score\n';
  });
  const bytes = database.export();
  database.close();
  return {
    database: bytes,
    zip: zipOf({ 'Habits.csv': `${list.join('\n')}\n`, ...files, 'Checkmarks.csv': 'Date,\n' }),
  };
}

function quoted(value: unknown): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
