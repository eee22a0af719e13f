import * as gateway from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import * as keda from '@kubernetes-models/keda/keda.sh/v1alpha1';
import * as prometheus from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { type KubernetesObject, titleOf } from './cluster';

type Model = new (data: never) => { validate(): void };

const MODELS: Readonly<Record<string, object>> = {
  v1: core,
  'apps/v1': apps,
  'autoscaling/v2': autoscaling,
  'batch/v1': batch,
  'gateway.networking.k8s.io/v1': gateway,
  'keda.sh/v1alpha1': keda,
  'monitoring.coreos.com/v1': prometheus,
  'networking.k8s.io/v1': networking,
  'policy/v1': policy,
};

/**
 * Sentences about what of an object its schema does not allow. The validators of the packages are compiled and let unknown
 * members pass, so a member that they never look at is unknown: a misspelt name, or a member at a wrong level.
 */
export function againstSchema(object: KubernetesObject): string[] {
  const title = titleOf(object);
  const { apiVersion, kind } = object;
  const model = (MODELS[apiVersion] as Record<string, Model> | undefined)?.[kind];
  if (!model) return [`${title}: ${apiVersion} ${kind} has no schema here`];
  const levels: Level[] = [];
  try {
    watched(new model(object as never), '', levels).validate();
  } catch (error) {
    return [`${title}: ${(error as Error).message}`];
  }
  // An object of which nothing is read has no schema of its own.
  return levels
    .filter(({ value, read }) => !Array.isArray(value) && read.size > 0)
    .flatMap(({ path, value, read }) =>
      Object.keys(value).flatMap((name) => (read.has(name) ? [] : [`${path}.${name}`])),
    )
    .map((path) => `${title}: ${path} is no member that the schema knows`);
}

interface Level {
  path: string;
  value: object;
  /** Names of members that were read. */
  read: Set<string>;
}

/** An object that remembers which members of it, and of all objects within it, are read. */
function watched<T extends object>(value: T, path: string, levels: Level[]): T {
  const read = new Set<string>();
  const inner = new Map<string, object>();
  levels.push({ path, value, read });
  return new Proxy(value, {
    get: (target, key, receiver) => {
      const member: unknown = Reflect.get(target, key, receiver);
      if (typeof key !== 'string') return member;
      read.add(key);
      if (typeof member !== 'object' || member === null) return member;
      const below = Array.isArray(target) ? `${path}[${key}]` : `${path}.${key}`;
      if (!inner.has(key)) inner.set(key, watched(member, below, levels));
      return inner.get(key);
    },
  });
}
