import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { BadUsage, CommandLine, integer, oneOf } from '@evenkeel/platform/command-line';

export type Wanted =
  | { action: 'start' | 'journeys' }
  | { action: 'check'; rounds: number; rate: number }
  | { action: 'restart'; target: AppName | 'all' };

const ACTIONS = ['start', 'restart', 'journeys', 'check'] as const;
const TARGETS = [...APP_NAMES, 'all'] as const;

export const CLUSTER = new CommandLine({
  call: 'npm run cluster',
  about: `The whole product on this machine as it runs elsewhere: PostgreSQL, Redis, Kafka, HAProxy, the development facilitator and
Stripe, and every service with its worker from its build, two processes each. Ctrl-C ends all; nothing is kept.`,
  usage: [
    'npm run cluster                          starts it, and prints its addresses',
    'npm run cluster -- restart <service>     restarts its processes one after the other; all: every service',
    'npm run cluster -- journeys              runs the journeys of apps/standalone against it',
    'npm run cluster -- check                 starts one of its own, and restarts all of it under load (20 minutes)',
  ],
  parts: { Services: APP_NAMES.join('\n') },
  options: {
    rounds: integer({ help: 'of check: how often two of each service start at once', from: 1, to: 100, fallback: 20 }),
    rate: integer({ help: 'of check: requests a second', from: 1, to: 1_000, fallback: 50 }),
  },
  environment: {
    PORT: 'of the edge, on 127.0.0.1 (8080)',
    DATA_DIR: 'where cluster.json and the output of all processes are (.data)',
    RATE_LIMIT_SCALE: 'multiplies every rate limit (1000)',
  },
  ends: `Other settings of the services are taken from the shell. Missing programs are installed from Debian's packages as root,
else the command is said.`,
  takesArguments: true,
  read: ({ rounds, rate }, [typed = 'start', ...more]): Wanted => {
    const action = oneOf(ACTIONS, typed, 'The first word');
    if (action !== 'restart') {
      if (more.length > 0) throw new BadUsage(`${action} takes nothing more, not ${more.join(' ')}`);
      return action === 'check' ? { action, rounds, rate } : { action };
    }
    if (more.length !== 1) throw new BadUsage(`Name one of ${TARGETS.join(', ')}`);
    return { action, target: oneOf(TARGETS, more[0]!, 'The service') };
  },
});
