import { type Refusal, refusalFrom, unreachable } from './admin-api';

export interface FileProgress {
  rows: number;
  bytes: number;
  state: 'running' | 'saved' | 'stopped' | 'failed';
  refusal?: Refusal;
}

/** Nothing comes for so long: the connection is lost, and the server sends the file to somebody else. */
const SILENT_MS = 30_000;
const SHOWN_EVERY_MS = 200;
/** Firefox begins to save after the click has returned. */
const KEPT_MS = 60_000;
const LINE_FEED = 10;

/**
 * Keeps an answer while it arrives, and has the browser save all of it: a plain link could not send the token.
 * @param show called with how far it is, and in any case at the end, with what went wrong
 * @param stop of the operator
 */
export async function saveFile(
  name: string,
  answer: Promise<Response>,
  show: (progress: FileProgress) => void,
  stop: AbortSignal,
): Promise<void> {
  // The first line is the head of the table.
  let lines = -1;
  let bytes = 0;
  const showNow = (state: FileProgress['state'], refusal?: Refusal): void =>
    show({ rows: Math.max(0, lines), bytes, state, ...(refusal && { refusal }) });
  try {
    showNow('running');
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let shownAt = 0;
    await eachPart(await answer, (part) => {
      parts.push(part);
      bytes += part.length;
      for (const byte of part) if (byte === LINE_FEED) lines++;
      if (performance.now() - shownAt < SHOWN_EVERY_MS) return;
      shownAt = performance.now();
      showNow('running');
    });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
    showNow('saved');
  } catch (error) {
    showNow(stop.aborted ? 'stopped' : 'failed', refusalFrom(error));
  }
}

async function eachPart({ body }: Response, take: (part: Uint8Array<ArrayBuffer>) => void): Promise<void> {
  const reader = body!.getReader();
  let isSilent = false;
  const giveUp = (): void => {
    isSilent = true;
    void reader.cancel();
  };
  for (;;) {
    const silence = setTimeout(giveUp, SILENT_MS);
    const part = await reader
      .read()
      .catch(unreachable)
      .finally(() => clearTimeout(silence));
    if (isSilent) unreachable();
    if (part.done) return;
    take(part.value);
  }
}
