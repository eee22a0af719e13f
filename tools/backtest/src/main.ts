import { run } from './run';

const { stdout, stderr } = process;

void run(process.argv.slice(2), Date.now(), {
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  progress: (doing) => {
    if (stderr.isTTY) stderr.write(`\r${doing}\x1b[K`);
  },
}).then((code) => {
  process.exitCode = code;
});
