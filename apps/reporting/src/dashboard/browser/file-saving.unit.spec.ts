import { type FileProgress, type FileTarget, saveBody } from './file-saving';

let end: 'finished' | 'abandoned' | undefined;
let told: FileProgress[];
const target = (write: FileTarget['write'] = () => undefined): FileTarget => ({
  write,
  finish: () => void (end = 'finished'),
  abandon: () => void (end = 'abandoned'),
});
const tell = (progress: FileProgress) => void told.push(progress);
const running = () => new AbortController().signal;
beforeEach(() => ([end, told] = [undefined, []]));

it('says that the disk is full, and leaves nothing behind', async () => {
  await saveBody(
    async () => new Response('id\r\n1\r\n'),
    target(() => Promise.reject(new Error('full'))),
    tell,
    running(),
  );
  expect(end).toBe('abandoned');
  expect(told.at(-1)).toMatchObject({ state: 'failed', refusal: { kind: 'not_written' } });
});

it('gives up a connection over which nothing comes', async () => {
  jest.useFakeTimers();
  const saved = saveBody(async () => new Response(new ReadableStream()), target(), tell, running());
  await jest.advanceTimersByTimeAsync(30_000);
  await saved;
  jest.useRealTimers();
  expect(told.at(-1)).toMatchObject({ state: 'failed', refusal: { kind: 'unreachable' } });
});
