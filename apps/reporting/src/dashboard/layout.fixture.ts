import type { Page } from 'playwright-core';

/** How far the content reaches out to the right of the window, in pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Texts and controls that cover each other, a line for each pair; what is clipped away covers nothing. */
export function collisionsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    interface Piece {
      owner: Element;
      name: string;
      box: DOMRect;
    }
    const CONTROLS = 'a, button, input, select, summary';
    const clipped = (box: DOMRect, element: Element | null): DOMRect => {
      let { left, top, right, bottom } = box;
      for (let around = element; around; around = around.parentElement) {
        const { overflowX, overflowY, clipPath } = getComputedStyle(around);
        if (clipPath.startsWith('inset(50%')) return new DOMRect();
        if (overflowX === 'visible' && overflowY === 'visible') continue;
        const frame = around.getBoundingClientRect();
        left = Math.max(left, frame.left);
        top = Math.max(top, frame.top);
        right = Math.min(right, frame.right);
        bottom = Math.min(bottom, frame.bottom);
      }
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
    };
    const pieces: Piece[] = [];
    const add = (owner: Element, name: string, boxes: Iterable<DOMRect>): void => {
      if (!owner.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
      for (const box of boxes) {
        const seen = clipped(box, owner);
        // A text for screen readers alone is one pixel of each.
        if (seen.width > 2 && seen.height > 2) pieces.push({ owner, name, box: seen });
      }
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      const text = node.textContent!.trim();
      if (text === '' || !node.parentElement) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      add(node.parentElement, text.slice(0, 40), range.getClientRects());
    }
    for (const control of document.querySelectorAll(CONTROLS)) {
      const name = control.ariaLabel ?? control.textContent.trim().slice(0, 40);
      add(control, `<${control.localName}> ${name}`, [control.getBoundingClientRect()]);
    }
    const isPartOf = (one: Piece, other: Piece): boolean =>
      one.owner.contains(other.owner) || other.owner.contains(one.owner);
    // Lines of a text stand closer than their boxes are high.
    const overlap = ({ box: one }: Piece, { box: other }: Piece): boolean =>
      Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.3 * Math.min(one.height, other.height);
    const found: string[] = [];
    pieces.sort(({ box: one }, { box: other }) => one.top - other.top);
    for (const [place, one] of pieces.entries()) {
      for (const other of pieces.slice(place + 1)) {
        // This one and those that follow begin below.
        if (other.box.top >= one.box.bottom) break;
        if (overlap(one, other) && !isPartOf(one, other)) found.push(`${one.name} | ${other.name}`);
      }
    }
    return found;
  });
}
