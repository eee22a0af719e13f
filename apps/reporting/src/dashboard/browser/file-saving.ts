import { type Refusal, Refused, refusalFrom } from './refusals';

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

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Writes an answer to its target while it arrives.
 * @param show called with how far it is, at the end in any case
 * @param stop of the operator
 * @throws nothing: what went wrong is in the progress
 */
export async function saveBody(
  answer: (signal: AbortSignal) => Promise<Response>,
  target: WritableStream<Bytes>,
  show: (progress: FileProgress) => void,
  stop: AbortSignal,
): Promise<void> {
  const progress: FileProgress = { rows: 0, bytes: 0, state: 'running' };
  const lost = new AbortController();
  const signal = AbortSignal.any([stop, lost.signal]);
  let silence: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => lost.abort(), SILENT_MS);
  };
  show({ ...progress });
  try {
    const { body } = await answer(signal);
    wait();
    const bytes = counted(progress, wait, show);
    await body!.pipeThrough(bytes).pipeTo(target, { signal }).catch(refuse);
    progress.state = 'saved';
  } catch (error) {
    await target.abort().catch(() => undefined);
    progress.state = stop.aborted ? 'stopped' : 'failed';
    if (!stop.aborted) progress.refusal = refusalFrom(error);
  }
  clearTimeout(silence);
  show(progress);
}

function counted(
  progress: FileProgress,
  came: () => void,
  show: (progress: FileProgress) => void,
): TransformStream<Bytes, Bytes> {
  // The first line is the head of the table.
  let lines = -1;
  let shownAt = 0;
  return new TransformStream({
    transform: (bytes, out) => {
      came();
      for (const byte of bytes) if (byte === LINE_FEED) lines++;
      progress.rows = Math.max(0, lines);
      progress.bytes += bytes.length;
      out.enqueue(bytes);
      if (performance.now() - shownAt < SHOWN_EVERY_MS) return;
      shownAt = performance.now();
      show({ ...progress });
    },
  });
}

/** A disk that is full is no network that is lost, of which browsers tell by an error of type or an abort. */
function refuse(error: unknown): never {
  const isOfDisk = error instanceof DOMException && error.name !== 'AbortError';
  throw new Refused({ kind: isOfDisk ? 'not_written' : 'unreachable' });
}

/** Chromium has it where the page comes by https or from this machine. */
interface Picker {
  showSaveFilePicker?: (options: object) => Promise<{ createWritable(): Promise<WritableStream<Bytes>> }>;
}

/**
 * A file that the operator chooses, where the browser can write one piece by piece; else the memory of the tab, saved by the
 * browser once all of it is there.
 * @returns nothing when the operator does not want to save it after all
 */
export async function chooseTarget(name: string): Promise<WritableStream<Bytes> | undefined> {
  const { showSaveFilePicker } = window as Picker;
  if (!showSaveFilePicker) return inMemory(name);
  const types = [{ description: 'CSV', accept: { 'text/csv': ['.csv'] } }];
  try {
    const file = await showSaveFilePicker.call(window, { suggestedName: name, types });
    return await file.createWritable();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // A policy of the machine may forbid it.
    return inMemory(name);
  }
}

function inMemory(name: string): WritableStream<Bytes> {
  const parts: Bytes[] = [];
  return new WritableStream({
    write: (bytes) => void parts.push(bytes),
    close: () => offer(new Blob(parts, { type: 'text/csv' }), name),
  });
}

/** Offers it as a download: a plain link could not send the token. */
function offer(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
