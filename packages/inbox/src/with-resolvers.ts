/** A promise, and the functions that end it. */
export interface Resolvers<T> {
  promise: Promise<T>
  resolve(value: T): void
  reject(reason: unknown): void
}

/** `Promise.withResolvers`, which Node 20 does not have. */
export function withResolvers<T = void>(): Resolvers<T> {
  let resolve: Resolvers<T>['resolve'] = noop
  let reject: Resolvers<T>['reject'] = noop
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

function noop(): void {}
