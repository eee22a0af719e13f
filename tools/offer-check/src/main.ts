import { run } from './run';

const streams = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
};
void run(process.argv.slice(2), streams).then((code) => {
  process.exitCode = code;
});
