/** How the agent surface presents itself in every discovery document. */
export const SERVICE = {
  id: 'habit-reliability-analytics',
  name: 'Habit Reliability Analytics',
  version: '1.0.0',
  description: 'Deterministic habit and reliability scoring, pay per call.',
  /** Begins with the day on which something for sale last changed; a test remembers what was for sale then. */
  offersUpdatedAt: '2026-11-23T00:00:00.000Z',
  tags: ['habits', 'reliability', 'analytics', 'scoring'],
} as const;
