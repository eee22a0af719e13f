/** Where a command writes; tests read it. */
export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
}

export const PROCESS_STREAMS: Streams = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};
