import { SystemClock } from '@evenkeel/kernel';
import { type LoadPlan, prepareRequests } from './prepare-requests';
import { runLoad } from './run-load';

export type LoadCommand = { prepare: LoadPlan } | 'run';

const clock = new SystemClock();
let plan: LoadPlan;
let next: () => Buffer | undefined;

async function answer(command: LoadCommand | 'cpu'): Promise<void> {
  if (command === 'cpu') return;
  if (command === 'run') {
    process.send!(await runLoad(plan, next));
    return;
  }
  plan = command.prepare;
  next = await prepareRequests(plan, clock.now());
  // Our gateway works on more payments of a caller at once when one was verified lately.
  const first = plan.payment === null ? [] : [next()];
  await runLoad({ ...plan, connections: 1 }, () => first.pop());
  process.send!('prepared');
}

process.on('message', (command: LoadCommand | 'cpu') => {
  answer(command).catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
});
process.stdout.write(`${JSON.stringify({ ready: true, url: '' })}\n`);
