import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { OpenApiOperation } from '@evenkeel/contracts';
import fc from 'fast-check';

/** A request as it goes out. */
export interface OddRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** What an operation needs to be asked well: oddities replace parts of it. */
export interface GoodRequest {
  method: string;
  /** With `{…}` for ids. */
  path: string;
  operation: OpenApiOperation;
  token: string;
  /** Ids of the person, by the names of parameters. */
  own: Readonly<Record<string, string>>;
  /** Of somebody else. */
  others: Others;
  /** Of a server that waits to be asked. */
  evilUrl: string;
  body: unknown;
}

export interface Others {
  ids: readonly string[];
  /** That their lists have answered with. */
  cursors: readonly string[];
}

const ODD_TEXTS = [
  '',
  ' ',
  '\t',
  'a\u0000b',
  'a\ud800b',
  '\udfff',
  '__proto__',
  'x'.repeat(5_000),
  '❤️'.repeat(300),
  '%00',
];
const ODD_DATES = ['2026-02-30T00:00:00Z', '0000-00-00T00:00:00Z', '9999-12-31T23:59:59Z', '2026-01-01', '1e3', '-1'];
const ODD_NUMBERS = [-1, 0, 1.5, 2 ** 31, 2 ** 53, 1e300, -1e300, Number.MIN_VALUE];

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...ODD_TEXTS, ...ODD_DATES, ...ODD_NUMBERS, null, true, [], {}, [[]], [{}], { length: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 1, max: 600 }).map((count) => Array.from({ length: count }, () => ({}))),
);

/** The address of a server, as a careless reader might find it. */
function namesOf(evilUrl: string): string[] {
  const { host } = new URL(evilUrl);
  return [
    evilUrl,
    `//${host}/`,
    `=WEBSERVICE("${evilUrl}")`,
    `<img src="${evilUrl}">`,
    `somebody@${host}`,
    `\\\\${host}\\a`,
  ];
}

/** JSON that no encoder writes. */
const hostileText = fc.oneof(
  fc.integer({ min: 20, max: 20_000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  fc.integer({ min: 9_000, max: 30_000 }).map((count) => `[${'0,'.repeat(count)}0]`),
  fc.constantFrom(
    '',
    '{',
    'null',
    '"',
    'NaN',
    '{"a":1,}',
    '\ufeff{}',
    '{"constructor":{}}',
    '{"__proto__":{"x":1}}',
    '1e999',
  ),
  fc.string({ maxLength: 200 }),
);

/** The larger one takes longer to make than to refuse. */
const BOMBS = [1_000, 10_000_000].map((size) => gzipSync(Buffer.alloc(size, '[')));

/** A good body with one member, at the top or one level below, replaced or added. */
function spoiled(good: unknown, { others, evilUrl }: Pick<GoodRequest, 'others' | 'evilUrl'>): fc.Arbitrary<unknown> {
  const texts = fc.constantFrom<unknown>(...others.ids, ...others.cursors, ...namesOf(evilUrl));
  const value = fc.oneof({ arbitrary: oddValue, weight: 4 }, texts);
  if (typeof good !== 'object' || good === null) return value;
  const names = [...Object.keys(good), 'unknown', 'constructor', 'habitId', 'limit', 'cursor', 'clientId'];
  const replaced = fc.tuple(fc.constantFrom(...names), value).map(([name, odd]) => ({ ...good, [name]: odd }));
  const inner = Object.entries(good).find(([, value]) => Array.isArray(value) && typeof value[0] === 'object');
  if (!inner) return replaced;
  const [name, list] = inner as [string, unknown[]];
  return fc.oneof(
    replaced,
    spoiled(list[0], { others, evilUrl }).map((item) => ({ ...good, [name]: [item, ...list] })),
  );
}

function bodyOf(good: GoodRequest): fc.Arbitrary<Pick<OddRequest, 'headers' | 'body'>> {
  const { body, operation } = good;
  const json = { 'content-type': 'application/json' };
  const type = Object.keys(operation.requestBody?.content ?? {})[0];
  const encoded = spoiled(body, good).map((value) => ({ headers: json, body: JSON.stringify(value) ?? '' }));
  const hostile = hostileText.map((text) => ({ headers: json, body: text }));
  const bombs = fc.constantFrom(...BOMBS).map((bomb) => ({
    headers: { ...json, 'content-encoding': 'gzip' },
    body: bomb,
  }));
  const otherTypes = fc
    .constantFrom('text/plain', 'application/json; charset=latin1', 'multipart/form-data', 'x')
    .map((contentType) => ({ headers: { 'content-type': contentType }, body: JSON.stringify(body ?? {}) }));
  const noGzip = fc.constantFrom('gzip', 'br', 'deflate').map((encoding) => ({
    headers: { ...json, 'content-encoding': encoding },
    body: JSON.stringify(body ?? {}),
  }));
  const choices = [{ arbitrary: encoded, weight: 6 }, { arbitrary: hostile, weight: 3 }, bombs, otherTypes, noGzip];
  return type === 'multipart/form-data'
    ? fc.oneof(lyingForm(good.evilUrl), hostile, bombs, otherTypes)
    : fc.oneof(...choices);
}

/** Forms whose parts say what they are not. */
function lyingForm(evilUrl: string): fc.Arbitrary<Pick<OddRequest, 'headers' | 'body'>> {
  const disposition = fc.constantFrom(
    'form-data; name="file"; filename="a.csv"',
    'form-data; name="file"; filename="../../etc/passwd"',
    'form-data; name="file"',
    'form-data; name="other"; filename="a.zip"',
    'form-data',
    `form-data; name="${'x'.repeat(300)}"; filename=""`,
  );
  const content = fc.oneof(
    fc.constantFrom(
      '',
      'habit,date,value\n',
      'habit,date,value\nRun,2026-01-05,1\n',
      'PK\u0003\u0004',
      'SQLite format 3\u0000',
    ),
    fc
      .constantFrom(...namesOf(evilUrl))
      .map((name) => `habit,date,value,note\n"${name.replaceAll('"', '""')}",2026-01-05,1,${evilUrl}\n`),
    fc.constantFrom(
      '{"habits":[]}',
      '{"format":"evenkeel.habits","version":1,"habits":[{}]}',
      '[',
      'habit;date;value\n1;2;3',
    ),
    fc.string({ maxLength: 300 }),
    fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  );
  const ends = fc.constantFrom('\r\n--x--\r\n', '\r\n--x\r\n', '', '\r\n--y--\r\n');
  return fc.tuple(disposition, content, ends).map(([head, text, end]) => ({
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: Buffer.from(
      `--x\r\nContent-Disposition: ${head}\r\nContent-Type: application/zip\r\n\r\n${text}${end}`,
      'latin1',
    ),
  }));
}

const oddId = fc.constantFrom(
  'some',
  '%00',
  '..',
  "'",
  '%F0%9F%92%A9',
  'x'.repeat(90),
  '00000000-0000-0000-0000-00000000000g',
);

function pathOf({ path, own, others }: GoodRequest): fc.Arbitrary<string> {
  const id = fc.oneof(
    { arbitrary: fc.constant(null), weight: 4 },
    fc.constantFrom(...others.ids),
    fc.constant(null).map(() => randomUUID()),
    oddId,
  );
  const query = fc.oneof(
    { arbitrary: fc.constant(''), weight: 3 },
    fc
      .tuple(
        fc.constantFrom('limit', 'cursor', 'from', 'to', 'status', 'format', 'except', 'dry_run', 'x'),
        fc.oneof(
          fc.constantFrom('', '0', '-1', '1e9', 'all', '%00', '2026-02-30', 'null', '%ZZ', 'a'.repeat(3_000)),
          fc.string(),
        ),
      )
      .map(([name, value]) => `?${name}=${/^%?[\w-]*$/.test(value) ? value : encodeURIComponent(wellFormed(value))}`),
  );
  const foreign = fc.constantFrom(...others.cursors).map((cursor) => `?cursor=${cursor}`);
  return fc.tuple(id, fc.oneof({ arbitrary: query, weight: 7 }, foreign)).map(([odd, asked]) => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => odd ?? own[name] ?? randomUUID());
    return filled + asked;
  });
}

function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/g, '?');
}

/** Headers in which a server may look for an address: its own, or that of the caller. */
function originsOf(evilUrl: string): Record<string, string>[] {
  const { host } = new URL(evilUrl);
  return [
    { host },
    { 'x-forwarded-host': host, 'x-forwarded-proto': 'http' },
    { forwarded: `for=${host};host=${host}` },
    { origin: evilUrl, referer: evilUrl },
    { 'user-agent': evilUrl },
    { traceparent: evilUrl },
  ];
}

/** Requests of one operation, each with something wrong, or nothing. */
export function oddRequests(good: GoodRequest): fc.Arbitrary<OddRequest> {
  const token = fc.oneof(
    { arbitrary: fc.constant(`Bearer ${good.token}`), weight: 9 },
    fc.constantFrom(
      '',
      'Bearer',
      'Bearer x.y.z',
      `Basic ${good.token}`,
      `Bearer ${good.token.slice(0, -2)}`,
      `Bearer ${'a'.repeat(3_000)}`,
    ),
  );
  const hasBody = good.operation.requestBody !== undefined;
  const content = hasBody ? bodyOf(good) : fc.constant({ headers: {} });
  const key = fc.option(fc.constantFrom('k', '', 'x'.repeat(300), 'caf\u00e9'), { freq: 6 });
  const origin = fc.option(fc.constantFrom(...originsOf(good.evilUrl)), { freq: 6, nil: {} });
  return fc
    .tuple(token, pathOf(good), content, key, origin)
    .map(([authorization, path, { headers, ...sent }, idempotencyKey, from]) => ({
      method: good.method.toUpperCase(),
      path,
      headers: {
        ...headers,
        ...from,
        ...(authorization !== '' && { authorization }),
        ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
      },
      ...sent,
    }));
}
