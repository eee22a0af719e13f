import { gzipSync } from 'node:zlib';
import type { OpenApiOperation } from '@evenkeel/contracts';

/** A request as it goes out. */
export interface ForeignRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** The good request of an operation. */
interface GoodRequest {
  method: string;
  /** With `{…}` for ids. */
  path: string;
  operation: OpenApiOperation;
  body: unknown;
}

/** Of somebody else. */
export interface Others {
  ids: readonly string[];
  /** That their lists have answered with. */
  cursors: readonly string[];
}

/** Who asks. */
interface Own {
  token: string;
  habitId: string;
  logId: string;
}

/** Names that a body may have beside those of a good one. */
const NAMES = ['habitId', 'clientId', 'cursor', 'unknown'];
const JSON_TYPE = { 'content-type': 'application/json' };
const HOSTILE = [
  '',
  '{',
  'null',
  '[]',
  '{"__proto__":{"x":1}}',
  '['.repeat(20_000),
  `[${'0,'.repeat(20_000)}0]`,
  '"a\0b"',
];
const PACKED = [Buffer.from('{}'), gzipSync(Buffer.alloc(10_000_000, '['))];

/**
 * Requests of one operation, each with one thing that is somebody else's, or that names another server, or is no body at all;
 * the caller, who may be another one each time, comes last.
 */
export function foreignRequests(good: GoodRequest, { ids, cursors }: Others, evilUrl: string) {
  const { host } = new URL(evilUrl);
  const texts = [...ids, ...cursors, evilUrl, `//${host}/`, `=WEBSERVICE("${evilUrl}")`, `<img src="${evilUrl}">`];
  const [type] = Object.keys(good.operation.requestBody?.content ?? {});
  const json = (body: unknown) => ({ body: JSON.stringify(body), headers: JSON_TYPE });
  const bodies: Partial<ForeignRequest>[] = [];
  if (type === 'application/json') {
    bodies.push(...texts.flatMap((text) => spoiled(good.body ?? {}, text).map(json)));
    bodies.push(...HOSTILE.map((body) => ({ body, headers: JSON_TYPE })));
    bodies.push(...PACKED.map((body) => ({ body, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } })));
  }
  if (type === 'multipart/form-data') bodies.push(...texts.map(formWith));
  const paths = [
    ...(good.path.includes('{') ? ids.map((id) => ({ path: good.path.replace(/\{\w+\}/g, id) })) : []),
    ...cursors.map((cursor) => ({ path: `${good.path}?cursor=${cursor}` })),
  ];
  const origins: Record<string, string>[] = [
    { host },
    { 'x-forwarded-host': host, 'x-forwarded-proto': 'http' },
    { forwarded: `for=${host};host=${host}` },
    { origin: evilUrl, referer: evilUrl },
    { 'user-agent': evilUrl },
    { traceparent: evilUrl },
  ];
  return [...bodies, ...paths, ...origins.map((headers) => ({ headers }))].map(
    (changed: Partial<ForeignRequest>) =>
      ({ token, ...own }: Own): ForeignRequest => ({
        method: good.method.toUpperCase(),
        ...(type === 'application/json' && json(good.body ?? {})),
        ...changed,
        path: (changed.path ?? good.path).replace(/\{(\w+)\}/g, (_, name: keyof typeof own) => own[name] ?? token),
        headers: {
          ...(type === 'application/json' && JSON_TYPE),
          ...changed.headers,
          authorization: `Bearer ${token}`,
        },
      }),
  );
}

/** A good body with one member replaced or added, at the top and in the first item of its list. */
function spoiled(good: object, value: string): object[] {
  const members = [...Object.keys(good), ...NAMES].map((name) => ({ ...good, [name]: value }));
  const list = Object.entries(good).find(([, inner]) => Array.isArray(inner)) as [string, object[]] | undefined;
  if (!list) return members;
  const [name, [first, ...rest]] = list;
  return [...members, ...spoiled(first!, value).map((item) => ({ ...good, [name]: [item, ...rest] }))];
}

function formWith(text: string): Partial<ForeignRequest> {
  const csv = `habit,date,value,note\n"${text.replaceAll('"', '""')}",2026-01-05,1,"${text.replaceAll('"', '""')}"\n`;
  const head = `Content-Disposition: form-data; name="file"; filename="${encodeURIComponent(text)}"`;
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: Buffer.from(`--x\r\n${head}\r\n\r\n${csv}\r\n--x--\r\n`),
  };
}
