import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backtest } from '../../figures/backtest';
import type { GroupScores } from '../../figures/figures';
import type { Measure } from '../../figures/bootstrap';
import { intervalOf, plural, score, printable, wordsOf, type Words } from '../format';
import { intervalSentence, sentencesOf } from '../sentences';
import { distributionChart, periodChart, reliabilityDiagram, html, Html, type Content } from './charts';
import { groupTable, strip, tenthTable, worstTable } from './tables';

const STYLE = new Html(readFileSync(join(__dirname, 'page.css'), 'utf8'));
/** The page may load nothing and run nothing, whatever a name in it says. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
const SHOWN_REJECTS = 100;

/** The back-test as one page that needs nothing else. */
export function reportPage(backtest: Backtest, fileName: string): string {
  const words = wordsOf(backtest);
  const { scores } = backtest.overall;
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <title>Back-test of ${printable(fileName)}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <header>
          <h1>Back-test <span>${printable(fileName)}</span></h1>
          <p class="muted">
            ${backtest.format}, engine
            ${backtest.engineVersion}${backtest.from === null ? '' : `, ${backtest.from} to ${backtest.to}`}
          </p>
        </header>
        <main>
          ${panel(
            'What it says',
            html`<p class="question">${words.question}</p>
              <ul>
                ${sentencesOf(backtest).map((sentence) => html`<li>${sentence}</li>`)}
              </ul>`,
            'verdict',
          )}
          ${scores ? figureSections(backtest, scores, words) : ''} ${methodSection(backtest, words)}
        </main>
      </body>
    </html> `;
  return text;
}

/** A part of the page under its heading. */
function panel(title: string, content: Content, kind = ''): Html {
  const id = title.toLowerCase().replaceAll(' ', '-');
  return html`<section class="panel ${kind}" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;
}

function figureSections(backtest: Backtest, scores: GroupScores, words: Words): Html {
  const { byKind, byHistory, byPeriod, worst } = backtest;
  return html`${cards(scores, words)}${charts(backtest, scores, words)}
  ${panel('By kind', groupTable('Figures by kind', 'kind', byKind, words))}
  ${panel('By what was known', groupTable('Figures by length of history', 'history', byHistory, words))}
  ${byPeriod.length === 0 ? '' : panel('By period', groupTable('Figures by period', 'period', byPeriod, words))}
  ${panel('By tenths', tenthTable(scores, words))}
  ${worst.length === 0 ? '' : panel('Worst forecasts', worstContent(backtest, words), 'worst')}`;
}

function cards({ by }: GroupScores, { forecasters }: Words): Html {
  const others = (pick: (who: 'share' | 'strength') => number) =>
    (['share', 'strength'] as const).map(
      (who) =>
        html`<div>
          <dt>${forecasters[who]}</dt>
          <dd>${score(pick(who))}</dd>
        </div>`,
    );
  const card = (name: string, meaning: string, value: Measure, pick: (who: 'share' | 'strength') => number) =>
    html`<section class="panel card">
      <h2>${name}</h2>
      <p class="muted">${meaning}</p>
      <p class="figure">${score(value.value)} <small>${intervalOf(value)}</small></p>
      <dl>${others(pick)}</dl>
    </section>`;
  const { engine } = by;
  const error = { value: engine.calibrationError, low: null, high: null };
  return html`<div class="cards">
    ${card('AUC', 'order: 0.5 is chance, 1 perfect', engine.auc, (who) => by[who].auc.value)}
    ${card('Brier', 'squared error: 0 is perfect', engine.brier, (who) => by[who].brier.value)}
    ${card('Log loss', 'surprise: 0 is perfect', engine.logLoss, (who) => by[who].logLoss.value)}
    ${card('Off in tenths', 'calibration: 0 is perfect', error, (who) => by[who].calibrationError)}
    ${card('Sharpness', 'spread: 0 says always the same', engine.sharpness, (who) => by[who].sharpness.value)}
  </div>`;
}

function charts(backtest: Backtest, scores: GroupScores, words: Words): Html {
  const { event } = words;
  const key = (kind: string, text: string) => html`<li><span class="key ${kind}"></span>${text}</li>`;
  const keys = (...all: Html[]) =>
    html`<ul class="keys">
      ${all}
    </ul>`;
  const overTime = html`<p class="muted">Each point is a period of the table below.</p>
    ${keys(key('came', `how often ${event} came`), key('said', 'mean forecast'))} ${periodChart(backtest)}`;
  return html`<div class="charts">
    ${panel(
      'Reliability',
      html`<p class="muted">
          How often ${event} came for each tenth of the forecasts. They are right on the dashed line.
        </p>
        ${keys(key('dot', 'the larger, the more forecasts'), key('bar', '95 %'))} ${reliabilityDiagram(scores, words)}`,
    )}
    ${panel(
      'Distribution',
      html`<p class="muted">How many forecasts lie where. The further apart the colours, the better the order.</p>
        ${keys(key('came', `${event} followed`), key('none', 'it did not'))} ${distributionChart(backtest, words)}`,
    )}
    ${backtest.byPeriod.length === 0 ? '' : panel('Over time', overTime)}
  </div>`;
}

function worstContent({ subject, worst }: Backtest, words: Words): Html {
  const key = (mark: string, text: string) => html`<li>${strip(mark, subject)} ${text}</li>`;
  const [keys, spans] =
    subject === 'habits'
      ? [
          [key('d', 'done'), key('m', 'missed'), key('s', 'skipped'), key('-', 'not due, or in an open week')],
          'The 14 days before each forecast and the 7 days it was about',
        ]
      : [[key('d', 'passed'), key('m', 'failed')], 'The 14 runs before each forecast and the run it was about'];
  return html`<p class="muted">${spans}; at most one per ${words.one} in four weeks.</p>
    <ul class="keys">
      ${keys}
    </ul>
    ${worstTable({ subject, worst }, words)}`;
}

function methodSection(backtest: Backtest, { one }: Words): Html {
  const { rejects, notes } = backtest;
  const left = rejects.first.slice(0, SHOWN_REJECTS);
  const more = rejects.count - left.length;
  return panel(
    'How this was made',
    html`<p>
        The history of each ${one} was walked from its start; a forecast saw only what came before it.
        ${intervalSentence(backtest)}
      </p>
      ${notes.map((note) => html`<p>${note}</p>`)}
      ${
        rejects.count === 0
          ? ''
          : html`<details>
              <summary>${plural(rejects.count, 'entry', 'entries')} left out</summary>
              <ul>
                ${left.map(({ row, reason }) => html`<li>${printable(row)}: ${reason}</li>`)}
                ${more > 0 ? html`<li>and ${more} more</li>` : ''}
              </ul>
            </details>`
      }`,
    'method',
  );
}
