import { Traffic, type Mix } from '../../cluster';
import { untilCaughtUp } from '../metrics/caught-up';
import type { Target } from './find-target';
import { grantCredits } from './grant-credits';

const CONNECTIONS = 256;
const VISITORS = 20;
/** A credit more often than planned is better than one too few. */
const SPARE = 1.02;
/** Events of one subscription: more than this lie years apart in the life of one. */
const EVENTS_OF_ONE = 250;
/** Seconds between two events of a subscription: the provider counts no parts of a second. */
const APART = 1.4;
const PEOPLE_MOST = 2_000;

/**
 * Callers with all that requests of a mix need: people who sign in, subscriptions, credits. It is over when the services have
 * read all of it.
 * @param seconds for which the mix will run
 * @throws Error with a sentence when something of it cannot be made
 */
export async function prepareTraffic(
  target: Target,
  mix: Mix,
  seconds: number,
  report: (step: string) => void,
): Promise<Traffic> {
  const traffic = new Traffic(target.targets, { connections: CONNECTIONS });
  try {
    const { credit = 0, login = 0, webhook = 0 } = mix;
    if (credit > 0) {
      const count = Math.ceil(credit * seconds * SPARE);
      report(`granting ${count} credits`);
      traffic.agents.grant(await grantCredits(target.gatewayDatabase!, count));
    }
    const people = webhook === 0 ? 0 : peopleFor(webhook, seconds);
    if (people > 0) report(`${people} people register and upgrade`);
    await traffic.people.prepare(people, login > 0 ? VISITORS : 0);
    if (webhook > 0) await traffic.webhooks.prepare();
    await untilCaughtUp(target.processes, report);
    return traffic;
  } catch (error) {
    await traffic.close();
    throw error;
  }
}

function peopleFor(perSecond: number, seconds: number): number {
  const wanted = Math.max(perSecond * APART, (perSecond * seconds) / EVENTS_OF_ONE, 1);
  return Math.min(PEOPLE_MOST, Math.ceil(wanted));
}
