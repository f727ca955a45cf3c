export default {
  // It reads its migrations from beside its own code, so it must not be bundled.
  serverExternalPackages: ['@feed-receiver/inbox'],
}
