// These packages are installed only with the newest clients (`npm run clients -- latest`). Here is what the app uses.
type AssistantRuntime = import("@assistant-ui/react").AssistantRuntime;
type AssistantCloud = import("@assistant-ui/react").AssistantCloud;

declare module "@ag-ui/client" {
  export class HttpAgent {
    url: string;
    constructor(options: { url: string });
  }
}

declare module "@assistant-ui/react-ag-ui" {
  export function useAgUiRuntime(options: { agent: import("@ag-ui/client").HttpAgent }): AssistantRuntime;
}

declare module "@assistant-ui/react-langgraph" {
  export type LangChainMessage = { id?: string; type: "human" | "ai"; content: unknown };
  export function useLangGraphRuntime(options: {
    cloud: AssistantCloud;
    create(): Promise<{ externalId: string }>;
    load(externalId: string): Promise<{ messages: LangChainMessage[] }>;
    stream(
      messages: LangChainMessage[],
      options: { initialize(): Promise<{ externalId: string | undefined }> },
    ): AsyncGenerator<{ event: string; data: unknown }>;
  }): AssistantRuntime;
}

declare module "@assistant-ui/react-native" {
  export const useLocalRuntime: typeof import("@assistant-ui/react").useLocalRuntime;
  export const AssistantRuntimeProvider: typeof import("@assistant-ui/react").AssistantRuntimeProvider;
}
