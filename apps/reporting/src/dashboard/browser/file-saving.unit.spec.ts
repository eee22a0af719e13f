import { type FileProgress, saveFile } from './file-saving';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('a file whose connection falls silent fails after half a minute, and is given up', async () => {
  let isGivenUp = false;
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(Buffer.from('head\nrow\n')),
    cancel: () => void (isGivenUp = true),
  });
  const shown: FileProgress[] = [];
  const show = (progress: FileProgress) => void shown.push({ ...progress });
  const saved = saveFile('payments.csv', Promise.resolve(new Response(body)), show, new AbortController().signal);
  await jest.advanceTimersByTimeAsync(29_000);
  expect(shown.at(-1)).toMatchObject({ state: 'running' });
  await jest.advanceTimersByTimeAsync(1_500);
  await saved;
  expect(shown.at(-1)).toMatchObject({ state: 'failed', rows: 1, refusal: { kind: 'unreachable' } });
  expect(isGivenUp).toBe(true);
});
