import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder, ensureProgram } from '@evenkeel/services';

const ROOT = join(__dirname, '../../..');
const EXAMPLES = join(ROOT, 'docs/events/examples');
/** ClickHouse as a library of Python. */
const PACKAGE = 'chdb-core==26.9.0';
const PURPOSE = 'The engine of ClickHouse';

interface Example {
  topic: string;
  key: string;
  headers: Record<string, string>;
  value: object;
}

let engine: string;
beforeAll(async () => {
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  await ensureProgram({ name: 'pip3', debianPackage: 'python3-pip', purpose: PURPOSE }, log);
  engine = await cachedFolder(`clickhouse-${PACKAGE.split('==')[1]}`, async (folder) => {
    log(`${PURPOSE} is fetched once: 180 MB.`);
    execFileSync('python3', ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', folder, PACKAGE]);
  });
}, 900_000);

const PROGRAM = `
import sys
from chdb.session import Session
session = Session()
for statement in sys.stdin.read().split('\\n;;\\n'):
    print(session.query(statement, 'JSONEachRow'), end='')
`;

function answersTo(...statements: string[]): Record<string, unknown>[] {
  const env = { ...process.env, PYTHONPATH: engine };
  const said = execFileSync('python3', ['-c', PROGRAM], { input: statements.join('\n;;\n'), env, encoding: 'utf8' });
  return said.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
}

it('ClickHouse counts a payment once, however often its event comes', () => {
  const tables = readFileSync(join(ROOT, 'k8s/examples/clickhouse/tables.sql'), 'utf8')
    .split(/;\s*\n/)
    .filter((text) => text.trim());
  const events = readdirSync(EXAMPLES)
    .map((file) => JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as Example)
    .filter(({ topic }) => topic === 'evenkeel.payments.v1');
  const rows = events.map(({ key, headers, value }) =>
    JSON.stringify({
      id: headers['ce_id'],
      type: headers['ce_type'],
      wallet: key,
      at: headers['ce_time'],
      data: JSON.stringify(value),
    }),
  );
  const insert = `INSERT INTO payment_events SETTINGS date_time_input_format = 'best_effort' FORMAT JSONEachRow ${rows.join('\n')}`;
  const answers = answersTo(
    ...tables,
    insert,
    insert,
    'SELECT endpoint, toUInt32(payments) AS payments, toUInt32(payers) AS payers, toUInt32(revenue_micros) AS micros FROM revenue_of_days',
    'SELECT wallet, toUInt32(payments) AS payments, toUInt32(revenue_micros) AS micros FROM revenue_of_wallets',
  );
  const wallet = '0x857b06519e91e3a54538791bdbb0e22373e36b66';
  expect(answers).toEqual([
    { endpoint: '/agent/v1/habits/analyze', payments: 1, payers: 1, micros: 50_000 },
    { wallet, payments: 1, micros: 50_000 },
  ]);
}, 120_000);
