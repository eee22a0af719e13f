import { setting } from './setting';

/** How often something may happen: so many times within so many seconds. */
export interface Rate {
  limit: number;
  windowSeconds: number;
}

const TEXT = /^(\d{1,9})\/(\d{1,6})$/;

/** A setting `count/seconds`, both at least 1; the property is a `Rate`. */
export function IsRate(): PropertyDecorator {
  return setting({
    name: 'isRate',
    read: (text) => rateOf(text) ?? text,
    isValid: (value) => typeof value === 'object',
    expected: 'count/seconds, such as 600/60',
  });
}

function rateOf(text: string): Rate | null {
  const [, limit = 0, windowSeconds = 0] = TEXT.exec(text)?.map(Number) ?? [];
  return limit > 0 && windowSeconds > 0 ? { limit, windowSeconds } : null;
}

/** A rate that allows so many times more, at least one; the window stays. */
export function scaled({ limit, windowSeconds }: Rate, factor: number): Rate {
  return { limit: Math.max(1, Math.round(limit * factor)), windowSeconds };
}
