import {
  apiEvent,
  appEvent,
  benchmarkEvent,
  modelEvent,
  newsEvent,
  type Template,
} from './template-kinds.ts'

const contexts = ['128,000', '200,000', '400,000', '1,000,000'] as const
const parameters = ['service_tier', 'cache_ttl', 'max_tool_calls'] as const
const endpoints = ['drafts', 'sessions', 'evaluations'] as const
const topics = ['long-horizon planning', 'cheaper attention', 'measuring honesty'] as const
const cities = ['Zürich', 'São Paulo', '東京'] as const
const kinds = ['documented', 'official_publication'] as const

/**
 * One template for each documented type but the steps of an outage, which come in threads, and the
 * test delivery, which is never in the feed (R209, R213); and one of a type that nobody knows (R210).
 */
export const templates: Readonly<Record<string, Template>> = {
  model_release: modelEvent((id, { name }, random) => [
    `${id} is generally available`,
    `${name} releases ${id} with a context window of ${random.pick(contexts)} tokens.`,
    { evidenceState: 'official_publication', sourcePath: `news/${id}` },
  ]),
  api_model_listed: modelEvent((id) => [
    `${id} appears in the model list of the API`,
    null,
    { evidenceState: 'api_listed', sourcePath: 'api/v1/models' },
  ]),
  model_removed: modelEvent((id, { name }) => [
    `${id} is no longer served`,
    `Requests for ${id} fail from today; ${name} names a successor in its documentation.`,
    { sourcePath: `docs/deprecations#${id}` },
  ]),
  // No documentation lists it, as types are an open set; facts about models need one of this kind.
  model_deprecated: modelEvent((id, { name }, random) => [
    `${id} is deprecated`,
    `${name} asks to move away from ${id}.`,
    { evidenceState: random.pick(kinds), sourcePath: `docs/deprecations#${id}` },
  ]),
  pricing_update: modelEvent((id, _, random) => [
    `The pricing page mentions ${id} with cached input`,
    `Cached input tokens cost ${random.whole(10, 50)} % of the listed price.`,
    { category: 'pricing', sourcePath: 'pricing' },
  ]),
  pricing_changed: modelEvent((id, _, random) => [
    `Output tokens of ${id} are ${random.whole(10, 60)} % cheaper`,
    `Now $${random.whole(1, 30)} per million output tokens.`,
    { category: 'pricing', sourcePath: 'pricing' },
  ]),
  benchmark_model_added: benchmarkEvent((id, board) => `${id} enters ${board}`, false),
  benchmark_rank_changed: benchmarkEvent((id, board) => `${id} moves in ${board}`, true),
  benchmark_version_changed: benchmarkEvent(
    (_, board) => `${board} publishes a new revision`,
    true,
  ),
  api_contract_update: apiEvent((service, random) => [
    `${service} adds a parameter`,
    `The reference of the ${service} lists ${random.pick(parameters)}; it is optional.`,
  ]),
  api_endpoint_documented: apiEvent((service, random) => [
    `${service} documents a new endpoint`,
    `POST /v1/${random.pick(endpoints)} is in the reference.`,
  ]),
  documentation_update: apiEvent((service) => [`The guide to ${service} was rewritten`, null]),
  app_feature_update: appEvent((name) => [
    `${name} can share projects`,
    `Projects in ${name} can be shared with a team, read-only or with edits.`,
  ]),
  desktop_app_update: appEvent((name, version) => [
    `${name} ${version} for desktop`,
    `Version ${version} starts faster & fixes <copy> on multiple displays.`,
  ]),
  cli_update: appEvent((name, version) => [
    `The command line of ${name} is at ${version}`,
    `Adds --json to every command; "login" works over SSH.`,
  ]),
  release_note: appEvent((name, version) => [`Release notes of ${name} ${version}`, null]),
  research_published: newsEvent('research', ({ name }, random) => [
    `${name} on ${random.pick(topics)}`,
    'A report with method, data and limits – code follows “in the coming weeks”.',
  ]),
  official_post_published: newsEvent('other', ({ name }, random) => [
    `${name} opens an office in ${random.pick(cities)}`,
    null,
  ]),
  policy_notice_posted: newsEvent('other', ({ name }) => [
    `${name} updates its usage policy`,
    'A type of event that no documentation lists: keep it as it is.',
  ]),
}
