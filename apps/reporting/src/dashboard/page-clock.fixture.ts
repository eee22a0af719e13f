import { eventually } from '@evenkeel/platform/testing';
import type { Page, Request } from 'playwright-core';

/** Far shorter than the page waits for an answer: the rest of that is for a busy machine. */
const STEP_MS = 2_000;
/** It can stop at no moment that is over. */
const STOPS_AFTER_MS = 5_000;

/** The time of a page. It stands while the page waits for an answer, so that a busy machine does not look like a slow network. */
export class PageClock {
  /** Addresses whose answers time does not wait for. */
  private readonly excused = new Set<string>();

  private constructor(private readonly page: Page) {}

  static async install(page: Page): Promise<PageClock> {
    await page.addInitScript(listUnanswered);
    await page.clock.install();
    return new PageClock(page);
  }

  /** Time goes on without the answer to this request. */
  excuse(request: Request): void {
    this.excused.add(request.url());
  }

  /** From now on time passes by `passMs` alone, however long the test takes. */
  async stop(): Promise<void> {
    const nowMs = await this.page.evaluate(() => Date.now());
    await this.page.clock.pauseAt(nowMs + STOPS_AFTER_MS);
  }

  async passMs(durationMs: number): Promise<void> {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= STEP_MS) {
      await this.page.clock.runFor(Math.min(leftMs, STEP_MS));
      await eventually(async () => {
        const unanswered = await this.page.evaluate(() => (window as unknown as { unanswered: string[] }).unanswered);
        return unanswered.every((address) => this.excused.has(address));
      });
    }
  }
}

/** In the page, which knows of its requests before the driver of the browser does. */
function listUnanswered(): void {
  const unanswered: string[] = [];
  const listed = async <Answer>(address: string, answer: Promise<Answer>): Promise<Answer> => {
    unanswered.push(address);
    return answer.finally(() => unanswered.splice(unanswered.indexOf(address), 1));
  };
  const { fetch } = window;
  const { text } = Response.prototype;
  window.fetch = (input, init) => {
    const request = new Request(input, init);
    return listed(request.url, fetch(request));
  };
  Response.prototype.text = function () {
    return listed(this.url, text.call(this));
  };
  Object.assign(window, { unanswered });
}
