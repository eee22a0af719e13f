import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
// Code that V8 has compiled and kept is only for the flags that it had then.
setFlagsFromString('--no-expose-gc');

/** What the first collection empties, the second returns to the system. */
const BETWEEN_MS = 1_000;

/**
 * Collects what is no longer used, and returns its memory to the system: tens of milliseconds twice, in which nothing else runs. By
 * itself V8 waits until the heap has grown by half, and what an import leaves behind stays for hours in a process that has little to do.
 */
export function giveBackMemory(): void {
  collect();
  setTimeout(collect, BETWEEN_MS).unref();
}
