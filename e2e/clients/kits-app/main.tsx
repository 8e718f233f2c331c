import { HttpAgent } from "@ag-ui/client";
import { useCloudThreadListRuntime } from "@assistant-ui/core/react";
import { AssistantCloud, AssistantRuntimeProvider, type AssistantRuntime } from "@assistant-ui/react";
import { useAgUiRuntime } from "@assistant-ui/react-ag-ui";
import { useLangGraphRuntime } from "@assistant-ui/react-langgraph";
import {
  AssistantRuntimeProvider as NativeRuntimeProvider,
  useLocalRuntime as useNativeLocalRuntime,
} from "@assistant-ui/react-native";
import type { ComponentType } from "react";
import { createRoot } from "react-dom/client";
import { localModel } from "../app/local-model.ts";
import { PrimitivesChat } from "../app/primitives-chat.tsx";
import { cloudOptions } from "../app/service.ts";
import { langGraph } from "./lang-graph.ts";

const cloud = new AssistantCloud(cloudOptions());
const agent = new HttpAgent({ url: "/api/ag-ui" });

/** AG-UI: an agent of the app. Threads and history are in the service. */
function AgUiApp() {
  const runtime = useCloudThreadListRuntime({ cloud, runtimeHook: useAgent });
  return <Shown runtime={runtime} />;
}

function useAgent(): AssistantRuntime {
  return useAgUiRuntime({ agent });
}

/** The service has the threads, each with LangGraph's id as its `external_id`. */
function LangGraphApp() {
  return <Shown runtime={useLangGraphRuntime({ cloud, ...langGraph })} />;
}

/** The runtime and the provider of the React Native kit. The elements of the page are those of the other apps. */
function NativeApp() {
  const runtime = useCloudThreadListRuntime({ cloud, runtimeHook: useNativeModel });
  return (
    <NativeRuntimeProvider runtime={runtime}>
      <Shown runtime={runtime} />
    </NativeRuntimeProvider>
  );
}

function useNativeModel(): AssistantRuntime {
  return useNativeLocalRuntime(localModel);
}

function Shown({ runtime }: { runtime: AssistantRuntime }) {
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <PrimitivesChat />
    </AssistantRuntimeProvider>
  );
}

const apps: Record<string, ComponentType> = {
  "AG-UI": AgUiApp,
  LangGraph: LangGraphApp,
  "React Native": NativeApp,
};
const App = apps[new URLSearchParams(location.search).get("client") ?? ""];
const root = document.getElementById("root");
if (App !== undefined && root !== null) createRoot(root).render(<App />);
