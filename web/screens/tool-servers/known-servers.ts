/** How somebody gets into a well-known server: not at all, by signing in, with a key, or with a client of one's own. */
type Entrance = "open" | "sign-in" | "key" | "client";

export type KnownServer = { name: string; url: string; entrance: Entrance };

/** Well-known tool servers, from their makers' documentation. Names of products are the same in every language. */
export const knownServers: readonly KnownServer[] = [
  { name: "Asana", url: "https://mcp.asana.com/v2/mcp", entrance: "client" },
  { name: "Atlassian", url: "https://mcp.atlassian.com/v1/mcp", entrance: "sign-in" },
  { name: "Context7", url: "https://mcp.context7.com/mcp", entrance: "open" },
  { name: "DeepWiki", url: "https://mcp.deepwiki.com/mcp", entrance: "open" },
  { name: "Exa", url: "https://mcp.exa.ai/mcp", entrance: "open" },
  { name: "GitHub", url: "https://api.githubcopilot.com/mcp/", entrance: "key" },
  { name: "Hugging Face", url: "https://huggingface.co/mcp", entrance: "open" },
  { name: "Intercom", url: "https://mcp.intercom.com/mcp", entrance: "sign-in" },
  { name: "Linear", url: "https://mcp.linear.app/mcp", entrance: "sign-in" },
  { name: "Microsoft Learn", url: "https://learn.microsoft.com/api/mcp", entrance: "open" },
  { name: "monday.com", url: "https://mcp.monday.com/mcp", entrance: "sign-in" },
  { name: "Neon", url: "https://mcp.neon.tech/mcp", entrance: "sign-in" },
  { name: "Notion", url: "https://mcp.notion.com/mcp", entrance: "sign-in" },
  { name: "Sentry", url: "https://mcp.sentry.dev/mcp", entrance: "sign-in" },
  { name: "Slack", url: "https://mcp.slack.com/mcp", entrance: "client" },
  { name: "Stripe", url: "https://mcp.stripe.com", entrance: "sign-in" },
  { name: "Supabase", url: "https://mcp.supabase.com/mcp", entrance: "sign-in" },
];
