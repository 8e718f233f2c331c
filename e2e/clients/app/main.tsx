import type { ComponentType } from "react";
import { createRoot } from "react-dom/client";
import type { AppName } from "../names.ts";
import { CloudChatApp, CloudThreadsApp } from "./cloud-ai-sdk.tsx";
import {
  ChatRuntimeApp,
  ChatTransportApp,
  CloudRuntimeApp,
  DataStreamRuntimeApp,
  LocalRuntimeApp,
  ServerRuntimeApp,
} from "./runtimes.tsx";

/** One page for every client. The query has the client's name and the address of the chat service. */
const apps: Record<AppName, ComponentType> = {
  useChatRuntime: ChatRuntimeApp,
  useLocalRuntime: LocalRuntimeApp,
  useCloudRuntime: CloudRuntimeApp,
  useDataStreamRuntime: DataStreamRuntimeApp,
  useCloudChat: CloudChatApp,
  useThreads: CloudThreadsApp,
  useServerRuntime: ServerRuntimeApp,
  createChatTransport: ChatTransportApp,
};

const wanted = new URLSearchParams(location.search).get("client") as AppName;
const App = apps[wanted];
const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<App />);
