/**
 * Why an authentic delivery was rejected, if the response shows who sent it. Contains no part of
 * the response.
 */
export interface Trap {
  /** Stable across versions. */
  name: string
  /** The program that responded, as far as the response shows it. */
  who: string
  why: string
  fix: string
  /** The page of the guides, relative to the root of the repository. */
  page: string
}

/** The signs of a trap, of which every given one must match. */
interface TrapSigns {
  /** Error codes of the receiver itself. Without them only answers of others match. */
  codes?: readonly string[]
  status?: readonly number[]
  /** A missing header counts as an empty text. */
  headers?: Readonly<Record<string, RegExp>>
  body?: RegExp
}

const parser = {
  why: 'It runs before the receiver and rejects bodies that it cannot parse, so the receiver never sees them.',
  status: [400, 415],
}
const schema = {
  why: 'It runs before the receiver and rejects bodies that do not match it.',
  status: [400],
}
const limit = {
  why: 'It limits the size of bodies, so a larger delivery never reaches the receiver.',
  status: [413],
}
const login = {
  why: 'It requires a login, but a delivery has no token or session: its signature is its authentication.',
  status: [401, 403],
}
const route = {
  why: 'It has no route for a POST to this URL, or the route was added too late.',
  status: [404],
}
const forms = {
  why: 'It rejects content types that a form on another site could send. A delivery is JSON, so something changed or dropped its Content-Type on the way.',
  status: [403],
}

/** Every trap, in the order in which they are tried. */
export const traps: readonly { trap: Trap; signs: TrapSigns }[] = [
  ...on('docs/frameworks/README.md', {
    receiver_after_parser: {
      who: 'the receiver',
      why: 'A body parser or middleware read the body first, so the signed bytes are gone.',
      fix: 'Mount the receiver before every body parser and before middleware that reads the body. In Express, express.json({ verify: keepRawBody }) keeps the bytes. In NestJS, mount it in main.ts and not in a controller.',
      codes: ['body_already_read'],
    },
  }),
  ...on('docs/platforms/sveltekit.md', {
    receiver_body_cut: {
      who: 'the receiver',
      why: 'The body ended early, because the framework or a proxy cut it off before the receiver.',
      fix: 'Raise the body limit of the framework or proxy in front of the receiver. In SvelteKit, start with BODY_SIZE_LIMIT=2M, and let no proxy drop Content-Type, because SvelteKit then drops the body.',
      codes: ['client_gone', 'body_incomplete'],
    },
  }),
  ...on('docs/frameworks/nest.md', {
    nest_parser: {
      ...parser,
      who: 'the body parser of NestJS',
      fix: 'Mount the receiver in main.ts and not in a controller: app.use(path, toExpress(receiver)) before listen() and init(), or app.register(toFastify(receiver), { path }) on Fastify.',
      body: /^\{"message":"[^]*JSON[^]*","error":"Bad Request","statusCode":400\}$|^\{"statusCode":4\d\d,"message":"(?:unsupported |Decompression failed|Body |Request body |Unsupported Media Type)[^]*"\}$/,
    },
    nest_limit: {
      ...limit,
      who: 'the body parser of NestJS',
      fix: 'Mount the receiver in main.ts and not in a controller: app.use(path, toExpress(receiver)) before listen() and init(), or app.register(toFastify(receiver), { path }) on Fastify.',
      body: /^\{"statusCode":413,"message":"[^"]*"\}$/,
    },
    nest_no_route: {
      ...route,
      who: 'NestJS',
      fix: 'Mount the receiver in main.ts, before init() and listen(), and check the path: setGlobalPrefix does not change it.',
      body: /^\{"message":"Cannot [A-Z]+ [^]*","error":"Not Found","statusCode":404\}$/,
    },
    nest_guard: {
      ...login,
      who: 'a guard of NestJS',
      fix: 'Mount the receiver in main.ts, where no guard runs, and not in a controller.',
      body: /^\{"message":"[^]*","(?:error":"[\w ]+","|)statusCode":40[13]\}$/,
    },
    nest_pipe: {
      ...schema,
      who: 'a pipe, filter or handler of NestJS',
      fix: 'Mount the receiver in main.ts, where no pipe runs, and not in a controller.',
      status: [400, 422],
      body: /^\{"message":[^]*,"error":"[\w ]+","statusCode":4(?:00|22)\}$/,
    },
  }),
  ...on('packages/fastify/README.md', {
    fastify_limit: {
      ...limit,
      who: 'the body parser of Fastify',
      fix: 'Mount the receiver with app.register(toFastify(receiver), { path }): it answers before the parser, and bodyLimit does not apply.',
      body: /"code":"FST_ERR_CTP_BODY_TOO_LARGE"/,
    },
    fastify_parser: {
      ...parser,
      who: 'the body parser of Fastify',
      fix: 'Mount the receiver with app.register(toFastify(receiver), { path }): it answers before every parser.',
      body: /"code":"FST_ERR_CTP_\w+"/,
    },
    fastify_schema: {
      ...schema,
      who: 'a schema of Fastify',
      fix: 'Mount the receiver with app.register(toFastify(receiver), { path }): no schema applies to its route.',
      body: /"code":"FST_ERR_VALIDATION"/,
    },
    fastify_no_route: {
      ...route,
      who: 'Fastify',
      fix: 'Register toFastify(receiver) with the path of this URL. A trailing slash makes it another path.',
      body: /^\{"message":"Route [A-Z]+:[^]* not found","error":"Not Found","statusCode":404\}$/,
    },
  }),
  ...on('docs/frameworks/hapi.md', {
    hapi_limit: {
      ...limit,
      who: 'the parser of hapi',
      fix: 'Mount the receiver in onRequest, which runs before the parser.',
      body: /^\{"statusCode":413,"error":"Request Entity Too Large","message":"Payload content length/,
    },
    hapi_parser: {
      ...parser,
      who: 'the parser of hapi',
      fix: 'Mount the receiver in onRequest, which runs before the parser and before hapi reads cookies and content types.',
      body: /^\{"statusCode":4\d\d,"error":"[\w ]+","message":"(?:Invalid request payload|Invalid content-type|Missing content-type|Invalid cookie|Unsupported Media Type)/,
    },
    hapi_no_route: {
      ...route,
      who: 'hapi',
      fix: 'Mount the receiver in onRequest, and check the path that it compares.',
      body: /^\{"statusCode":404,"error":"Not Found","message":"Not Found"\}$/,
    },
    hapi_login: {
      ...login,
      who: 'a login of hapi, or a hook of Fastify',
      fix: 'In hapi, mount the receiver in onRequest, which runs before authentication. In Fastify, exclude this path from hooks that require a login.',
      body: /^\{"statusCode":40[13],"error":"(?:Unauthorized|Forbidden)","message":/,
    },
  }),
  ...on('docs/frameworks/elysia.md', {
    elysia_schema: {
      ...schema,
      who: 'a schema of Elysia',
      fix: "Set { parse: 'none' } on the route of the feed, so that no body schema applies to it.",
      status: [422],
      body: /^\{\s*"type":\s*"validation",\s*"on":\s*"/,
    },
    elysia_parser: {
      ...parser,
      who: 'the body parser of Elysia',
      fix: "Set { parse: 'none' } on the route of the feed. Otherwise Elysia parses the body if any handler or hook uses it.",
      status: [400],
      headers: { 'content-type': /^text\/plain$/i },
      body: /^Bad Request$/,
    },
    elysia_no_route: {
      ...route,
      who: 'Elysia',
      fix: "Add the receiver with app.all(path, …, { parse: 'none' }), with the path of this URL.",
      body: /^NOT_FOUND$/,
    },
  }),
  ...on('docs/platforms/nitro.md', {
    nitro_no_route: {
      ...route,
      who: 'Nitro',
      fix: 'Name the file of the route after its path and method, such as routes/webhooks/feed.post.ts.',
      status: [404, 405],
      body: /^\{\s*"error":\s*true,\s*"url":[^]*Cannot find any route/,
    },
  }),
  ...on('docs/frameworks/h3.md', {
    h3_limit: {
      ...limit,
      who: 'middleware of h3',
      fix: 'Mount the receiver before bodyLimit, or raise that limit to 1 MiB.',
      body: /"message":"Request body size exceeds the limit/,
    },
    h3_parser: {
      ...parser,
      who: 'a body reader of h3',
      fix: 'Mount the receiver before middleware that reads bodies.',
      status: [400],
      body: /"message":"Invalid JSON body"|^\{\s*"statusCode":\s*400,\s*"statusMessage":\s*"Bad Request",\s*"stack":/,
    },
    h3_no_route: {
      ...route,
      who: 'h3',
      fix: 'Mount the receiver with app.all(path, …), with the path of this URL.',
      status: [404, 405],
      body: /^\{\s*"status(?:Code)?":\s*40[45],[^]*(?:Cannot find any (?:route|path) matching|HTTP method is not allowed)/,
    },
  }),
  ...on('docs/frameworks/hono.md', {
    hono_validator: {
      ...schema,
      who: 'a validator of Hono',
      fix: 'Mount the receiver before app.use(validator(…)), or add validators only to the routes that need them.',
      body: /^Malformed JSON in request body$/,
    },
    hono_no_route: {
      ...route,
      who: 'Hono',
      fix: 'Mount the receiver with app.all(path, …), with the path of this URL.',
      body: /^404 Not Found$/,
    },
  }),
  ...on('docs/platforms/sveltekit.md', {
    sveltekit_forms: {
      ...forms,
      who: 'SvelteKit',
      fix: 'Make sure that no proxy changes or drops the Content-Type of deliveries.',
      headers: { 'content-type': /^$|^application\/json/i },
      body: /^Cross-site POST form submissions are forbidden$|^\{"message":"Cross-site POST form submissions are forbidden"\}$/,
    },
    sveltekit_no_method: {
      ...route,
      who: 'SvelteKit',
      fix: 'Export POST from the +server.ts of this route.',
      status: [405],
      body: /^[A-Z]+ method not allowed$/,
    },
  }),
  ...on('docs/platforms/astro.md', {
    astro_forms: {
      ...forms,
      who: 'Astro',
      fix: 'Make sure that no proxy changes or drops the Content-Type of deliveries.',
      body: /^Cross-site POST form submissions are forbidden$/,
    },
    astro_no_route: {
      ...route,
      who: 'Astro',
      fix: 'Export POST and prerender = false from the endpoint, and check its path.',
      headers: { 'content-type': /^text\/html/i },
      body: /<title>404: Not Found<\/title>[^]*--gray-10/,
    },
  }),
  ...on('docs/platforms/react-router.md', {
    react_router_no_route: {
      ...route,
      who: 'React Router',
      fix: 'Add the resource route to app/routes.ts, with the path of this URL.',
      headers: { 'content-type': /^text\/html/i },
      body: /<title>Unhandled Thrown Response!<\/title>/,
    },
  }),
  ...on('packages/next/README.md', {
    next_no_route: {
      ...route,
      who: 'Next',
      fix: 'Add app/<path>/route.ts, export POST = toNext(receiver) from it, and check basePath.',
      headers: { 'content-type': /^text\/html/i },
      body: /\/_next\/static\//,
    },
    next_no_method: {
      ...route,
      who: 'Next',
      fix: 'Export POST = toNext(receiver) from the route.ts of this path. A page does not accept POST.',
      status: [405],
      headers: { vary: /next-router-state-tree/i },
    },
    next_parser: {
      ...parser,
      who: 'the body parser of Next for pages/api',
      fix: 'Use a route handler of the App Router (app/<path>/route.ts), which parses no body.',
      status: [400],
      body: /^Invalid JSON$/,
    },
    next_limit: {
      ...limit,
      who: 'the body parser of Next for pages/api',
      fix: 'Use a route handler of the App Router (app/<path>/route.ts), which parses no body.',
      body: /^Body exceeded \S+ limit$/,
    },
    next_slash: {
      who: 'Next',
      why: 'It redirects to the same URL with or without a trailing slash. The service does not follow redirects.',
      fix: 'Register the URL that it redirects to. It depends on trailingSlash in next.config.',
      status: [308],
      headers: { location: /^\//i },
      body: /^\/\S*$/,
    },
  }),
  ...on('packages/express/README.md', {
    express_limit: {
      ...limit,
      who: 'a body parser of Express',
      fix: 'Mount the receiver before express.json() and every other parser. If that is impossible, raise the limit of the parser to 1 MB.',
      headers: { 'x-powered-by': /^Express$/i },
      body: /<title>Error<\/title>[^]*<pre>Payload ?Too ?Large/,
    },
    express_parser: {
      ...parser,
      who: 'a body parser of Express',
      fix: 'Mount the receiver before express.json() and every other parser.',
      headers: { 'x-powered-by': /^Express$/i },
      body: /<title>Error<\/title>[^]*<pre>(?:\w*SyntaxError|BadRequestError|UnsupportedMediaTypeError|Error: Decompression failed|Bad Request|Unsupported Media Type)/,
    },
    express_no_route: {
      ...route,
      who: 'Express',
      fix: 'Mount the receiver with app.post(path, toExpress(receiver)), with the path of this URL.',
      headers: { 'x-powered-by': /^Express$/i },
      body: /<title>Error<\/title>[^]*<pre>Cannot [A-Z]+ /,
    },
  }),
  ...on('docs/platforms/google.md', {
    express_like_limit: {
      ...limit,
      who: 'a body parser of Express, or the Functions Framework of Google',
      fix: 'Mount the receiver before express.json() and every other parser. If that is impossible, raise the limit of the parser to 1 MB: see packages/express/README.md.',
      body: /<title>Error<\/title>[^]*<pre>Payload ?Too ?Large/,
    },
    express_like_parser: {
      ...parser,
      who: 'a body parser of Express, or the Functions Framework of Google',
      fix: 'Mount the receiver before express.json() and every other parser: see packages/express/README.md. The Functions Framework always parses first, but your own server does not.',
      body: /<title>Error<\/title>[^]*<pre>(?:\w*SyntaxError|BadRequestError|UnsupportedMediaTypeError|Error: Decompression failed|Bad Request|Unsupported Media Type)/,
    },
    express_like_no_route: {
      ...route,
      who: 'Express, or the Functions Framework of Google',
      fix: 'Mount the receiver at the path of this URL: see packages/express/README.md.',
      body: /<title>Error<\/title>[^]*<pre>Cannot [A-Z]+ /,
    },
  }),
  ...on('packages/koa/README.md', {
    koa_limit: {
      ...limit,
      who: 'Koa, probably a body parser',
      fix: 'Mount the receiver before every body parser.',
      headers: { 'content-type': /^text\/plain; charset=utf-8$/i, 'x-powered-by': /^$/i },
      body: /^(?:Payload Too Large|request entity too large)$/,
    },
    koa_parser: {
      ...parser,
      who: 'Koa, probably a body parser',
      fix: 'Mount the receiver before every body parser, or exclude its path from the parser.',
      headers: { 'content-type': /^text\/plain; charset=utf-8$/i, 'x-powered-by': /^$/i },
      body: /^(?:Bad Request|Unsupported Media Type)$/,
    },
    koa_no_route: {
      ...route,
      who: 'Koa',
      fix: 'Mount toKoa(receiver) with a router, at the path of this URL.',
      headers: { 'content-type': /^text\/plain; charset=utf-8$/i, 'x-powered-by': /^$/i },
      body: /^Not Found$/,
    },
  }),
  ...on('docs/frameworks/README.md', {
    nginx_limit: {
      ...limit,
      who: 'nginx',
      fix: 'Set client_max_body_size to at least 2m for the path of the feed.',
      body: /<center>nginx/,
    },
    nginx_login: {
      ...login,
      who: 'nginx',
      fix: 'Turn off auth_basic, auth_request and deny rules for the path of the feed.',
      body: /<center>nginx/,
    },
    nginx_no_route: {
      ...route,
      who: 'nginx',
      fix: 'Forward the path of the feed to the app: check location and proxy_pass.',
      status: [404, 405],
      body: /<center>nginx/,
    },
    nginx_no_upstream: {
      who: 'nginx',
      why: 'It could not reach the app behind it.',
      fix: 'Start the app, check proxy_pass, and set proxy_read_timeout to at least 10 seconds.',
      status: [502, 504],
      body: /<center>nginx/,
    },
    login_redirect: {
      ...login,
      who: 'a login page',
      fix: 'Exclude the path of the receiver from the login of the framework, the proxy or the platform.',
      status: [301, 302, 303, 307, 308],
      headers: { location: /\b(?:log|sign)[-_]?[io]n\b|\b(?:auth|oauth2?|sso)\b/i },
    },
    login_challenge: {
      ...login,
      who: 'something that requires a login',
      fix: 'Exclude the path of the receiver from the login of the framework, the proxy or the platform.',
      status: [401],
      headers: { 'www-authenticate': /\S/i },
    },
  }),
]

/** The traps that a page of the guides explains. */
function on(page: string, rows: Record<string, Omit<Trap, 'name' | 'page'> & TrapSigns>) {
  return Object.entries(rows).map(([name, { who, why, fix, ...signs }]) => ({
    trap: { name, who, why, fix, page },
    signs,
  }))
}
