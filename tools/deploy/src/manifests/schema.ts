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
 * members pass, so a member that they never look at is unknown: a misspelt name, or a member in the wrong place.
 */
export function againstSchema(object: KubernetesObject): string[] {
  const title = titleOf(object);
  const { apiVersion, kind } = object;
  const model = (MODELS[apiVersion] as Record<string, Model> | undefined)?.[kind];
  if (!model) return [`${title}: ${apiVersion} ${kind} has no schema here`];
  const watched = new WatchedMembers();
  try {
    watched.of(new model(object as never)).validate();
  } catch (error) {
    return [`${title}: ${(error as Error).message}`];
  }
  return watched.unread().map((path) => `${title}: ${path} is no member that the schema knows`);
}

/** Remembers which members of an object, and of all objects within it, are read. */
class WatchedMembers {
  private readonly levels: { path: string; value: object; read: Set<string> }[] = [];

  of<T extends object>(value: T, path = ''): T {
    const read = new Set<string>();
    const inner = new Map<string, object>();
    this.levels.push({ path, value, read });
    return new Proxy(value, {
      get: (target, key, receiver) => {
        const member: unknown = Reflect.get(target, key, receiver);
        if (typeof key !== 'string') return member;
        read.add(key);
        if (typeof member !== 'object' || member === null) return member;
        if (!inner.has(key))
          inner.set(key, this.of(member, Array.isArray(target) ? `${path}[${key}]` : `${path}.${key}`));
        return inner.get(key);
      },
    });
  }

  /** An object of which nothing is read has no schema of its own. */
  unread(): string[] {
    return this.levels.flatMap(({ path, value, read }) => {
      if (Array.isArray(value) || read.size === 0) return [];
      return Object.keys(value)
        .filter((name) => !read.has(name))
        .map((name) => `${path}.${name}`);
    });
  }
}
