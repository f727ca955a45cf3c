import { CliError } from './errors.ts'

/**
 * Lays `--set` over an event: `data.title=text` sets a text, `data.summary:=null` any JSON.
 *
 * @throws CliError `usage` for what has neither form, and for a path that leads through no object.
 */
export function setMembers(event: object, settings: readonly string[]): object {
  const copy: object = structuredClone(event)
  for (const setting of settings) setMember(copy, readSetting(setting))
  return copy
}

interface Setting {
  path: string[]
  value: unknown
}

function readSetting(setting: string): Setting {
  const [, path = '', sign, text = ''] = /^([^=:]+)(:?=)(.*)$/s.exec(setting) ?? []
  if (path === '') {
    throw new CliError(
      'usage',
      '--set has the form data.title=text, or data.summary:=null for JSON.',
    )
  }
  return { path: path.split('.'), value: sign === ':=' ? readJson(path, text) : text }
}

function readJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CliError('usage', `--set ${path}:= needs JSON behind it; for a text use ${path}=.`)
  }
}

function setMember(target: object, { path, value }: Setting): void {
  const last = path.at(-1) ?? ''
  let place: unknown = target
  for (const step of path.slice(0, -1)) {
    const isThere = typeof place === 'object' && place !== null && Object.hasOwn(place, step)
    place = isThere ? Reflect.get(place ?? {}, step) : undefined
  }
  if (typeof place !== 'object' || place === null) {
    throw new CliError('usage', `--set ${path.join('.')}: there is no object to set it in.`)
  }
  // A plain assignment of "__proto__" would set nothing that JSON shows.
  Object.defineProperty(place, last, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
