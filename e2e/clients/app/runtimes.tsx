import { AssistantCloud, AssistantRuntimeProvider, useAui, useLocalRuntime } from "@assistant-ui/react";
import type { AssistantRuntime } from "@assistant-ui/react";
import { useCloudThreadListRuntime } from "@assistant-ui/core/react";
import { useChatRuntime } from "@assistant-ui/react-ai-sdk";
import { useCloudRuntime, useDataStreamRuntime } from "@assistant-ui/react-data-stream";
import { AssistantCloud as OlderCloud } from "assistant-cloud-0.2.2";
import { useMemo } from "react";
import { useServerRuntime } from "../../../client/chat-model.ts";
import { createChatTransport } from "../../../client/chat-transport.ts";
import { useDeletingHistory } from "./deleting-history.ts";
import { localModel } from "./local-model.ts";
import { PrimitivesChat } from "./primitives-chat.tsx";
import { cloudOptions } from "./service.ts";

const cloud = new AssistantCloud(cloudOptions());

/** The app's own chat route at `/api/chat`; threads and history in the service. */
export function ChatRuntimeApp() {
  return <Shown runtime={useChatRuntime({ cloud })} />;
}

/** The app's own model. */
export function LocalRuntimeApp() {
  const runtime = useCloudThreadListRuntime({ cloud, runtimeHook: useLocalModel });
  return <Shown runtime={runtime} />;
}

function useLocalModel(): AssistantRuntime {
  return useLocalRuntime(localModel, { adapters: useDeletingHistory(cloud) });
}

// `useCloudRuntime` works only with the client that it was published with. The runtimes have the types of the newest.
const olderCloud = new OlderCloud(cloudOptions()) as unknown as AssistantCloud;

/** Without a route in the app: the service calls the model. */
export function CloudRuntimeApp() {
  const runtime = useCloudThreadListRuntime({ cloud: olderCloud, runtimeHook: useServiceModel });
  return <Shown runtime={runtime} />;
}

function useServiceModel(): AssistantRuntime {
  const options = useMemo(() => ({ cloud: olderCloud, assistantId: "default" }), []);
  return useCloudRuntime(options);
}

/**
 * `CloudRuntimeApp` with the newest client. It needs the thread before a request, which the published `useCloudRuntime`
 * does not provide, so the app does.
 */
export function DataStreamRuntimeApp() {
  const runtime = useCloudThreadListRuntime({ cloud, runtimeHook: useNewestServiceModel });
  return <Shown runtime={runtime} />;
}

function useNewestServiceModel(): AssistantRuntime {
  const aui = useAui();
  const options = useMemo(() => {
    const { body, ...rest } = cloud.runs.__internal_getAssistantOptions("default");
    const bodyOfThread = async () =>
      await body({ threadId: (await aui.threadListItem().initialize()).remoteId });
    return { ...rest, body: bodyOfThread };
  }, [aui]);
  return useDataStreamRuntime({ ...options, adapters: useDeletingHistory(cloud) });
}

/** Without a route in the app: this server's answers, with `parlance-client`. */
export function ServerRuntimeApp() {
  const runtime = useCloudThreadListRuntime({ cloud, runtimeHook: useServerModel });
  return <Shown runtime={runtime} />;
}

function useServerModel(): AssistantRuntime {
  return useServerRuntime({ cloud });
}

const transport = createChatTransport({ cloud });

export function ChatTransportApp() {
  return <Shown runtime={useChatRuntime({ cloud, transport })} />;
}

function Shown({ runtime }: { runtime: AssistantRuntime }) {
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <PrimitivesChat />
    </AssistantRuntimeProvider>
  );
}
