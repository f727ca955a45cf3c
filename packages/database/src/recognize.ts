/**
 * Whether it is an error, also one of another realm: in a test of Jest, `instanceof Error` is false
 * for the errors of Node itself.
 */
export function isError(value: unknown): value is Error {
  // oxlint-disable-next-line feed-receiver/realm -- the other half covers other realms
  return value instanceof Error || errorTags.has(Object.prototype.toString.call(value))
}

const errorTags = new Set(['[object Error]', '[object DOMException]'])

/** What `instanceof` does by default. */
const hasInstance = Function.prototype[Symbol.hasInstance]

/**
 * Makes `instanceof` true for the instances of every copy of a class, because an app may load two
 * copies of a package, for example through a dependency or from two bundles. Call it in a static
 * block. The name is the same in all copies, and of one class only.
 */
export function recognizeCopies(
  ours: abstract new (...args: never[]) => object,
  name: string,
): void {
  const brand = Symbol.for(`feed-receiver/${name}`)
  Object.defineProperty(ours.prototype, brand, { value: true })
  Object.defineProperty(ours, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      // A subclass inherits this method, but not every instance of ours is one of it.
      if (this !== ours) return Reflect.apply(hasInstance, this, [value])
      return typeof value === 'object' && value !== null && brand in value
    },
  })
}
