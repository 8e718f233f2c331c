import type { EndpointName } from "../api.ts";

/** What an endpoint is about: the first word of its name. */
export type Noun = EndpointName extends infer Name
  ? Name extends `${infer First}.${string}`
    ? First
    : never
  : never;

/** The chapters of the API reference, in the order in which a newcomer needs them. */
export const nouns: Record<Noun | "server", { title: string; description: string }> = {
  auth: {
    title: "Signing in",
    description:
      "Tokens for people without an account, for those that a backend names, and the web app's own session.",
  },
  threads: {
    title: "Threads",
    description: "A thread is one conversation. It belongs to a workspace, and whoever acts in that sees it.",
  },
  exports: {
    title: "Export",
    description:
      "What somebody wrote and was answered, as files: to keep, to read, or to bring in elsewhere.",
  },
  imports: {
    title: "Import",
    description: "Exports of this service, and of others, brought in.",
  },
  trash: {
    title: "Trash",
    description: "Deleted threads wait here for 30 days, and can be brought back until then.",
  },
  messages: {
    title: "Messages",
    description:
      "The messages of a thread are a tree: an answer made again or a question put anew is another branch.",
  },
  runs: {
    title: "Runs",
    description:
      "A run is one answer in the making. It has a numbered log that any number of readers follow, and goes on without them.",
  },
  queue: {
    title: "Queue",
    description:
      "What is said while an answer is being written waits here, and becomes a message when its turn comes.",
  },
  search: { title: "Search", description: "What was said, and where." },
  live: { title: "Live", description: "What changes in a workspace, as it changes." },
  models: { title: "Models", description: "Who can answer." },
  assistants: {
    title: "Assistants",
    description:
      "Who answers: a name, what the model is told, and which model and tools it has. All people of a project use them, its owner makes them.",
  },
  tools: { title: "Tools", description: "What assistants can do beside talking." },
  traces: { title: "Traces", description: "What an application's own telemetry tells of its runs." },
  mcp: { title: "MCP", description: "Not offered here: programs read a project through its own calls." },
  files: {
    title: "Files",
    description:
      "What people attach: uploaded to an address that is given for it, and read by one that nobody guesses.",
  },
  scores: { title: "Scores", description: "What people and programs think of an answer." },
  events: { title: "Events", description: "What people do with a chat, without a word of what they say." },
  projects: {
    title: "Projects",
    description: "What a backend with an API key reads and does over all workspaces of its project.",
  },
  erasure: { title: "Erasure", description: "The way back to an empty page." },
  server: { title: "The server", description: "The server itself." },
};

export function nounOf(name: EndpointName): Noun {
  return name.slice(0, name.indexOf(".")) as Noun;
}
