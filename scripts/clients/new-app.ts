/** Packages by name, with a range or a tag. */
export type Ranges = Record<string, string>;

/**
 * The packages of assistant-ui and the AI SDK in assistant-ui's `cloud` template, and React, with its ranges:
 * https://github.com/assistant-ui/assistant-ui/blob/main/templates/cloud/package.json. Where the template has `workspace:*`,
 * the tool that creates an app from it writes `latest`.
 */
export const template: Ranges = {
  "@assistant-ui/ai-sdk": "latest",
  "@assistant-ui/react": "latest",
  "@assistant-ui/react-markdown": "latest",
  ai: "^7.0.66",
  react: "^19.2.8",
  "react-dom": "^19.2.8",
};

/**
 * What an app then adds, one `npm install` each. The first name of each is the package that is tried in earlier versions if
 * the newest one cannot be installed; the others are what it needs in an app.
 */
export const additions: Ranges[] = [
  { "@assistant-ui/react-ai-sdk": "latest" },
  { "@assistant-ui/core": "latest" },
  {
    "assistant-cloud": "latest",
    // What its telemetry needs. The exporter's newest version does not install with the newest one of the other package.
    "@opentelemetry/exporter-trace-otlp-http": "^0.223.0",
    "@opentelemetry/sdk-trace-base": "latest",
  },
  { "@assistant-ui/react-data-stream": "latest" },
  { "@assistant-ui/cloud-ai-sdk": "latest", "@ai-sdk/react": "latest" },
  { "@assistant-ui/react-langgraph": "latest", "@langchain/langgraph-sdk": "latest" },
  { "@assistant-ui/react-ag-ui": "latest", "@ag-ui/client": "latest" },
  // In a browser, React Native's components come from this package.
  { "@assistant-ui/react-native": "latest", "react-native": "npm:react-native-web@latest" },
];

/** The packages of assistant-ui and of the AI SDK that the table lists, also those that npm installs by itself. */
export function isWatched(name: string): boolean {
  return /^(@assistant-ui\/|assistant-)/.test(name) || ["ai", "@ai-sdk/react"].includes(name);
}

/** A fault of a package that fails tests whatever server it uses. */
export type KnownFault = { package: string; version: string; tests: RegExp; reason: string };

/** Only for these versions: with any other one, the same failure counts. */
export const knownFaults: KnownFault[] = [
  {
    package: "@assistant-ui/cloud-ai-sdk",
    version: "0.1.37",
    tests:
      /^an app with (useCloudChat|useThreads): signs up|^with useCloudChat .*: a thread of the web app|cloud-chat\.tsx keeps/,
    reason:
      "renders in an endless loop (`Too many re-renders`) with the newest `@ai-sdk/react` when a stored thread is opened (section 6)",
  },
  {
    package: "@assistant-ui/core",
    version: "0.3.35",
    tests:
      /an app with useCloudRuntime: (signs up|regenerates|are uploaded)|^with useCloudRuntime and our own web app/,
    reason:
      "does not store the end of a short answer with the older `assistant-cloud` that `useCloudRuntime` needs: it stores the beginning and waits for a lease that the older package does not read",
  },
];
