import { UnsupportedMediaType } from '../http/http-errors';

const PARAMETER = /^\s*([^=\s]+)=(?:"([^"]*)"|([^"\s]*))\s*$/;

/**
 * A body must be `application/json`, in UTF-8 where it names a charset; without a content type it is taken for JSON (D-10).
 * @throws UnsupportedMediaType
 */
export function assertJsonContentType(contentType: string | undefined): void {
  if (contentType === undefined || contentType === 'application/json') return;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json' || !parameters.every(isAcceptable)) throw new UnsupportedMediaType();
}

function isAcceptable(parameter: string): boolean {
  if (parameter.trim() === '') return true;
  const [, name, quoted, plain] = PARAMETER.exec(parameter) ?? [];
  return name !== undefined && (name !== 'charset' || (quoted ?? plain) === 'utf-8');
}
