import { SERVICE, type OpenApiDocument } from '@evenkeel/contracts';

type OpenApiInfo = OpenApiDocument['info'];

/** Name, version and whom to ask, as every OpenAPI document of ours begins. */
export function serviceInfo(baseUrl: string, email: string | undefined): OpenApiInfo {
  return {
    title: SERVICE.name,
    version: SERVICE.version,
    description: SERVICE.description,
    contact: { name: SERVICE.name, url: baseUrl, ...(email !== undefined && { email }) },
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  };
}
