/** Also where the page comes by plain http, which gives browsers no clipboard of its own. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  area.readOnly = true;
  document.body.append(area);
  area.select();
  // Deprecated, and the only way there.
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}

/** Copied numbers are exact: the selection goes to the clipboard with all six decimals, cells separated by tabs. */
export function copyExact(event: ClipboardEvent, selection: Selection | null): void {
  if (event.target instanceof HTMLTextAreaElement) return;
  if (!selection || selection.isCollapsed || !event.clipboardData) return;
  const range = selection.getRangeAt(0);
  const { commonAncestorContainer: node } = range;
  const single = (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>('[data-exact]');
  const text = single?.dataset['exact'] ?? exactText(range.cloneContents());
  if (text === undefined) return;
  event.clipboardData.setData('text/plain', text);
  event.preventDefault();
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
