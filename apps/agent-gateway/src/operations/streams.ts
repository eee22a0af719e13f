import { redacted } from '@evenkeel/platform/config';

/** Where a command writes; tests read it. */
export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
}

/** The same without the secrets of the settings, whatever an error or a remote list says. */
export function withoutSecrets({ out, err }: Streams): Streams {
  return { out: (text) => out(redacted(text)), err: (text) => err(redacted(text)) };
}

export const PROCESS_STREAMS: Streams = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};
