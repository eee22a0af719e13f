import { Refused, type Refusal, refusalFrom } from './refusals';

/** How far a file is. */
export interface FileProgress {
  rows: number;
  bytes: number;
  state: 'running' | 'saved' | 'stopped' | 'failed';
  /** Why it failed. */
  refusal?: Refusal;
}

/** Nothing comes for so long: the connection is lost. */
const SILENT_MS = 30_000;
/** As often as somebody can read it. */
const SHOWN_EVERY_MS = 200;
/** Firefox begins to save after the click has returned. */
const KEPT_MS = 60_000;
const LINE_FEED = 10;

/**
 * Keeps an answer while it arrives, and has the browser save all of it: a plain link could not send the token.
 * @param show called with how far it is, at the end in any case
 * @param stop of the operator
 * @throws nothing: what went wrong is in the progress
 */
export async function saveFile(
  name: string,
  answer: Promise<Response>,
  show: (progress: FileProgress) => void,
  stop: AbortSignal,
): Promise<void> {
  const progress: FileProgress = { rows: 0, bytes: 0, state: 'running' };
  try {
    show({ ...progress });
    const parts = await partsOf(await answer, progress, show).catch(refuse);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
    progress.state = 'saved';
  } catch (error) {
    progress.state = stop.aborted ? 'stopped' : 'failed';
    progress.refusal = refusalFrom(error);
  }
  show(progress);
}

async function partsOf(
  { body }: Response,
  progress: FileProgress,
  show: (progress: FileProgress) => void,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = body!.getReader();
  // The first line is the head of the table.
  let lines = -1;
  let shownAt = 0;
  for (let part = await nextPart(reader); !part.done; part = await nextPart(reader)) {
    for (const byte of part.value) if (byte === LINE_FEED) lines++;
    parts.push(part.value);
    progress.rows = Math.max(0, lines);
    progress.bytes += part.value.length;
    if (performance.now() - shownAt < SHOWN_EVERY_MS) continue;
    shownAt = performance.now();
    show({ ...progress });
  }
  return parts;
}

type Part = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>['read']>>;

/** The server sends the file to somebody else once a lost connection is given up. */
async function nextPart(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>): Promise<Part> {
  let silence: ReturnType<typeof setTimeout> | undefined;
  const lost = new Promise<never>((_, reject) => {
    silence = setTimeout(() => reject(new Error('silent')), SILENT_MS);
  });
  try {
    return await Promise.race([reader.read(), lost]);
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(silence);
  }
}

function refuse(): never {
  throw new Refused({ kind: 'unreachable' });
}
