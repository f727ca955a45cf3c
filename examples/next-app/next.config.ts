export default {
  // Its embedded database reads files beside its own code, so it must not be bundled.
  serverExternalPackages: ['@feed-receiver/inbox'],
}
