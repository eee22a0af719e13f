import type { Target } from './target';

/** What becomes of an answer that is lost. */
export type Loss = 'reset' | 'hang' | '500';

/** A mode with its settings, as one call sees it. */
export interface ModeRule {
  mode: string;
  /** Reason of a refusal. */
  reason?: string;
  /** HTTP status of a refusal or of a 500. */
  status?: number;
  /** How late an answer comes, or how long a transaction stays pending. */
  ms?: number;
  then?: Loss;
}

/** Sets a mode; see README.md for the modes. */
export interface ModeCommand extends ModeRule {
  /** Where; by default where the mode makes most sense. */
  on?: Target | Target[];
  /** For so many calls of each target; without it until the mode is changed. */
  count?: number;
}
