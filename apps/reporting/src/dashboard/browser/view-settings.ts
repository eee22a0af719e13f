import type { PaymentStatus } from './answers';

export const PERIODS = [1, 7, 30, 90, 365] as const;
export const THEMES = ['auto', 'light', 'dark'] as const;
export const STATUSES = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'] as const;

/** How one looks at the numbers: all of it is in the hash of the address, so that it can be kept and passed on. */
export interface ViewSettings {
  days: number;
  compare: boolean;
  theme: (typeof THEMES)[number];
  status: PaymentStatus | 'all';
}

export const DEFAULT_VIEW: ViewSettings = { days: 30, compare: true, theme: 'auto', status: 'all' };

/** What is missing or not understood takes its default. */
export function readHash(hash: string): ViewSettings {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  return {
    days: PERIODS.find((days) => String(days) === given.get('days')) ?? DEFAULT_VIEW.days,
    compare: given.get('compare') !== 'off',
    theme: THEMES.find((theme) => theme === given.get('theme')) ?? DEFAULT_VIEW.theme,
    status: STATUSES.find((status) => status === given.get('status')) ?? DEFAULT_VIEW.status,
  };
}

/** The period always, of the rest what differs from the default. */
export function hashOf({ days, compare, theme, status }: ViewSettings): string {
  const said = new URLSearchParams({ days: String(days) });
  if (!compare) said.set('compare', 'off');
  if (theme !== DEFAULT_VIEW.theme) said.set('theme', theme);
  if (status !== DEFAULT_VIEW.status) said.set('status', status);
  return `#${said.toString()}`;
}
