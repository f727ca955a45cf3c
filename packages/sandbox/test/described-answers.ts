import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Answer } from './use-sandbox.ts'

/**
 * Compares answers with an OpenAPI document, by a validator that we did not write. Gives what differs:
 * a status that is not described, a described header that is missing, a body of another shape.
 */
export function describedAnswers(
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the server says
  document: any,
): (
  path: string,
  answer: Pick<Answer, 'status' | 'headers' | 'body'>,
  method?: 'get' | 'head',
) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  return (path, { status, headers, body }, method = 'get') => {
    const described = document.paths[path][method].responses[status]
    if (!described) return [`${path} may not answer ${status}`]
    const missing = Object.keys(described.headers ?? {})
      .filter((name) => !headers.has(name))
      .map((name) => `the header ${name} is missing`)
    if (method === 'head') {
      const empty = described.content === undefined && body === undefined
      return empty ? missing : [...missing, `${path} has or describes a body for HEAD`]
    }
    const pointer = [
      'paths',
      path,
      method,
      'responses',
      status,
      'content',
      'application/json',
      'schema',
    ]
      .map((part) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/')
    const validate = ajv.getSchema(`openapi#/${pointer}`)
    if (!validate) return [`${path} describes no body for ${status}`]
    const isValid = validate(structuredClone(body))
    const problems = isValid ? [] : (validate.errors ?? [])
    return [
      ...missing,
      ...problems.map(({ instancePath, message }) => `${instancePath} ${message}`),
    ]
  }
}
