import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { CreditFlow, Credits } from './answers';
import { moneyText } from './numbers-text';
import type { Panel } from './page-state';
import { periodText, shortDateText } from './times-text';
import { count, money } from './values';

export const creditsPeriodPanel: Panel = ({ answers: { credits } }) => (credits ? periodText(credits) : nothing);

/** From what was owed before the period to what is owed after it. */
export const creditsPanel: Panel = ({ answers: { credits } }) => {
  const steps = stepsOf(credits);
  const bars = stepBars(steps.map(({ sign, flow }) => ({ sign, usd: flow?.face_value.usd ?? 0 })));
  return html`
    <table class="roll-forward">
      <caption class="unseen">
        What is owed in call credits, from the opening to the closing of the period
      </caption>
      <thead>
        <tr>
          <th scope="col">Call credits</th>
          <th scope="col" class="number">Number</th>
          <th scope="col" class="number">Value, USD</th>
          <th class="step"><span class="unseen">As a bar</span></th>
        </tr>
      </thead>
      <tbody>
        ${steps.map((step, index) => stepRow(step, bars[index]!))}
      </tbody>
    </table>
    ${credits ? html`<p class="muted">${redeemedWords(credits)}</p>` : nothing}
  `;
};

interface Step {
  name: string;
  sign: '=' | '+' | '\u2212';
  flow: CreditFlow | undefined;
}

function stepsOf(credits: Credits | undefined): Step[] {
  const isOver = credits === undefined || credits.to < credits.as_of.slice(0, 10);
  return [
    { name: credits ? `Opening, ${shortDateText(credits.from)}` : 'Opening', sign: '=', flow: credits?.opening },
    { name: 'Issued', sign: '+', flow: credits?.issued },
    { name: 'Redeemed', sign: '\u2212', flow: credits?.redeemed },
    { name: 'Expired', sign: '\u2212', flow: credits?.expired },
    {
      name: credits ? `Closing, ${shortDateText(credits.to)}${isOver ? '' : ', so far'}` : 'Closing',
      sign: '=',
      flow: credits?.closing,
    },
  ];
}

function stepRow({ name, sign, flow }: Step, { from, width }: StepBar): TemplateResult {
  const isSum = sign === '=';
  return html`<tr class=${isSum ? 'sum' : nothing}>
    <th scope="row"><span class="sign">${isSum ? '' : sign}</span>${name}</th>
    <td class="number">${count(flow?.credits)}</td>
    <td class="number">${money(flow?.face_value)}</td>
    <td class="step">
      <svg aria-hidden="true">
        ${svg`<rect data-sign=${sign} x="${from}%" width="${width}%" height="100%" rx="2" />`}
      </svg>
    </td>
  </tr>`;
}

interface StepBar {
  /** In per cent of the longest way. */
  from: number;
  width: number;
}

/**
 * Bars that begin where the one before them ended, so that they lead from the first sum to the last. What is less than
 * nothing, as before the news of an issue, has no length.
 */
export function stepBars(steps: readonly { sign: Step['sign']; usd: number }[]): StepBar[] {
  let reached = 0;
  const ends = steps.map(({ sign, usd }): [number, number] => {
    const begin = sign === '=' ? 0 : reached;
    reached = sign === '=' ? usd : reached + (sign === '+' ? usd : -usd);
    return [Math.max(0, Math.min(begin, reached)), Math.max(0, begin, reached)];
  });
  const longest = Math.max(0.01, ...ends.map(([, end]) => end));
  return ends.map(([begin, end]) => ({ from: (begin / longest) * 100, width: ((end - begin) / longest) * 100 }));
}

function redeemedWords({ redeemed, rebate_redeemed: paid, returned_change: back }: Credits): string {
  if (redeemed.credits === 0) return 'Credits that expire are owed no more.';
  return (
    `Redeemed: calls for ${moneyText(paid)} USD, and ${moneyText(back)} USD of change, back with the wallets. ` +
    'Credits that expire are owed no more.'
  );
}
