const page = (text, link) => ({ text, link })
const group = (text, items, collapsed = true) => ({ text, collapsed, items })

const packages = [
  'core',
  'inbox',
  'database',
  'client',
  'sender',
  'sandbox',
  'console',
  'express',
  'koa',
  'fastify',
  'next',
]

/** The navigation. `entries` are the entry points that have a page of the API. */
export function sidebar(entries, hasContributing) {
  return [
    group(
      'Start',
      [
        page('Start in 5 minutes', '/start'),
        page('Existing app', '/guides/existing-app'),
        page('Overview', '/overview'),
      ],
      false,
    ),
    group(
      'Guides',
      [
        page('Handlers', '/guides/handlers'),
        page('Exactly once', '/guides/exactly-once'),
        page('Ordering', '/guides/ordering'),
        page('Retries and dead letters', '/guides/retries'),
        page('Reprocessing', '/guides/reprocessing'),
        page('Rehearsing handlers', '/rehearse'),
        page('Several jobs for one event', '/fan-out'),
        page('Polling and gaps', '/guides/polling'),
        page('Recovery after an outage', '/recovery'),
        page('Rotating a secret', '/rotation'),
        page('Testing', '/testing'),
        page('Deployment', '/guides/deploy'),
        page('Serverless', '/serverless'),
        page('Upgrading', '/guides/upgrading'),
      ],
      false,
    ),
    group('Frameworks and runtimes', [
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
    ]),
    group('Packages', [
      ...packages.map((name) => page(`@feed-receiver/${name}`, `/packages/${name}/`)),
      page('feed-receiver', '/packages/cli/'),
      page('create-feed-receiver', '/packages/create-feed-receiver/'),
    ]),
    group('Reference', [
      page('All of it', '/reference/'),
      page('Command line', '/reference/cli'),
      page('HTTP answers', '/reference/http'),
      page('Errors by code', '/reference/errors'),
      page('Tables', '/reference/tables'),
      group(
        'API',
        entries.map(({ name, file }) => page(name, `/reference/api/${file}`)),
      ),
    ]),
    group('Operations', [
      page('Operations', '/operations/'),
      page('Alerts', '/operations/alerts'),
      page('Runbook', '/operations/runbook'),
      page('High availability', '/high-availability'),
      page('Growing', '/growing'),
    ]),
    group('Project', [
      page('Architecture', '/architecture'),
      page('Security', '/security'),
      ...(hasContributing ? [page('Contributing', '/contributing')] : []),
      page('Changelog', '/changelog'),
    ]),
  ]
}
