import { type Refusal, Refused, refusalFrom } from './refusals';

/** How far a file is. */
export interface FileProgress {
  rows: number;
  bytes: number;
  state: 'running' | 'saved' | 'stopped' | 'failed';
  /** Why it failed. */
  refusal?: Refusal;
}

/** Where the bytes of a file go. */
export interface FileTarget {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void> | void;
  /** All of it is there. */
  finish(): Promise<void> | void;
  /** Removes the part that was written. */
  abandon(): Promise<void> | void;
}

/** Nothing comes for so long: the connection is lost. */
const SILENT_MS = 30_000;
/** As often as somebody can read it. */
const TOLD_EVERY_MS = 200;
/** Firefox begins to save after the click has returned. */
const KEPT_MS = 60_000;
const LINE_FEED = 10;

/**
 * Writes an answer to its target while it arrives.
 * @param tell called with how far it is, at the end in any case
 * @throws nothing: what went wrong is in the progress
 */
export async function saveBody(
  answer: () => Promise<Response>,
  target: FileTarget,
  tell: (progress: FileProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const progress: FileProgress = { rows: 0, bytes: 0, state: 'running' };
  tell({ ...progress });
  try {
    await pump(await answer(), target, progress, tell);
    await written(target.finish());
    progress.state = 'saved';
  } catch (error) {
    await Promise.resolve(target.abandon()).catch(() => undefined);
    progress.state = signal.aborted ? 'stopped' : 'failed';
    if (!signal.aborted) progress.refusal = refusalFrom(error);
  }
  tell(progress);
}

async function pump(
  { body }: Response,
  target: FileTarget,
  progress: FileProgress,
  tell: (progress: FileProgress) => void,
): Promise<void> {
  const reader = body!.getReader();
  // The first line is the head of the table.
  let lines = -1;
  let toldAt = 0;
  for (;;) {
    const { done, value } = await within(SILENT_MS, reader.read()).catch(() => {
      void reader.cancel().catch(() => undefined);
      throw new Refused({ kind: 'unreachable' });
    });
    if (done) return;
    await written(target.write(value));
    for (const byte of value) if (byte === LINE_FEED) lines++;
    progress.rows = Math.max(0, lines);
    progress.bytes += value.length;
    if (performance.now() - toldAt < TOLD_EVERY_MS) continue;
    toldAt = performance.now();
    tell({ ...progress });
  }
}

function within<Value>(ms: number, value: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing for ${ms} ms`)), ms);
    void value.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Such as a disk that is full. */
async function written(writing: Promise<void> | void): Promise<void> {
  await Promise.resolve(writing).catch(() => {
    throw new Refused({ kind: 'not_written' });
  });
}

/** Chromium has it where the page comes by https or from this machine. */
interface Picker {
  showSaveFilePicker?: (options: object) => Promise<{ createWritable(): Promise<FileSystemWritableFileStream> }>;
}

/**
 * A file that the operator chooses, where the browser can write one piece by piece; else the memory of the tab, saved by the
 * browser once all of it is there.
 * @returns nothing when the operator does not want to save it after all
 */
export async function chooseTarget(name: string): Promise<FileTarget | undefined> {
  const { showSaveFilePicker } = window as Picker;
  if (!showSaveFilePicker) return inMemory(name);
  const types = [{ description: 'CSV', accept: { 'text/csv': ['.csv'] } }];
  try {
    const file = await showSaveFilePicker.call(window, { suggestedName: name, types });
    const stream = await file.createWritable();
    return {
      write: (bytes) => stream.write(bytes),
      finish: () => stream.close(),
      abandon: () => stream.abort(),
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // A policy of the machine may forbid it.
    return inMemory(name);
  }
}

function inMemory(name: string): FileTarget {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  return {
    write: (bytes) => void parts.push(bytes),
    finish: () => offer(new Blob(parts, { type: 'text/csv' }), name),
    abandon: () => void parts.splice(0),
  };
}

/** Offers it as a download: a plain link could not send the token. */
function offer(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
