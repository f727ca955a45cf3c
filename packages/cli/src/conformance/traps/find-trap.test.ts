import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { reasons } from '@feed-receiver/core'
import { describe, expect, it } from 'vitest'
import answers from '../../../test/answers.json' with { type: 'json' }
import { describeWho, findTrap, guideUrl, type Signs } from './find-trap.ts'
import { traps } from './traps.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

/** An answer of an unknown program. */
function signs(given: Partial<Signs>): Signs {
  return { status: 400, headers: {}, body: '', ...given }
}

describe('an answer recorded from', () => {
  it.each(answers)('$from', ({ trap, ...answer }) => {
    expect(findTrap(answer as Signs)?.name).toBe(trap)
  })
})

describe('an answer of the receiver itself', () => {
  // With headers that a framework may add.
  const headers = { 'x-powered-by': 'Express', 'www-authenticate': 'Basic', vary: 'rsc' }
  const named = new Map([
    ['body_already_read', 'receiver_after_parser'],
    ['client_gone', 'receiver_body_cut'],
    ['body_incomplete', 'receiver_body_cut'],
  ])

  it.each(Object.entries(reasons))(
    '%s is not attributed to another program',
    (code, { status, error }) => {
      const body = JSON.stringify(error === undefined ? { status: code } : { error, code })
      const trap = findTrap({ status, headers, body })
      expect(trap?.name).toBe(error === undefined ? undefined : named.get(code))
    },
  )

  it('is recognized by its code, whatever the status', () => {
    const body = JSON.stringify({ error: 'Cannot POST /feed', code: 'store_failed' })
    for (const status of [401, 404, 413]) {
      expect(findTrap(signs({ status, headers, body }))).toBeUndefined()
    }
  })
})

describe('an answer of an unknown program', () => {
  it.each<[string, Partial<Signs>]>([
    ['only a status', { status: 404 }],
    ['JSON of another receiver', { body: '{"error":"no signature","code":"bad"}', status: 401 }],
    ['a sign after the first kilobyte', { body: `${' '.repeat(1024)}<center>nginx`, status: 413 }],
    ['an accepted page', { status: 200, body: '<center>nginx' }],
    ['the text of a parser with another status', { status: 500, body: 'Invalid JSON' }],
    ['a redirect to another page', { status: 302, headers: { location: '/blog/cogin' } }],
    ['plain text of Express, which is not Koa', { ...plain('Not Found', 404, 'Express') }],
  ])('matches no trap: %s', (_, given) => {
    expect(findTrap(signs(given))).toBeUndefined()
  })

  function plain(body: string, status: number, powered: string): Partial<Signs> {
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-powered-by': powered }
    return { status, headers, body }
  }
})

it.each([
  '/login?next=/feed',
  '/users/sign_in',
  'https://sso.example/',
  'https://x.example/oauth2/authorize',
  '/api/auth/signin',
])('recognizes a redirect to %s as a login page', (location) => {
  expect(findTrap(signs({ status: 302, headers: { location } }))?.name).toBe('login_redirect')
})

it.each([
  ['docs/conformance.md', 'conformance'],
  ['docs/frameworks/README.md', 'frameworks/'],
  ['docs/platforms/sveltekit.md', 'platforms/sveltekit'],
  ['packages/express/README.md', 'packages/express/'],
])('links the page of %s on the site', (page, path) => {
  expect(guideUrl({ page })).toBe(`https://feed-receiver.github.io/feed-receiver/${path}`)
})

describe('every trap', () => {
  it.each(traps.map(({ trap }) => [trap.name, trap] as const))(
    '%s has complete texts',
    (_, trap) => {
      const { name, who, why, fix, page } = trap
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
      for (const text of [why, fix]) expect(text).toMatch(/^[A-Z].*\.$/)
      expect(describeWho(trap)).toContain(' answered. ')
      const pages = [page, ...`${who} ${fix}`.matchAll(/\b(?:docs|packages)\/\S+\.md/g)].map(String)
      for (const one of pages) {
        expect(one).toMatch(/^(?:docs\/(?:frameworks|platforms)|packages\/\w+)\/[\w-]+\.md$/)
        expect(existsSync(root + one)).toBe(true)
      }
      // The page must describe the program that answered.
      const framework =
        /NestJS|Fastify|hapi|Elysia|Nitro|h3|Hono|SvelteKit|Astro|React Router|Next|Koa|Express|nginx/
      const subject = framework.exec(who)?.[0]
      if (subject) expect(readFileSync(root + page, 'utf8')).toContain(subject)
    },
  )

  it('is covered by a recorded or live answer', () => {
    const recorded = new Set(answers.map(({ trap }) => trap))
    const live = new Set(liveTraps)
    expect(traps.map(({ trap }) => trap.name).filter((name) => !recorded.has(name))).toEqual(
      traps.map(({ trap }) => trap.name).filter((name) => live.has(name)),
    )
  })
})

/** The traps that live-frameworks.test.ts produces. */
const liveTraps = [
  'fastify_limit',
  'fastify_parser',
  'fastify_schema',
  'fastify_no_route',
  'hono_validator',
  'hono_no_route',
  'express_limit',
  'express_parser',
  'express_no_route',
  'express_like_limit',
  'express_like_no_route',
  'koa_limit',
  'koa_parser',
  'koa_no_route',
  'login_challenge',
]
