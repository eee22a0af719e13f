const TRENDS = ['rising', 'stable', 'falling'];

/** A body with so many habits, all their optional numbers given; the same one every time. */
export function habitsBody(count: number): string {
  const habits = Array.from({ length: count }, (_, index) => ({
    name: `Habit number ${index + 1}`,
    completion_rate: Math.round((0.3 + ((index * 37) % 65) / 100) * 100) / 100,
    current_streak: (index * 5) % 17,
    best_streak: 17 + ((index * 7) % 30),
    average_mood: 4 + (index % 5),
    mood_correlation: Math.round((((index * 13) % 100) / 100 - 0.3) * 100) / 100,
    energy_trend: TRENDS[index % TRENDS.length],
    risk_score: Math.round((((index * 11) % 90) / 100) * 100) / 100,
  }));
  return JSON.stringify({ habits, horizon_days: 35 });
}
