/** The outcome of a probe: it works, it is not configured and not needed, or somebody has to act. */
type Outcome = 'ok' | 'off' | 'wrong';

export interface Finding {
  /** In a word or two: `database`. */
  subject: string;
  outcome: Outcome;
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

export interface Limits {
  /** For each wait of a probe. */
  stepMs: number;
  /** For all that a probe does: then it is not waited for. */
  probeMs: number;
}

export const LIMITS: Limits = { stepMs: 5_000, probeMs: 15_000 };

export const ok = (subject: string, says: string): Finding => ({ subject, outcome: 'ok', says });
export const off = (subject: string, says: string): Finding => ({ subject, outcome: 'off', says });
export const wrong = (subject: string, says: string): Finding => ({ subject, outcome: 'wrong', says });

/** The findings of a probe, or that it had none in time. Never rejects. */
export async function findingsOf(probe: Probe, { stepMs, probeMs }: Limits): Promise<Finding[]> {
  const { subject, settings } = probe;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    const says = `It took more than ${probeMs / 1_000} s: correct ${settings}, or let this process reach it.`;
    timer = setTimeout(() => resolve([wrong(subject, says)]), probeMs);
  });
  const failed = ({ message }: Error): Finding[] => [wrong(subject, `${message}: check ${settings}.`)];
  try {
    return await Promise.race([probe.examine(stepMs).catch(failed), late]);
  } finally {
    clearTimeout(timer);
  }
}
