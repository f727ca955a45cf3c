import { ClientError } from './errors.ts'

/** The key, or a function that gives the one in use, which may change without a restart. */
export type ApiKey = string | (() => string | undefined | Promise<string | undefined>)

/** Asks for the key in use. Errors: `bad_option`, which never shows it. */
export async function readKey(apiKey: ApiKey | undefined): Promise<string> {
  const key = (typeof apiKey === 'function' ? await apiKey() : apiKey)?.trim()
  if (key === undefined || key === '') {
    throw new ClientError(
      'bad_option',
      'apiKey: there is none. Create a key in the developer area of the service, and set it.',
    )
  }
  // What cannot stand in a header would be shown by the error about it.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ClientError(
      'bad_option',
      'apiKey: this is no key, since it holds spaces or other characters that no key has. ' +
        'Copy the whole key again.',
    )
  }
  return key
}
