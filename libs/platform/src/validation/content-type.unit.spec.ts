import { UnsupportedMediaType } from '../http/http-errors';
import { assertJsonContentType } from './content-type';

describe('assertJsonContentType', () => {
  it.each([
    undefined,
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf-8; version=1',
    'application/json;',
  ])('takes %p', (type) => expect(() => assertJsonContentType(type)).not.toThrow());

  it.each([
    '',
    'text/plain',
    'application/jsonp',
    'application/problem+json',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; charset',
    'application/json, text/plain',
    'multipart/form-data; boundary=x',
  ])('refuses %p', (type) => expect(() => assertJsonContentType(type)).toThrow(UnsupportedMediaType));
});
