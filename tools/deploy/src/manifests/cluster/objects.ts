/** What every object of Kubernetes has. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata?: { name?: string; namespace?: string; labels?: Record<string, string> };
}

export type Labels = Readonly<Record<string, string>>;

export interface Selector {
  matchLabels?: Labels;
  matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

/** How findings name an object: `Deployment accounts-http`. */
export function titleOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata?.name}`;
}

/** Whether labels fit a selector; an empty one fits all, none fits nothing. */
export function fits(selector: Selector | undefined, labels: Labels = {}): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const equal = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return equal && matchExpressions.every((expression) => holds(expression, labels));
}

function holds(
  { key, operator, values = [] }: NonNullable<Selector['matchExpressions']>[number],
  labels: Labels,
): boolean {
  const value = labels[key];
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  const isAmong = value !== undefined && values.includes(value);
  return operator === 'NotIn' ? !isAmong : isAmong;
}
