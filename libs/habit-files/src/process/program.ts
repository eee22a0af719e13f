import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { tooMuchMemory, UnreadableFile } from '../reading/unreadable-file';
import type { Answer, Question } from './file-process';
import { FileWork } from './file-work';

const BELOW_NORMAL = 10;
const FIRST_TO_GO = '1000';

/** Where processors or memory are short, this process waits, or goes, before the one that answers people. */
function stepBack(): void {
  setPriority(BELOW_NORMAL);
  try {
    writeFileSync('/proc/self/oom_score_adj', FIRST_TO_GO);
  } catch {
    // Only Linux has it.
  }
}

async function answerTo(work: FileWork, { name, values }: Question): Promise<Answer> {
  try {
    return { value: await (work[name] as (...of: unknown[]) => Promise<unknown>).apply(work, [...values]) };
  } catch (error) {
    // A text, a list or a piece of memory that the engine does not make.
    const refusal = error instanceof RangeError ? tooMuchMemory() : error;
    if (refusal instanceof UnreadableFile) return { refused: { code: refusal.code, sentence: refusal.message } };
    return { failed: String((error as Error).stack) };
  }
}

stepBack();
const work = new FileWork();
process.on('message', (question: Question) => void answerTo(work, question).then((answer) => process.send!(answer)));
process.once('disconnect', () => process.exit());
process.send!({ value: 'ready' } satisfies Answer);
