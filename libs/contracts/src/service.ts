/** How the agent surface presents itself in every discovery document. */
export const SERVICE = {
  id: 'habit-reliability-analytics',
  name: 'Habit Reliability Analytics',
  version: '1.0.0',
  description: 'Deterministic habit and reliability scoring, pay per call.',
  tags: ['habits', 'reliability', 'analytics', 'scoring'],
} as const;
