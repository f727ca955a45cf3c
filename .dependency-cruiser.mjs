// The architecture as rules: `npm run check` fails on an import that breaks one.

const mcpServer = '@modelcontextprotocol/server'
const prometheus = ['@opentelemetry/exporter-prometheus', '@opentelemetry/sdk-metrics']
const servedByCommand = [
  'client',
  'console',
  'core',
  'database',
  'inbox',
  'operate',
  'sandbox',
  'sender',
  'shards',
]

// What each package may import, and its layers, top first. A file imports from its own layer or from
// one below. A name stands for the folder or the file of that name in `src`.
export const packages = {
  core: {
    uses: [],
    layers: [
      ['index', 'node', 'web', 'internal', 'testing'],
      ['shared', 'receiver.node', 'receiver.web'],
      ['to-fetch', 'to-lambda', 'to-node-handler', 'from-node', 'page-files'],
      ['receiver', 'options'],
      ['store-delivery', 'read-body', 'reply', 'rejections', 'platform'],
      ['delivery', 'request', 'signature'],
      ['reasons', 'event', 'limits', 'raw-body'],
      ['errors', 'clock'],
      ['error-with-code'],
      ['recognize'],
    ],
  },
  express: { uses: ['core', 'express'] },
  koa: { uses: ['core', 'koa'] },
  fastify: { uses: ['core', 'fastify'] },
  next: { uses: ['core', 'next'] },
  client: {
    uses: ['core', '@modelcontextprotocol/client', 'zod'],
    layers: [
      ['index'],
      ['create-client', 'poll'],
      ['mcp', 'events'],
      ['read-page', 'requester', 'unavailable'],
      ['send'],
      ['client-options', 'rate-limit', 'wait', 'progress', 'causes'],
      ['api', 'errors'],
    ],
  },
  database: {
    uses: ['core', 'pg', 'postgres-array', '@electric-sql/pglite'],
    layers: [
      ['index', 'internal', 'open-database'],
      ['database'],
      ['migrate', 'postgres', 'embedded', 'shared', 'lazy-tx'],
      ['lock', 'values', 'until-available'],
      ['driver', 'errors', 'group-commit'],
    ],
  },
  inbox: {
    uses: ['core', 'database', 'pg-boss', '@opentelemetry/api', ...prometheus],
    layers: [
      ['index', 'internal', 'testing', 'telemetry/metrics', 'extend'],
      ['\\w+-inbox', 'inbox', 'open'],
      ['telemetry/observe-health', 'options'],
      ['health'],
      ['admin'],
      ['pull'],
      ['handle', 'accept'],
      ['preflight', 'extension'],
      ['schema/inbox-sql'],
      ['queue', 'context'],
      ['entry'],
      ['sql-states', 'failure-log', 'lifecycle', 'queue-names'],
      [
        'telemetry/(instruments|trace-context|opentelemetry)',
        'timeout',
        'repeat',
        'report-to',
        'dry-run',
      ],
      [
        'errors',
        'own-context',
        'clean-text',
        'closest',
        'with-resolvers',
        'schema/(index|0001-inbox)',
      ],
    ],
  },
  operate: {
    uses: ['core', 'database', 'inbox'],
    layers: [
      ['alerts/index', 'audit/index', 'rehearse/index'],
      ['alerts', 'reproduce', 'rehearse', 'audit'],
      ['errors'],
    ],
  },
  shards: {
    uses: ['core', 'database', 'inbox'],
    layers: [
      ['index'],
      ['shard-inbox', 'read-shards', 'place-on-citus'],
      ['lifecycle', 'health', 'pull', 'citus-database'],
      ['gaps'],
      ['ask-shards'],
      ['choose-shard'],
      ['errors'],
    ],
  },
  sender: {
    uses: ['core', 'ipaddr.js', 'undici'],
    layers: [
      ['testing'],
      ['index', 'internal', 'create-sender'],
      ['attempt'],
      ['target'],
      ['answer'],
      ['fixtures', 'virtual-clock'],
      ['errors'],
    ],
  },
  sandbox: {
    uses: ['client/src/api', 'core', 'database', 'sender', mcpServer, 'fastify', 'marked', 'zod'],
    layers: [
      ['index', 'create-sandbox'],
      ['control'],
      ['mcp', 'documents'],
      ['events', 'account-events', 'models'],
      ['webhooks'],
      ['seed', 'faults'],
      ['accounts', 'clock'],
      ['server'],
      ['options'],
      ['state'],
      ['errors', 'migrations'],
    ],
  },
  'page-kit': {
    uses: ['preact'],
    layers: [
      ['index'],
      ['controls', 'dialog'],
      ['live'],
      ['frame', 'lists', 'copy'],
      ['notices', 'route', 'untrusted'],
      ['keys'],
      ['modal'],
      ['api', 'topic', 'words', 'styles'],
    ],
  },
  console: {
    uses: ['core', 'inbox', 'hono', 'zod'],
    layers: [
      ['index', 'create-console'],
      ['actions'],
      ['views', 'access'],
      ['query', 'cookies', 'describe-rejections'],
      ['rejection'],
      ['errors', 'access-from-env'],
    ],
  },
  cli: {
    uses: ['commander', 'leven', 'open', 'string-width', 'zod', mcpServer, ...servedByCommand],
    layers: [
      ['internal', 'bin'],
      ['program'],
      ['commands', 'mcp'],
      ['dev', 'doctor', 'models', 'relay'],
      [
        'read-delivery',
        'describe-attempt',
        'load-handlers',
        'make-console',
        'read-alerts',
        'start-server',
      ],
      ['usage-error', 'command', 'options'],
      ['conformance'],
      ['output'],
      ['errors', 'or-undefined', 'env-file', 'process-group'],
    ],
  },
  'create-feed-receiver': {
    uses: ['commander', '@clack/prompts'],
    layers: [
      ['bin'],
      ['main'],
      ['create-app', 'add-to-app'],
      ['adapt-template', 'ask-choices', 'plan-addition'],
      ['plan-files', 'check-settings', 'find-database', 'recipes'],
      ['find-tools'],
      ['find-app'],
      ['find-entry', 'find-app-call'],
      ['install-packages'],
      ['package-manager'],
      ['write-files', 'env-file', 'manifest', 'read-tsconfig'],
      ['context', 'errors', 'folders'],
    ],
  },
}

export default {
  forbidden: [
    { name: 'circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'core/web reaches nothing of Node',
      severity: 'error',
      from: { path: '^packages/core/src/web\\.ts$' },
      to: { path: '\\.node\\.ts$', reachable: true },
    },
    {
      name: 'conformance imports only core and sender',
      severity: 'error',
      from: { path: '^packages/cli/src/conformance/' },
      to: { path: '^packages/', pathNot: '^packages/(cli|core|sender)/' },
    },
    ...Object.entries(packages).flatMap(([name, { uses, layers = [] }]) => [
      onlyUses(name, uses),
      ...layers.flatMap((_, at) => (at === 0 ? [] : [noImportUp(name, layers, at)])),
    ]),
  ],
  options: {
    // Type imports count: a circle of types is a circle in the reader's head.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['\\.test\\.tsx?$', '/dist/', '^packages/[^/]+/(test|into|templates)/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@feed-receiver/source', 'types', 'import', 'node', 'default'],
    },
  },
}

function onlyUses(name, uses) {
  // A package of ours, or one folder of it.
  const own = uses.filter((used) => used.split('/')[0] in packages)
  return {
    name: `${name} uses only ${[...uses, 'itself'].join(', ')}`,
    severity: 'error',
    from: { path: `^packages/${name}/src/` },
    to: {
      pathNot: [
        `^packages/(${[name, ...own].join('|')})/`,
        ...uses.map((used) => `node_modules/(@types/)?${used}/`),
      ],
      dependencyTypesNot: ['core'],
    },
  }
}

function noImportUp(name, layers, at) {
  return {
    name: `${name}: ${layers[at].join(', ')} import nothing from above`,
    severity: 'error',
    from: { path: inLayer(name, layers[at]) },
    to: { path: inLayer(name, layers.slice(0, at).flat()) },
  }
}

function inLayer(name, parts) {
  return `^packages/${name}/src/(${parts.join('|')})(/|\\.tsx?$)`
}
