import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { isValidIconUrl, isValidServiceName, sanitizeTags, validateDiscoveryExtension } from '@x402/extensions/bazaar';
import { terms } from '../payments/payment.fixture';
import { resourceOf } from './accepts';
import { compactBazaar, completeBazaar, toolBazaar } from './bazaar';

// The authors' validator tells the console that it knows no `date-time`.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation());
afterAll(() => jest.restoreAllMocks());

describe.each(PAID_ENDPOINTS)('the listing of $path', (endpoint) => {
  it.each([
    ['in the body', completeBazaar(endpoint)],
    ['in the header', compactBazaar(endpoint)],
  ])('%s is what its authors meant', (_, bazaar) => {
    const listed = JSON.parse(JSON.stringify(bazaar)) as never;
    expect(validateDiscoveryExtension(listed)).toEqual({ valid: true });
  });

  it('has a name, tags and an icon that no listing drops', () => {
    const { serviceName, tags, iconUrl } = resourceOf(endpoint, terms) as {
      serviceName: string;
      tags: string[];
      iconUrl: string;
    };
    expect([isValidServiceName(serviceName), isValidIconUrl(iconUrl)]).toEqual([true, true]);
    expect(sanitizeTags(tags)).toEqual(tags);
    expect(endpoint.description.length).toBeLessThanOrEqual(500);
  });
});

it.each(PAID_ENDPOINTS)('the listing of $toolName is what its authors meant', (endpoint) => {
  const bazaar = toolBazaar(endpoint);
  expect(validateDiscoveryExtension(bazaar as never)).toMatchObject({ valid: true });
  // Clients send it back with every payment, in a header of at most 16 KB with the longest signature.
  expect(JSON.stringify(bazaar).length).toBeLessThan(3_000);
});
