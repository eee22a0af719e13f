import type { World } from '../world/world';
import { payCheckout, showCheckout } from './checkout-page';
import { html, page, type Page } from './html';
import { payOnInvoicePage, showHome, showInvoice } from './invoice-page';
import { changeInPortal, showPortal } from './portal-page';

type Form = URLSearchParams | null;

/** Answers for one object: without a form it is shown, with one its buttons act. Undefined when it is not known. */
type Pages = (world: World, id: string, form: Form) => Page | undefined;

/** By the first part of the path. */
const PAGES: Record<string, Pages> = {
  checkout: pagesOf(({ sessions }) => sessions, showCheckout, payCheckout),
  portal: pagesOf(({ portalSessions }) => portalSessions, showPortal, changeInPortal),
  invoice: pagesOf(({ invoices }) => invoices, showInvoice, payOnInvoicePage),
};

function pagesOf<Kept>(
  table: (world: World) => ReadonlyMap<string, Kept>,
  show: (world: World, object: Kept) => Page,
  act: (world: World, object: Kept, form: URLSearchParams) => Page,
): Pages {
  return (world, id, form) => {
    const object = table(world).get(id);
    if (object === undefined) return undefined;
    return form === null ? show(world, object) : act(world, object, form);
  };
}

/** The hosted page of a path. @param form what was sent with POST, else null */
export function hostedPage(world: World, path: string, form: Form): Page {
  const [, kind = '', id = ''] = path.split('/');
  if (kind === '') return showHome(world);
  const answer = Object.hasOwn(PAGES, kind) ? PAGES[kind]!(world, id, form) : undefined;
  return answer ?? page('No such page', html`<p>It may be of an earlier run.</p>`, 404);
}
