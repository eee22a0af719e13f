import type { ClassConstructor } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import { secretSettings } from './secrets';

interface DeclaredSetting {
  name: string;
  /** Marked with `@Secret()`. */
  isSecret: boolean;
}

/** The settings of a config class, inherited ones too, in the order of their names. */
export function settingsOf(type: ClassConstructor<object>): DeclaredSetting[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const secrets = new Set(secretSettings(type));
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))].sort();
  return names.map((name) => ({ name, isSecret: secrets.has(name) }));
}
