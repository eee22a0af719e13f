import { Refusal } from './refusal';

/** A form or a query as a tree: `items[0][price]=x` lies under `items`, `0`, `price`. */
export type Tree = { [name: string]: string | Tree };

/** @throws Refusal for names that are no paths */
export function readForm(text: string): Tree {
  const tree: Tree = Object.create(null) as Tree;
  for (const [name, value] of new URLSearchParams(text)) {
    const path = pathOf(name);
    put(tree, path, value, name);
  }
  return tree;
}

function pathOf(name: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!match) throw Refusal.invalid(`Invalid parameter name: ${name}`, name);
  return [match[1]!, ...[...match[2]!.matchAll(/\[([^[\]]*)\]/g)].map(([, part]) => part!)];
}

function put(tree: Tree, [first, ...rest]: string[], value: string, name: string): void {
  const key = first === '' ? String(Object.keys(tree).length) : first!;
  if (rest.length === 0) {
    tree[key] = value;
    return;
  }
  const inner = (tree[key] ??= Object.create(null) as Tree);
  if (typeof inner === 'string') throw Refusal.invalid(`Invalid parameter: ${name} is text and an object`, name);
  put(inner, rest, value, name);
}

/** Reads the parameters of a call. What nobody has read at the end is refused, so that nothing is ignored silently. */
export class Params {
  private readonly read = new Set<string>();
  private readonly inner: Params[] = [];

  constructor(
    private readonly values: Tree,
    private readonly path = '',
  ) {}

  has(name: string): boolean {
    return this.value(name) !== undefined;
  }

  isText(name: string): boolean {
    return typeof this.values[name] === 'string';
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === 'string') return value;
    throw Refusal.invalid(`Invalid string: ${this.nameOf(name)}`, this.nameOf(name));
  }

  required(name: string): string {
    const value = this.text(name);
    if (value !== undefined && value !== '') return value;
    const param = this.nameOf(name);
    throw Refusal.invalid(`Missing required param: ${param}.`, param, 'parameter_missing');
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.text(name);
    if (value === undefined || choices.includes(value as Choice)) return value as Choice | undefined;
    const message = `Invalid ${this.nameOf(name)}: must be one of ${choices.join(', ')}`;
    throw Refusal.invalid(message, this.nameOf(name));
  }

  integer(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (/^-?\d{1,15}$/.test(value)) return Number(value);
    throw Refusal.invalid(`Invalid integer: ${value}`, this.nameOf(name), 'parameter_invalid_integer');
  }

  boolean(name: string): boolean | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (value === 'true' || value === 'false') return value === 'true';
    throw Refusal.invalid(`Invalid boolean: ${value}`, this.nameOf(name));
  }

  object(name: string): Params | undefined {
    const value = this.value(name);
    if (value === undefined || value === '') return undefined;
    if (typeof value === 'string') throw Refusal.invalid(`Invalid object`, this.nameOf(name));
    const inner = new Params(value, this.nameOf(name));
    this.inner.push(inner);
    return inner;
  }

  /** Objects of a list. */
  list(name: string): Params[] {
    const list = this.object(name);
    return list === undefined ? [] : list.names.map((index) => list.object(index)!);
  }

  texts(name: string): string[] {
    const list = this.object(name);
    return list === undefined ? [] : list.names.map((index) => list.text(index)!);
  }

  /** Changes to metadata: an empty value takes a key away. */
  metadata(current: Record<string, string> = {}): Record<string, string> {
    const given = this.object('metadata');
    const changed = Object.fromEntries((given?.names ?? []).map((name) => [name, given!.text(name)!]));
    return Object.fromEntries(Object.entries({ ...current, ...changed }).filter(([, value]) => value !== ''));
  }

  /** @throws Refusal naming the first parameter that was not read */
  finish(): void {
    const unknown = this.names.find((name) => !this.read.has(name));
    if (unknown !== undefined) {
      const param = this.nameOf(unknown);
      throw Refusal.invalid(`Received unknown parameter: ${param}`, param, 'parameter_unknown');
    }
    for (const inner of this.inner) inner.finish();
  }

  get names(): string[] {
    return Object.keys(this.values);
  }

  private value(name: string): string | Tree | undefined {
    this.read.add(name);
    return this.values[name];
  }

  private nameOf(name: string): string {
    return this.path === '' ? name : `${this.path}[${name}]`;
  }
}
