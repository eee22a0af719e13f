import { eventually } from '@evenkeel/platform/testing';
import type { Page, Request } from 'playwright-core';

/** Far shorter than the page waits for an answer: the rest of that is for a busy machine. */
const STEP_MS = 1_000;
/** It can stop at no moment that is over. */
const STOPS_AFTER_MS = 5_000;

/** The time of a page. It stands while an answer is on its way, so that a busy machine does not look like a slow network. */
export class PageClock {
  private readonly unanswered = new Set<Request>();

  private constructor(private readonly page: Page) {}

  static async install(page: Page): Promise<PageClock> {
    const clock = new PageClock(page);
    page.on('request', (request) => clock.unanswered.add(request));
    page.on('response', (response) => clock.excuse(response.request()));
    page.on('requestfailed', (request) => clock.excuse(request));
    await page.clock.install();
    return clock;
  }

  /** Time goes on without the answer to this request. */
  excuse(request: Request): void {
    this.unanswered.delete(request);
  }

  /** From now on time passes by `passMs` alone, however long the test takes. */
  async stop(): Promise<void> {
    const nowMs = await this.page.evaluate(() => Date.now());
    await this.page.clock.pauseAt(nowMs + STOPS_AFTER_MS);
  }

  async passMs(durationMs: number): Promise<void> {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= STEP_MS) {
      await this.page.clock.runFor(Math.min(leftMs, STEP_MS));
      await eventually(() => this.unanswered.size === 0);
    }
  }
}
