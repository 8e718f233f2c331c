/** The tested clients, by the hook that an app calls. */
export const clientNames = [
  "useChatRuntime",
  "useLocalRuntime",
  "useCloudRuntime",
  "useDataStreamRuntime",
  "useCloudChat",
  "useThreads",
] as const;

export type ClientName = (typeof clientNames)[number];

/** Also the apps whose answers this server writes, with `parlance-client`. */
export type AppName = ClientName | "useServerRuntime" | "createChatTransport";
