import { NotInProduction } from './not-in-production';
import { setting } from './setting';

/**
 * A setting `<app>:<step>`, for tests alone: at this step the process kills itself. The property is the step; it stays
 * unset when the step is one of another app, so that several apps can have one environment.
 */
export function IsCrashPoint(app: string, steps: readonly string[]): PropertyDecorator {
  const named = steps.map((step) => `${app}:${step}`);
  const crashPoint = setting({
    name: 'isCrashPoint',
    read: (text) => {
      if (named.includes(text)) return text.slice(app.length + 1);
      // Null is no step of any app.
      return /^[a-z-]+:\w+$/.test(text) && !text.startsWith(`${app}:`) ? undefined : null;
    },
    isValid: (value) => value !== null,
    expected: `one of ${named.join(', ')}`,
  });
  const forTests = NotInProduction();
  return (target, property) => {
    crashPoint(target, property);
    forTests(target, property);
  };
}

/** Kills the process at the step that its setting names. */
export class ProcessCrash<Step extends string = string> {
  /** @param crashAt undefined: it lives */
  constructor(private readonly crashAt: Step | undefined) {}

  pass(step: Step): void {
    if (this.crashAt === step) process.kill(process.pid, 'SIGKILL');
  }
}
