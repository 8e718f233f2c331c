import type { EndpointName } from "../api.ts";
import type { Chapter } from "../facts/noun-facts.ts";
import { factsOfAll } from "../facts/nouns.ts";

/** The first word of an endpoint's name. */
export type Noun = EndpointName extends infer Name
  ? Name extends `${infer First}.${string}`
    ? First
    : never
  : never;

const peopleChapters = {
  auth: {
    title: "Signing in",
    description: "Tokens for anonymous users and for users of your backend, and the web app's session.",
  },
  accounts: {
    title: "Accounts",
    description: "People with an account sign in to the web app with an e-mail address and a password.",
  },
  invitations: {
    title: "Invitations",
    description: "Administrators invite people with links that work once.",
  },
  keys: {
    title: "Personal keys",
    description:
      "With a key, editors and scripts use the models of this server through the paths below `/openai/v1`, which have the format of OpenAI's API.",
  },
  personalInstructions: {
    title: "Personal instructions",
    description: "What a person wants every assistant to know about them.",
  },
  profile: {
    title: "Profiles",
    description: "What people set about themselves on every device, and their pictures.",
  },
  health: {
    title: "Health",
    description: "Versions, sizes and free space of the server, and a check of everything it stores.",
  },
};

const otherChapters = {
  people: {
    title: "People",
    description: "Administrators manage the accounts of their server. They cannot read anybody's threads.",
  },
  groups: {
    title: "Groups",
    description:
      "Groups give their members rights: models, assistants, tools, files, links and keys. Somebody has the rights of their role and of all their groups.",
  },
  budgets: {
    title: "Budgets",
    description:
      "How many tokens or how much money people may use per day and month: each person, those of a role, or the members of a group together. All limits that apply to somebody count.",
  },
  accessSettings: {
    title: "Rights of roles",
    description: "What members and guests may use without belonging to a group.",
  },
  joinRequests: {
    title: "Requests to join",
    description: "People who ask for an account, if an administrator has to approve it.",
  },
  preparedPeople: {
    title: "People of an import",
    description: "People of another server, whose threads wait until they have an account here.",
  },
  signInSettings: {
    title: "Sign-in settings",
    description: "Who may use the server, and who can get an account.",
  },
  mail: {
    title: "E-mail",
    description:
      "The mail server with which this server sends links to people. Without one, it sends nothing.",
  },
  signInProviders: {
    title: "Sign-in providers",
    description: "OpenID providers, and GitHub, with which people sign in to the web app.",
  },
  directories: {
    title: "Directories",
    description:
      "LDAP directories, such as OpenLDAP and Active Directory, whose people sign in with their password there.",
  },
  audit: {
    title: "Audit log",
    description: "What people did to accounts and settings. Its entries cannot be changed.",
  },
  threads: {
    title: "Threads",
    description: "A thread is one conversation. Everyone in its workspace can read it.",
  },
  threadMembers: {
    title: "Sharing inside",
    description: "Threads that people of this server read or write together, in the web app only.",
  },
  shares: {
    title: "Sharing",
    description: "Links with which other people read a thread on a page of its own.",
  },
  exports: {
    title: "Export",
    description: "Download threads as files, to keep, to read, or to import elsewhere.",
  },
  imports: {
    title: "Import",
    description: "Import exports of this service and of others.",
  },
  trash: {
    title: "Trash",
    description: "Deleted threads stay here for 30 days and can be restored.",
  },
  messages: {
    title: "Messages",
    description:
      "The messages of a thread form a tree. Regenerating an answer or editing a message creates another branch.",
  },
  clientLeases: {
    title: "Leases of messages",
    description:
      "A client that stores messages itself can store an answer while it is written. It holds a lease of the message, so that others see that the answer is not complete.",
  },
  comparisons: {
    title: "Comparisons",
    description:
      "Up to four models answer one message at the same time. The person chooses the answer that continues the thread.",
  },
  runs: {
    title: "Runs",
    description:
      "A run generates one answer. Its events are numbered. Any number of clients can follow it, and it continues without them.",
  },
  queue: {
    title: "Queue",
    description:
      "Messages that are sent while an answer is being written wait in the queue until it is complete.",
  },
  summaries: {
    title: "Summaries",
    description:
      "Summaries replace the oldest messages of a long branch in requests to models, so that a thread never has to end.",
  },
  suggestions: {
    title: "Suggestions",
    description: "Questions that a person could ask after an answer.",
  },
  search: { title: "Search", description: "Find messages, threads and files." },
  live: { title: "Live", description: "A stream of the changes in a workspace." },
  models: { title: "Models", description: "The language models of this server." },
  providers: {
    title: "Model providers",
    description: "The services and servers that provide the models. Administrators manage them.",
  },
  modelSettings: {
    title: "Model settings",
    description: "What the owner decides for all models: small tasks, and whether models must be local.",
  },
  assistants: {
    title: "Assistants",
    description:
      "An assistant has a name, instructions, a model and tools. Everyone in an app can use it; the owner manages it.",
  },
  usage: { title: "Usage", description: "The tokens and the cost of requests to models." },
  tools: { title: "Tools", description: "The tools that assistants can use." },
  traces: { title: "Traces", description: "Runs from the telemetry of an application." },
  mcp: { title: "MCP", description: "Not supported. Use the app endpoints instead." },
  files: {
    title: "Files",
    description: "Attachments. A file is uploaded to a signed URL and read by a URL that cannot be guessed.",
  },
  scores: { title: "Scores", description: "Ratings of answers by people and programs." },
  events: { title: "Events", description: "UI events of chats, without message text." },
  apps: {
    title: "Apps",
    description: "For backends with an API key: all workspaces of an app.",
  },
  console: {
    title: "Console for apps",
    description:
      "For administrators: apps, with their keys, origins, sign-in providers, and what an API key of an app can read.",
  },
  erasure: { title: "Erasure", description: "Erase all of your data." },
  server: { title: "The server", description: "The server itself." },
};

/** The chapters of the API reference, in reading order. */
export const chapters: Record<Noun | "server", Chapter> = {
  ...peopleChapters,
  ...factsOfAll("chapters"),
  ...otherChapters,
};

export function nounOf(name: EndpointName): Noun {
  return name.slice(0, name.indexOf(".")) as Noun;
}
