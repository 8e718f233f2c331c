import type { EndpointName } from "../api.ts";

/** What an endpoint is about: the first word of its name. */
export type Noun = EndpointName extends infer Name
  ? Name extends `${infer First}.${string}`
    ? First
    : never
  : never;

/** The chapters of the API reference, in the order in which a newcomer needs them. */
export const nouns: Record<Noun | "server", { title: string; about: string }> = {
  auth: {
    title: "Signing in",
    about:
      "Tokens for people without an account, for those that a backend names, and the web app's own session.",
  },
  threads: {
    title: "Threads",
    about: "A thread is one conversation. It belongs to a workspace, and whoever acts in that sees it.",
  },
  exports: {
    title: "Export",
    about: "What somebody wrote and was answered, as files: to keep, to read, or to bring in elsewhere.",
  },
  imports: {
    title: "Import",
    about: "Exports of this service, and of others, brought in.",
  },
  trash: {
    title: "Trash",
    about: "Deleted threads wait here for 30 days, and can be brought back until then.",
  },
  messages: {
    title: "Messages",
    about:
      "The messages of a thread are a tree: an answer made again or a question put anew is another branch.",
  },
  runs: {
    title: "Runs",
    about:
      "A run is one answer in the making. It has a numbered log that any number of readers follow, and goes on without them.",
  },
  queue: {
    title: "Queue",
    about:
      "What is said while an answer is being written waits here, and becomes a message when its turn comes.",
  },
  search: { title: "Search", about: "What was said, and where." },
  live: { title: "Live", about: "What changes in a workspace, as it changes." },
  models: { title: "Models", about: "Who can answer." },
  assistants: {
    title: "Assistants",
    about:
      "Who answers: a name, what the model is told, and which model and tools it has. All people of a project use them, its owner makes them.",
  },
  tools: { title: "Tools", about: "What assistants can do beside talking." },
  traces: { title: "Traces", about: "What an application's own telemetry tells of its runs." },
  mcp: { title: "MCP", about: "Not offered here: programs read a project through its own calls." },
  files: {
    title: "Files",
    about:
      "What people attach: uploaded to an address that is given for it, and read by one that nobody guesses.",
  },
  scores: { title: "Scores", about: "What people and programs think of an answer." },
  events: { title: "Events", about: "What people do with a chat, without a word of what they say." },
  projects: {
    title: "Projects",
    about: "What a backend with an API key reads and does over all workspaces of its project.",
  },
  erasure: { title: "Erasure", about: "The way back to an empty page." },
  server: { title: "The server", about: "The server itself." },
};

export function nounOf(name: EndpointName): Noun {
  return name.slice(0, name.indexOf(".")) as Noun;
}
