import { ErrorBody, type OpenApiDocument } from '@evenkeel/contracts';
import { loadConfig } from '@evenkeel/platform/config';
import { partOf, recordedAnswers, recordedExamples } from '@evenkeel/platform/openapi';
import { appModule } from '@evenkeel/platform/service';
import { BillingConfig } from '../billing.config';
import { BILLING } from '../service';

const TAGS = [
  { name: 'Plans', description: 'What can be had, and for how much.' },
  { name: 'Subscription', description: 'To buy a plan, change it and end it.' },
  { name: 'Billing', description: 'For the payment provider.' },
];

/** The routes of billing in OpenAPI, read from its controllers; none of them is started. */
export async function billingPart(recorded = recordedAnswers('billing')): Promise<OpenApiDocument> {
  const config = loadConfig(BillingConfig, { DATABASE_URL: 'postgres://nobody@localhost/nothing' });
  return partOf(appModule(BILLING, config), {
    info: { title: 'Billing', version: '1.0.0' },
    tags: TAGS,
    contracts: { bodies: [], answers: [ErrorBody] },
    examples: recordedExamples(recorded),
    description: 'The answer',
  });
}
