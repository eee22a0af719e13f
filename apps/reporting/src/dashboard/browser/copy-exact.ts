/** Copied numbers are exact: what is selected goes to the clipboard with all six decimals, cells apart by tabs. */
export function copyExact(event: ClipboardEvent, selection: Selection | null): void {
  if (!selection || selection.isCollapsed || !event.clipboardData) return;
  const range = selection.getRangeAt(0);
  const single = closestMoney(range.commonAncestorContainer);
  const text = single?.dataset['exact'] ?? exactText(range.cloneContents());
  if (text === undefined) return;
  event.clipboardData.setData('text/plain', text);
  event.preventDefault();
}

function closestMoney(node: Node): HTMLElement | null {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest<HTMLElement>('[data-exact]') ?? null;
}

/** @returns nothing where no money is among it: then the browser copies as ever */
function exactText(part: DocumentFragment): string | undefined {
  const amounts = part.querySelectorAll<HTMLElement>('[data-exact]');
  if (amounts.length === 0) return undefined;
  for (const amount of amounts) amount.textContent = amount.dataset['exact']!;
  const rows = [...part.querySelectorAll('tr')];
  if (rows.length === 0) return lineOf(part);
  return rows.map((row) => [...row.cells].map(lineOf).join('\t')).join('\n');
}

function lineOf(node: Node): string {
  return (node.textContent ?? '').replace(/\s+/g, ' ').trim();
}
