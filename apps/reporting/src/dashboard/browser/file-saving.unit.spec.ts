import { type FileProgress, saveBody } from './file-saving';

const running = () => new AbortController().signal;

it.each([
  ['a disk that is full', 'not_written', 'id\r\n1\r\n', new DOMException('full', 'QuotaExceededError')],
  ['a connection over which nothing comes', 'unreachable', new ReadableStream(), undefined],
])('says that it failed for %s, and leaves nothing behind', async (_, kind, body, fault) => {
  jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick', 'setImmediate'] });
  let isClosed = false;
  const shown: FileProgress[] = [];
  const target = new WritableStream<Uint8Array<ArrayBuffer>>({
    write: () => (fault ? Promise.reject(fault) : undefined),
    close: () => void (isClosed = true),
  });
  const saved = saveBody(
    async () => new Response(body),
    target,
    (progress) => void shown.push(progress),
    running(),
  );
  await jest.advanceTimersByTimeAsync(30_000);
  await saved;
  jest.useRealTimers();
  expect(isClosed).toBe(false);
  expect(shown.at(-1)).toMatchObject({ state: 'failed', refusal: { kind } });
});
