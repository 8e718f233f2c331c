/**
 * The texts beside the screens and other parts that load later, by the name of their folder, with which these ask for them.
 * Every other language has a file beside each of these, which `textsIn` finds.
 */
export const texts = {
  composer: async () => await import("#web/composer/texts/en.ts"),
  palette: async () => await import("#web/palette/texts/en.ts"),
  panel: async () => await import("#web/panel/texts/en.ts"),
  parts: async () => await import("#web/parts/texts/en.ts"),
  screens: async () => await import("#web/screens/texts/en.ts"),
  accounts: async () => await import("#web/screens/accounts/texts/en.ts"),
  alerts: async () => await import("#web/screens/admin/alerts/texts/en.ts"),
  audit: async () => await import("#web/screens/admin/audit/texts/en.ts"),
  budgets: async () => await import("#web/screens/admin/budgets/texts/en.ts"),
  console: async () => await import("#web/screens/admin/console/texts/en.ts"),
  webhooks: async () => await import("#web/screens/admin/webhooks/texts/en.ts"),
  groups: async () => await import("#web/screens/admin/groups/texts/en.ts"),
  health: async () => await import("#web/screens/admin/health/texts/en.ts"),
  people: async () => await import("#web/screens/admin/people/texts/en.ts"),
  "sign-in": async () => await import("#web/screens/admin/sign-in/texts/en.ts"),
  assistants: async () => await import("#web/screens/assistants/texts/en.ts"),
  files: async () => await import("#web/screens/files/texts/en.ts"),
  keys: async () => await import("#web/screens/keys/texts/en.ts"),
  models: async () => await import("#web/screens/models/texts/en.ts"),
  prompts: async () => await import("#web/screens/prompts/texts/en.ts"),
  search: async () => await import("#web/screens/search/texts/en.ts"),
  settings: async () => await import("#web/screens/settings/texts/en.ts"),
  shares: async () => await import("#web/screens/shares/texts/en.ts"),
  threads: async () => await import("#web/screens/threads/texts/en.ts"),
  usage: async () => await import("#web/screens/usage/texts/en.ts"),
  folders: async () => await import("#web/sidebar/folders/texts/en.ts"),
  thread: async () => await import("#web/thread/texts/en.ts"),
  images: async () => await import("#web/ui/images/texts/en.ts"),
};
