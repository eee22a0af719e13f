import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { validateDiscoveryExtension } from '@x402/extensions/bazaar';
import { toolBazaar } from './tool-bazaar';

it.each(PAID_ENDPOINTS)('the listing of $toolName is what its authors meant', (endpoint) => {
  const bazaar = toolBazaar(endpoint);
  expect(validateDiscoveryExtension(bazaar as never)).toMatchObject({ valid: true });
  // Clients send it back with every payment, in a header of at most 8 KB.
  expect(JSON.stringify(bazaar).length).toBeLessThan(3_000);
});
