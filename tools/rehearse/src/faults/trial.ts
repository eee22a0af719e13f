import { setTimeout as sleep } from 'node:timers/promises';
import { scaledMix, settledEffects, targetsOf, Traffic, WHOLE_MIX, type Cluster, type Ending } from '../cluster';
import { type Lines } from './lines';

const PEOPLE = 10;
const REPEAT_EVERY_MS = 1_000;
/** From the last fault until everybody has an answer, all books say the same, and every mail has come. */
const SETTLED_WITHIN_MS = 60_000;

/** A cluster whose lines may fail, the traffic on it, and all that was answered. */
export class Trial {
  readonly answers: Ending[] = [];
  private readonly traffic: Traffic;
  private stopped = false;
  private repeating: Promise<void> = Promise.resolve();

  constructor(
    readonly cluster: Cluster,
    readonly lines: Lines,
  ) {
    this.traffic = new Traffic(targetsOf(cluster), { onEnding: (answer) => void this.answers.push(answer) });
  }

  /** @param rate requests a second */
  async start(rate: number): Promise<void> {
    await this.traffic.prepare(PEOPLE);
    await this.traffic.agents.prepare();
    this.traffic.start(scaledMix(WHOLE_MIX, rate));
    this.repeating = this.repeat();
  }

  /** The process of each program. */
  get pids(): Map<string, number | undefined> {
    return new Map(this.cluster.replicas.map(({ process }) => [process.name, process.pid]));
  }

  /**
   * Ends the traffic when all is well again.
   * @returns a sentence for each thing that is lost, double, or contradicts another
   */
  async settle(report: (step: string) => void): Promise<string[]> {
    await this.traffic.stop();
    report('the traffic has ended: comparing the books');
    const deadline = performance.now() + SETTLED_WITHIN_MS;
    const { agents, webhooks } = this.traffic;
    while (agents.unanswered.size + webhooks.unanswered.size + this.missingMails.length > 0) {
      if (performance.now() > deadline) break;
      await sleep(REPEAT_EVERY_MS);
    }
    this.stopped = true;
    await this.repeating;
    const effects = await settledEffects(this.cluster, this.traffic, Math.max(0, deadline - performance.now()));
    return [
      ...[...agents.unanswered.keys()].map((nonce) => `P1: the payment ${nonce} gets no answer when it is repeated`),
      ...[...webhooks.unanswered.keys()].map((id) => `P7: the event ${id} is not taken when it is repeated`),
      ...this.missingMails.map((email) => `the mail to ${email} was not sent`),
      ...effects,
    ];
  }

  async close(): Promise<void> {
    this.stopped = true;
    await this.repeating;
    await this.traffic.close();
  }

  /** As buyers and the provider do: what has no answer is sent again. */
  private async repeat(): Promise<void> {
    while (!this.stopped) {
      await this.traffic.repeatUnanswered();
      await sleep(REPEAT_EVERY_MS);
    }
  }

  private get missingMails(): string[] {
    const sent = new Set(this.cluster.backing.mails.recipients);
    return this.traffic.people.registered.filter((email) => !sent.has(email));
  }
}
