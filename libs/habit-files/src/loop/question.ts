/** The question of the app comes before the description, as people read that alone. */
export function describedWith(question: string | null, description: string): string {
  return [question ?? '', description].filter((text) => text !== '').join('\n\n');
}

/** The description without the question before it. */
export function descriptionAlone(description: string, question: string): string {
  if (question === '') return description;
  if (description === question) return '';
  const opening = `${question}\n\n`;
  return description.startsWith(opening) ? description.slice(opening.length) : description;
}
