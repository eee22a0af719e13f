/** Kills the process at the step that its setting names. */
export class ProcessCrash<Step extends string = string> {
  /** @param crashAt undefined: it does not crash */
  constructor(private readonly crashAt: Step | undefined) {}

  pass(step: Step): void {
    if (this.crashAt === step) process.kill(process.pid, 'SIGKILL');
  }
}
