import { type FileProgress, type FileTarget, saveBody } from './file-saving';
import { Refused } from './refusals';

const TEXT = 'id,amount\r\n1,0.05\r\n2,0.03\r\n';
let written: string;
let end: 'finished' | 'abandoned' | undefined;
let told: FileProgress[];
const target = (over: Partial<FileTarget> = {}): FileTarget => ({
  write: (bytes) => void (written += new TextDecoder().decode(bytes)),
  finish: () => void (end = 'finished'),
  abandon: () => void (end = 'abandoned'),
  ...over,
});
const tell = (progress: FileProgress) => void told.push(progress);
const running = () => new AbortController().signal;
beforeEach(() => ([written, end, told] = ['', undefined, []]));

/** The pieces of a body, one after the other; undefined is a connection that breaks. */
function bodyOf(...pieces: (string | undefined)[]): Response {
  const bytes = pieces.map((piece) => piece && new TextEncoder().encode(piece));
  return new Response(
    new ReadableStream({
      pull(stream) {
        if (bytes.length === 0) return stream.close();
        const piece = bytes.shift();
        if (piece) stream.enqueue(piece);
        else stream.error(new TypeError('network error'));
      },
    }),
  );
}

it('writes every byte, and counts the rows below the head', async () => {
  await saveBody(async () => bodyOf(TEXT.slice(0, 13), TEXT.slice(13)), target(), tell, running());
  expect([written, end]).toEqual([TEXT, 'finished']);
  expect(told.at(-1)).toEqual({ rows: 2, bytes: TEXT.length, state: 'saved' });
  expect(told[0]).toEqual({ rows: 0, bytes: 0, state: 'running' });
});

it.each<[string, () => Promise<Response>, Partial<FileTarget>, string]>([
  ['a connection that breaks', async () => bodyOf(TEXT, undefined), {}, 'unreachable'],
  ['a disk that is full', async () => bodyOf(TEXT), { write: () => Promise.reject(new Error('full')) }, 'not_written'],
  [
    'a service that refuses',
    () => Promise.reject(new Refused({ kind: 'limited', retryAfterSeconds: 5 })),
    {},
    'limited',
  ],
])('says why it could not, and leaves nothing behind: %s', async (_what, answer, over, kind) => {
  await saveBody(answer, target(over), tell, running());
  expect(end).toBe('abandoned');
  expect(told.at(-1)).toMatchObject({ state: 'failed', refusal: { kind } });
});

it('can be stopped, and leaves nothing behind', async () => {
  const stop = new AbortController();
  const answer = async () => {
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        stream.enqueue(new TextEncoder().encode(TEXT));
        stop.signal.addEventListener('abort', () => stream.error(stop.signal.reason));
      },
    });
    return new Response(body);
  };
  const saved = saveBody(answer, target({ write: () => stop.abort() }), tell, stop.signal);
  await saved;
  expect([end, told.at(-1)!.state]).toEqual(['abandoned', 'stopped']);
});

it('gives up a connection over which nothing comes', async () => {
  jest.useFakeTimers();
  const saved = saveBody(async () => new Response(new ReadableStream()), target(), tell, running());
  await jest.advanceTimersByTimeAsync(30_000);
  await saved;
  jest.useRealTimers();
  expect(told.at(-1)).toMatchObject({ state: 'failed', refusal: { kind: 'unreachable' } });
});
