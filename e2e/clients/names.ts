/** The clients that are tried, by the hook that an app calls. */
export const clientNames = [
  "useChatRuntime",
  "useLocalRuntime",
  "useCloudRuntime",
  "useDataStreamRuntime",
  "useCloudChat",
  "useThreads",
] as const;

export type ClientName = (typeof clientNames)[number];
