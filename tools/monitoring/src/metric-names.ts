const WORDS = new Set([
  ...['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'group_left', 'group_right', 'offset', 'bool'],
  ...['inf', 'nan'],
]);

/** Names of the metrics that an expression asks for. */
export function metricNames(expr: string): string[] {
  const bare = expr
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  // What a bracket follows is a function.
  const names = bare.match(/(?<![\w.:])[a-zA-Z_:][\w:]*(?!\w|\s*\()/g) ?? [];
  return [...new Set(names)].filter((name) => !WORDS.has(name.toLowerCase()));
}
