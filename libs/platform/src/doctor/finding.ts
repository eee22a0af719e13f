import { setTimeout as sleep } from 'node:timers/promises';

export interface Finding {
  /** In a word or two: `database`. */
  subject: string;
  /** It works, it is not configured and not needed, or somebody has to act. */
  outcome: 'ok' | 'off' | 'wrong';
  /** In a sentence; of what is wrong also what to set. No secret is in it. */
  says: string;
}

/** Things that are tried one after the other, because each needs the one before. */
export interface Probe {
  subject: string;
  /** The settings that say where it is. */
  settings: string;
  /** @param stepMs for each wait: a connection, an answer */
  examine(stepMs: number): Promise<Finding[]>;
}

/** For each wait of a probe, and for all that it does: then it is not waited for. */
export const LIMITS = { stepMs: 5_000, probeMs: 15_000 };

export const ok = (subject: string, says: string): Finding => ({ subject, outcome: 'ok', says });
export const off = (subject: string, says: string): Finding => ({ subject, outcome: 'off', says });
export const wrong = (subject: string, says: string): Finding => ({ subject, outcome: 'wrong', says });

/** The findings of a probe, or that it had none in time. Never rejects. */
export async function findingsOf(probe: Probe, { stepMs, probeMs }: typeof LIMITS): Promise<Finding[]> {
  const { subject, settings } = probe;
  const ended = new AbortController();
  const late = async (): Promise<Finding[]> => {
    await sleep(probeMs, undefined, { signal: ended.signal });
    const says = `It took more than ${probeMs / 1_000} s: correct ${settings}, or let this process reach it.`;
    return [wrong(subject, says)];
  };
  const failed = ({ message }: Error): Finding[] => [wrong(subject, `${message}: check ${settings}.`)];
  return Promise.race([probe.examine(stepMs).catch(failed), late()]).finally(() => ended.abort());
}
