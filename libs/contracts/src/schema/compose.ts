/** Several decorators as one. Applied from the last to the first, as if they stood above the field in this order. */
export function compose(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => decorators.toReversed().forEach((decorate) => decorate(target, property));
}
