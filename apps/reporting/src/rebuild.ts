import { runRebuild } from '@evenkeel/platform/projection';

const streams = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
};
const program = { service: 'reporting', aggregates: 'wallets' };

void runRebuild(program, process.argv.slice(2), process.env, streams).then((code) => {
  process.exitCode = code;
});
