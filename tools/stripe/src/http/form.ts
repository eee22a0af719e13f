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
