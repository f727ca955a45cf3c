const page = (text, link) => ({ text, link })
const group = (text, items) => ({ text, items })

const packages = [
  'core',
  'inbox',
  'operate',
  'database',
  'client',
  'sender',
  'sandbox',
  'console',
  'shards',
  'express',
  'koa',
  'fastify',
  'next',
]

/**
 * The navigation of each part of the site. Groups do not fold: the buttons that fold them in the
 * default theme hold other buttons, which screen readers cannot tell apart.
 *
 * @param entries The entry points that have a page of the API.
 */
export function sidebar(entries) {
  const frameworks = [frameworksGroup(), platformsGroup()]
  const reference = [referenceGroup(), packagesGroup(), apiGroup(entries)]
  return {
    '/frameworks/': frameworks,
    '/platforms/': frameworks,
    '/runtimes': frameworks,
    '/packages/': reference,
    '/reference/': reference,
    '/': [startGroup(), recipesGroup(), guidesGroup(), operationsGroup(), projectGroup()],
  }
}

function startGroup() {
  return group('Start', [
    page('Start in 5 minutes', '/start'),
    page('Existing app', '/guides/existing-app'),
    page('Event catalogue', '/events'),
    page('Overview', '/overview'),
  ])
}

function recipesGroup() {
  return group('Recipes', [
    page('Recipes', '/recipes/'),
    page('Incidents', '/recipes/incidents'),
    page('Model watch', '/recipes/model-watch'),
    page('Price history', '/recipes/price-history'),
    page('Digest', '/recipes/digest'),
  ])
}

function guidesGroup() {
  return group('Guides', [
    page('Handlers', '/guides/handlers'),
    page('Exactly once', '/guides/exactly-once'),
    page('Your own transactions', '/guides/transactions'),
    page('Ordering', '/guides/ordering'),
    page('Retries and dead letters', '/guides/retries'),
    page('Reprocessing', '/guides/reprocessing'),
    page('Rehearsing handlers', '/rehearse'),
    page('Several jobs for one event', '/fan-out'),
    page('Polling and gaps', '/guides/polling'),
    page('Recovery after an outage', '/recovery'),
    page('Auditing a month', '/audit'),
    page('Rotating a secret', '/rotation'),
    page('Testing', '/testing'),
    page('Checking any receiver', '/conformance'),
    page('Deployment', '/guides/deploy'),
    page('Serverless', '/serverless'),
    page('Upgrading', '/guides/upgrading'),
  ])
}

function frameworksGroup() {
  return group('Frameworks and runtimes', [
    page('Frameworks', '/frameworks/'),
    page('Express', '/packages/express/'),
    page('Koa', '/packages/koa/'),
    page('Fastify', '/packages/fastify/'),
    page('Next', '/packages/next/'),
    page('NestJS', '/frameworks/nest'),
    page('Hono', '/frameworks/hono'),
    page('h3', '/frameworks/h3'),
    page('hapi', '/frameworks/hapi'),
    page('Elysia', '/frameworks/elysia'),
    page('Runtimes', '/runtimes'),
  ])
}

function platformsGroup() {
  return group('Platforms', [
    page('Platforms', '/platforms/'),
    page('AWS Lambda', '/platforms/lambda'),
    page('Azure Functions', '/platforms/azure'),
    page('Google Cloud', '/platforms/google'),
    page('Vercel', '/platforms/vercel'),
    page('SvelteKit', '/platforms/sveltekit'),
    page('Astro', '/platforms/astro'),
    page('Nitro', '/platforms/nitro'),
    page('Nuxt', '/platforms/nuxt'),
    page('React Router', '/platforms/react-router'),
  ])
}

function packagesGroup() {
  return group('Packages', [
    ...packages.map((name) => page(`@feed-receiver/${name}`, `/packages/${name}/`)),
    page('feed-receiver', '/packages/cli/'),
    page('create-feed-receiver', '/packages/create-feed-receiver/'),
  ])
}

function referenceGroup() {
  return group('Reference', [
    page('All of it', '/reference/'),
    page('Command line', '/reference/cli'),
    page('HTTP answers', '/reference/http'),
    page('Errors by code', '/reference/errors'),
    page('Tables', '/reference/tables'),
  ])
}

function apiGroup(entries) {
  return group(
    'API',
    entries.map(({ name, file }) => page(name, `/reference/api/${file}`)),
  )
}

function operationsGroup() {
  return group('Operations', [
    page('Operations', '/operations/'),
    page('Operating an inbox', '/guides/operating'),
    page('Entries', '/guides/entries'),
    page('Health', '/guides/health'),
    page('Traces and metrics', '/guides/metrics'),
    page('Alerts', '/operations/alerts'),
    page('Runbook', '/operations/runbook'),
    page('High availability', '/high-availability'),
    page('Growing', '/growing'),
    page('Extending an inbox', '/guides/extending'),
  ])
}

function projectGroup() {
  return group('Project', [
    page('Questions before you adopt it', '/questions'),
    page('Proof', '/proof'),
    page('Requirements', '/requirements'),
    page('Architecture', '/architecture'),
    page('Security', '/security'),
    page('Support policy', '/support'),
    page('Leaving', '/leaving'),
    page('Contributing', '/contributing'),
    page('Changelog', '/changelog'),
  ])
}
