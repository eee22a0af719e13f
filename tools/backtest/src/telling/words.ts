import type { Backtest } from '../figures/backtest';
import type { Forecaster } from '../walking/forecasts';

/** What things are called when habits are told of, and when tasks are. */
export interface Words {
  one: string;
  many: string;
  /** What is forecast. */
  event: string;
  events: string;
  question: string;
  forecasters: Record<Forecaster, string>;
}

const WORDS: Record<Backtest['subject'], Words> = {
  habits: {
    one: 'habit',
    many: 'habits',
    event: 'a lapse',
    events: 'lapses',
    question: 'Each morning: will fewer than half of the occasions of the next seven days be done?',
    forecasters: { engine: 'lapse risk', share: 'share done so far', strength: "Loop's strength" },
  },
  tasks: {
    one: 'task',
    many: 'tasks',
    event: 'a failure',
    events: 'failures',
    question: 'Before each run: will it fail?',
    forecasters: { engine: 'next-run risk', share: 'share passed so far', strength: '13-run strength' },
  },
};

export function wordsOf({ subject }: Backtest): Words {
  return WORDS[subject];
}
